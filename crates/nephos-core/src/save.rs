//! Saving a model, waiting for a state, and errors of kinds that cannot be saved or deleted.

use crate::{
    BoxFuture, Error, ErrorKind, FieldSet, Outcome, Preview, QueryFuture, Resource, Result, Session, Text,
    Value, Workflow, WorkflowContext,
    operation::{self, Attach, ManagerOperation, OnModel},
    record,
    shape::{Effect, Presence},
    transport::wait,
};
use std::{future::IntoFuture, marker::PhantomData, sync::Arc, time::Duration};

/// An operation that a model runs on itself, for `save`, `delete` and polls: an operation, or [`Unsupported`].
pub trait Verb<M>: Sized + Clone + Send + Sync + 'static {
    /// Type of the answer.
    type Output: Send + 'static;

    /// True if the kind has the operation.
    const SUPPORTED: bool;

    /// Builds the operation from `model`, leaving the parameters named in `given` unset.
    fn for_model_except(model: &M, given: &[&str]) -> Result<Self>;

    /// Builds the operation from `model`.
    fn for_model(model: &M) -> Result<Self> {
        Self::for_model_except(model, &[])
    }

    /// Sets a parameter by name. An unknown name is an error with the nearest known name.
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;

    /// Runs the operation.
    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Self::Output>>;
}

impl<M: Resource, O: OnModel<M> + ManagerOperation> Verb<M> for O {
    type Output = O::Answer;
    const SUPPORTED: bool = true;

    fn for_model_except(model: &M, given: &[&str]) -> Result<Self> {
        OnModel::for_model_except(model, given)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        operation::set_parameter(self, O::CALL, name, value)
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Self::Output>> {
        Box::pin(async move {
            record::check(self)
                .map_err(|error| error.with_code(O::service().invalid).during(O::CALL.name))?;
            ManagerOperation::run(self, context).await
        })
    }
}

/// Stands for an operation that a kind does not have.
#[derive(Clone, Copy, Debug)]
pub enum Unsupported {}

impl<M: Resource> Verb<M> for Unsupported {
    type Output = ();
    const SUPPORTED: bool = false;

    fn for_model_except(_model: &M, _given: &[&str]) -> Result<Self> {
        Err(Error::new(ErrorKind::Unsupported, format!("{} has no such operation", M::KIND.name)))
    }

    fn set(&mut self, _name: &str, _value: &Value) -> Result<()> {
        match *self {}
    }

    fn run<'s>(&'s self, _context: &'s WorkflowContext) -> BoxFuture<'s, Result<()>> {
        match *self {}
    }
}

/// A call of an operation that the kind does not have. It fails when it runs.
#[must_use = "a call runs when it is awaited or waited for"]
#[derive(Clone, Debug)]
pub struct UnsupportedCall(Error);

impl UnsupportedCall {
    /// Prepares the error for `verb` on a kind that does not have it.
    pub fn new<M: Resource>(verb: &str) -> Self {
        Self(unsupported_error::<M>(verb, ErrorKind::Unsupported))
    }

    /// Returns the error.
    pub fn wait(self) -> Result<()> {
        Err(self.0)
    }
}

impl IntoFuture for UnsupportedCall {
    type Output = Result<()>;
    type IntoFuture = std::future::Ready<Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        std::future::ready(Err(self.0))
    }
}

fn unsupported_error<M: Resource>(verb: &str, kind: ErrorKind) -> Error {
    let name = M::KIND.name;
    if M::KIND.frozen {
        Error::new(ErrorKind::Frozen, format!("{name} is read-only, so it cannot {verb} itself"))
    } else {
        Error::new(kind, format!("{name} cannot {verb} itself"))
    }
}

type Adjustment<V> = Box<dyn FnOnce(V) -> V + Send>;

/// A save of a model, being prepared.
#[must_use = "a model is saved when this is awaited or waited for"]
pub struct Save<'m, M: Resource> {
    model: &'m mut M,
    set: Vec<(Text, Value)>,
    creating: Option<Adjustment<M::Create>>,
    updating: Option<Adjustment<M::Update>>,
}

impl<'m, M: Resource> Save<'m, M> {
    pub(crate) fn new(model: &'m mut M) -> Self {
        Self { model, set: Vec::new(), creating: None, updating: None }
    }

    /// Sets parameters in case the resource is created: `.creating(|create| create.tags(…))`.
    pub fn creating(mut self, adjust: impl FnOnce(M::Create) -> M::Create + Send + 'static) -> Self {
        self.creating = Some(Box::new(adjust));
        self
    }

    /// Sets parameters in case the resource is updated: `.updating(|update| update.apply_immediately(true))`.
    pub fn updating(mut self, adjust: impl FnOnce(M::Update) -> M::Update + Send + 'static) -> Self {
        self.updating = Some(Box::new(adjust));
        self
    }

    /// Sets a parameter of create or update, whichever runs, by its name in the specification.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.set.push((name.into(), value.into()));
        self
    }

    /// Saves the model and blocks this thread until it is done. No async runtime is needed.
    ///
    /// # Errors
    ///
    /// `Frozen` or `NotUpdatable` for kinds that cannot be saved, `NoSession` for a model without a session, `Invalid` for
    /// a field that cannot be changed, and the errors of the service. The model is unchanged then.
    pub fn wait(self) -> Result<()> {
        wait(self.into_future())
    }

    /// Runs the save, rolls it back, and returns the rows that it would change and the model as it would be. This
    /// model stays as it is.
    pub fn preview(self) -> QueryFuture<'m, Preview<M>> {
        QueryFuture::new(async move {
            let (session, name, workflow, model) = self.prepare()?;
            let preview = session.transport().preview(&session, workflow).await;
            let (outcome, changes) = preview.map_err(|error| error.during(name))?;
            let mut answer = model.clone();
            apply_outcome(&mut answer, outcome, &session)?;
            Ok(Preview { answer, changes })
        })
    }

    async fn run(self) -> Result<()> {
        let (session, name, workflow, model) = self.prepare()?;
        let outcome = session.transport().run(&session, workflow).await;
        apply_outcome(model, outcome.map_err(|error| error.during(name))?, &session)
    }

    /// Returns the session, the name of the operation, the workflow, and the model to save.
    fn prepare(self) -> Result<(Session, &'static str, Arc<dyn Workflow>, &'m mut M)> {
        let kind = M::KIND;
        if kind.frozen {
            return Err(unsupported_error::<M>("save", ErrorKind::Frozen));
        }
        let session = self.model.require_session()?.clone();
        let name = if self.model.is_saved() { "update" } else { "create" };
        let refused = |error: Error| operation::with_service_code((kind.service)(), error).during(name);
        let workflow: Arc<dyn Workflow> = if self.model.is_saved() {
            if !<M::Update as Verb<M>>::SUPPORTED {
                return Err(unsupported_error::<M>("update", ErrorKind::NotUpdatable));
            }
            let save_workflow = save_workflow::<M, M::Update>(self.model, name, self.updating, &self.set);
            Arc::new(save_workflow.map_err(refused)?)
        } else {
            let save_workflow = save_workflow::<M, M::Create>(self.model, name, self.creating, &self.set);
            Arc::new(save_workflow.map_err(refused)?)
        };
        Ok((session, name, workflow, self.model))
    }
}

/// Copies the outcome of a save into the model.
fn apply_outcome<M: Resource>(model: &mut M, outcome: Outcome, session: &Session) -> Result<()> {
    let latest: Option<M> = operation::downcast(outcome)?;
    if let Some(mut latest) = latest {
        latest.attach(session);
        merge_latest(model, latest);
    }
    if let Some(slot) = model.slot_mut() {
        slot.settle();
    }
    Ok(())
}

fn save_workflow<M: Resource, V: Verb<M>>(
    model: &M,
    name: &'static str,
    adjust: Option<Adjustment<V>>,
    set: &[(Text, Value)],
) -> Result<SaveWorkflow<M, V>> {
    // Parameters that are set beside the model need not be in it.
    let given: Vec<_> = set.iter().map(|(name, _)| name.as_str()).collect();
    let mut verb = V::for_model_except(model, &given)?;
    if let Some(adjust) = adjust {
        verb = adjust(verb);
    }
    for (param, value) in set {
        verb.set(param, value)?;
    }
    Ok(SaveWorkflow { verb, name, model: model.clone() })
}

/// Copies the fields of `latest` into the model. Fields that the service does not return keep their values.
fn merge_latest<M: Resource>(model: &mut M, mut latest: M) {
    let mut given = FieldSet::NONE;
    for (index, field) in M::SHAPE.fields.iter().enumerate() {
        let returned = !latest.field(index).view().is_null();
        if returned || field.presence == Presence::ServiceSet {
            model.field_mut(index).take_from(latest.field_mut(index));
        }
        if !model.field(index).view().is_null() {
            given.insert(index);
        }
    }
    model.settle();
    if let Some(slot) = model.slot_mut() {
        slot.set_given(given);
    }
}

/// A create or update, followed by a get if its answer does not have the model.
struct SaveWorkflow<M, V> {
    verb: V,
    name: &'static str,
    model: M,
}

impl<M: Resource, V: Verb<M>> Workflow for SaveWorkflow<M, V> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let output: Outcome = Box::new(self.verb.run(context).await?);
            let latest = match model_in::<M>(output) {
                Some(latest) => Some(latest),
                None if <M::Get as Verb<M>>::SUPPORTED => {
                    let output: Outcome =
                        Box::new(<M::Get as Verb<M>>::for_model(&self.model)?.run(context).await?);
                    model_in::<M>(output)
                }
                None => None,
            };
            Ok(Box::new(latest) as Outcome)
        })
    }
}

/// Extracts the model from an operation's answer, if it has one.
fn model_in<M: Resource>(output: Outcome) -> Option<M> {
    let output = match output.downcast::<M>() {
        Ok(model) => return Some(*model),
        Err(output) => output,
    };
    let output = match output.downcast::<Option<M>>() {
        Ok(model) => return *model,
        Err(output) => output,
    };
    output.downcast::<Vec<M>>().ok().and_then(|models| models.into_iter().next())
}

impl<'m, M: Resource> IntoFuture for Save<'m, M> {
    type Output = Result<()>;
    type IntoFuture = BoxFuture<'m, Result<()>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M: Resource> std::fmt::Debug for Save<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Save").field(&self.model).finish()
    }
}

/// Default number of polls before a waiter times out.
const MAX_POLLS: usize = 40;

/// Default interval between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(15);

/// A waiter for a state of a model, being prepared.
#[must_use = "waiting begins when this is awaited or waited for"]
pub struct Waiter<M> {
    model: M,
    reached: Box<dyn Fn(&M) -> bool + Send + Sync>,
    max_polls: usize,
    interval: Duration,
    marker: PhantomData<fn() -> M>,
}

impl<M: Resource> Waiter<M> {
    pub(crate) fn new(model: &M, reached: impl Fn(&M) -> bool + Send + Sync + 'static) -> Self {
        let model = model.clone();
        Self {
            model,
            reached: Box::new(reached),
            max_polls: MAX_POLLS,
            interval: POLL_INTERVAL,
            marker: PhantomData,
        }
    }

    /// Sets the interval between two polls; 15 seconds by default.
    pub fn every(mut self, interval: Duration) -> Self {
        self.interval = interval;
        self
    }

    /// Sets the number of polls before the waiter times out; 40 by default.
    pub fn at_most(mut self, max_polls: usize) -> Self {
        self.max_polls = max_polls;
        self
    }

    /// Waits, blocking this thread, and returns the model in its new state.
    pub fn wait(self) -> Result<M> {
        wait(self.into_future())
    }

    async fn run(self) -> Result<M> {
        let session = self.model.require_session()?.clone();
        for poll in 0..self.max_polls {
            if poll > 0 {
                session.transport().pause(self.interval).await;
            }
            let Some(latest) = fetch_latest(&self.model).await? else {
                let message = format!("the {} no longer exists", M::KIND.name);
                return Err(Error::new(ErrorKind::NotFound, message));
            };
            if (self.reached)(&latest) {
                return Ok(latest);
            }
        }
        let message = format!("timed out after {} polls waiting for {}", self.max_polls, M::KIND.name);
        Err(Error::new(ErrorKind::Expired, message))
    }
}

/// Gets the model from the service; none if it no longer exists.
pub(crate) async fn fetch_latest<M: Resource>(model: &M) -> Result<Option<M>> {
    let session = model.require_session()?.clone();
    let get = <M::Get as Verb<M>>::for_model(model)?;
    let workflow = Arc::new(GetWorkflow { get, model: PhantomData::<fn() -> M> });
    let outcome = session.transport().run(&session, workflow).await?;
    let mut latest: Option<M> = crate::operation::downcast(outcome)?;
    latest.attach(&session);
    Ok(latest)
}

struct GetWorkflow<M, V> {
    get: V,
    model: PhantomData<fn() -> M>,
}

impl<M: Resource, V: Verb<M>> Workflow for GetWorkflow<M, V> {
    fn name(&self) -> &'static str {
        "get"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let output: Outcome = Box::new(self.get.run(context).await?);
            Ok(Box::new(model_in::<M>(output)) as Outcome)
        })
    }
}

impl<M: Resource> IntoFuture for Waiter<M> {
    type Output = Result<M>;
    type IntoFuture = BoxFuture<'static, Result<M>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<M: Resource> std::fmt::Debug for Waiter<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Waiter")
            .field("max_polls", &self.max_polls)
            .field("interval", &self.interval)
            .finish_non_exhaustive()
    }
}
