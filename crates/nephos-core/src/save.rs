//! Saving a model, waiting for a state, and errors of kinds that cannot be saved or deleted.

use crate::{
    BoxFuture, Change, Error, ErrorKind, FieldSet, ManagerCall, Outcome, Preview, QueryFuture, Resource,
    Result, Session, Slot, Text, Value, Workflow, WorkflowContext, dynamic,
    from_model::fill_for_model,
    identity,
    operation::{self, AnyOutput},
    plan, projection,
    record::{self, Fields},
    resource::no_session,
    shape::{Effect, KindShape, OperationShape, Presence, RecordShape},
    transport::wait,
};
use std::{any::Any, future::IntoFuture, marker::PhantomData, sync::Arc, time::Duration};

/// A kind whose manager has a call `create`.
pub trait HasCreate: Resource {
    /// Parameters of the call.
    type Create: ManagerCall;
}

/// A kind whose manager has a call `update`.
pub trait HasUpdate: Resource {
    /// Parameters of the call.
    type Update: ManagerCall;
}

/// A call of an operation that the kind does not have. It fails when it runs.
#[must_use = "a call runs when it is awaited or waited for"]
#[derive(Clone, Debug)]
pub struct UnsupportedCall(Error);

impl UnsupportedCall {
    /// Prepares the error for `verb` on a kind that does not have it.
    pub fn new<M: Resource>(verb: &str) -> Self {
        Self(unsupported_error(M::KIND, verb, ErrorKind::Unsupported))
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

/// Error for a kind that does not have `verb`.
pub(crate) fn unsupported_error(kind: &KindShape, verb: &str, error: ErrorKind) -> Error {
    let name = kind.name;
    if kind.frozen {
        Error::new(ErrorKind::Frozen, format!("{name} is read-only, so it cannot {verb} itself"))
    } else {
        Error::new(error, format!("{name} cannot {verb} itself"))
    }
}

/// Change of the parameters of a call.
type Adjustment = Box<dyn FnOnce(&mut dyn Fields) + Send>;

/// Removes the type from a change of parameters.
fn adjustment<O: ManagerCall>(adjust: impl FnOnce(O) -> O + Send + 'static) -> Adjustment {
    Box::new(|params| {
        let params: &mut dyn Any = params;
        if let Some(params) = params.downcast_mut::<O>() {
            *params = adjust(std::mem::replace(params, O::blank()));
        }
    })
}

/// A save of a model, being prepared.
#[must_use = "a model is saved when this is awaited or waited for"]
pub struct Save<'m, M: Resource> {
    model: &'m mut M,
    set: Vec<(Text, Value)>,
    creating: Option<Adjustment>,
    updating: Option<Adjustment>,
}

impl<M: HasCreate> Save<'_, M> {
    /// Sets parameters in case the resource is created: `.creating(|create| create.tags(…))`.
    pub fn creating(mut self, adjust: impl FnOnce(M::Create) -> M::Create + Send + 'static) -> Self {
        self.creating = Some(adjustment(adjust));
        self
    }
}

impl<M: HasUpdate> Save<'_, M> {
    /// Sets parameters in case the resource is updated: `.updating(|update| update.apply_immediately(true))`.
    pub fn updating(mut self, adjust: impl FnOnce(M::Update) -> M::Update + Send + 'static) -> Self {
        self.updating = Some(adjustment(adjust));
        self
    }
}

impl<'m, M: Resource> Save<'m, M> {
    pub(crate) fn new(model: &'m mut M) -> Self {
        Self { model, set: Vec::new(), creating: None, updating: None }
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
            let prepared = PreparedSave::new(&*self.model, self.creating, self.updating, &self.set)?;
            let mut answer = self.model.clone();
            let changes = prepared.preview(&mut answer).await?;
            Ok(Preview { answer, changes })
        })
    }

    async fn run(self) -> Result<()> {
        let Self { model, set, creating, updating } = self;
        PreparedSave::new(&*model, creating, updating, &set)?.run(model).await
    }
}

/// A save whose parameters are built.
pub(crate) struct PreparedSave {
    session: Session,
    /// Name of the operation.
    name: &'static str,
    workflow: Arc<dyn Workflow>,
}

impl PreparedSave {
    /// Builds the parameters of create or update, with the changes for the one that it is and with those in `set`.
    pub(crate) fn new(
        model: &dyn Fields,
        creating: Option<Adjustment>,
        updating: Option<Adjustment>,
        set: &[(Text, Value)],
    ) -> Result<Self> {
        let kind = model.kind().ok_or_else(|| Error::new(ErrorKind::Internal, "only models are saved"))?;
        if kind.frozen {
            return Err(unsupported_error(kind, "save", ErrorKind::Frozen));
        }
        let session = model.slot().and_then(Slot::session).ok_or_else(|| no_session(kind))?.clone();
        let is_update = identity::is_saved(model);
        let (call, adjust) = if is_update {
            let call = kind.call("update");
            (call.ok_or_else(|| unsupported_error(kind, "update", ErrorKind::NotUpdatable))?, updating)
        } else {
            // Settings that every account has are not created.
            let call = kind.call("create").or_else(|| kind.call("update"));
            (call.ok_or_else(|| unsupported_error(kind, "create", ErrorKind::Unsupported))?, creating)
        };
        let name = if is_update { "update" } else { "create" };
        let refused = |error: Error| operation::with_service_code((kind.service)(), error).during(name);
        let params = save_params(model, call, is_update, adjust, set).map_err(refused)?;
        let workflow = SaveWorkflow { call, params, model: model.boxed_clone() };
        Ok(Self { session, name, workflow: Arc::new(workflow) })
    }

    /// Saves, and copies what the service returned into `model`.
    pub(crate) async fn run(self, model: &mut dyn Fields) -> Result<()> {
        let outcome = self.session.transport().run(&self.session, self.workflow).await;
        apply_outcome(model, outcome.map_err(|error| error.during(self.name))?, &self.session)
    }

    /// Saves, rolls that back, and returns the rows that it would change. `model` becomes what it would be.
    pub(crate) async fn preview(self, model: &mut dyn Fields) -> Result<Vec<Change>> {
        let preview = self.session.transport().preview(&self.session, self.workflow).await;
        let (outcome, changes) = preview.map_err(|error| error.during(self.name))?;
        apply_outcome(model, outcome, &self.session)?;
        Ok(changes)
    }
}

/// Copies the outcome of a save into the model.
fn apply_outcome(model: &mut dyn Fields, outcome: Outcome, session: &Session) -> Result<()> {
    let latest: Option<Box<dyn Fields>> = operation::downcast(outcome)?;
    if let Some(mut latest) = latest {
        operation::attach_record(&mut *latest, session);
        merge_latest(model, &mut *latest);
    }
    if let Some(slot) = model.slot_mut() {
        slot.settle();
    }
    Ok(())
}

/// Builds the parameters of the call that saves `model`.
fn save_params(
    model: &dyn Fields,
    call: &'static OperationShape,
    is_update: bool,
    adjust: Option<Adjustment>,
    set: &[(Text, Value)],
) -> Result<Box<dyn Fields>> {
    let mut params = dynamic::blank_params(call);
    // Parameters that are set beside the model need not be in it.
    let given: Vec<_> = set.iter().map(|(name, _)| name.as_str()).collect();
    fill_for_model(&mut *params, call, model, &given)?;
    if !is_update && plan::given_model(&*params).is_none() {
        // The call takes fields instead of the model.
        let given = given.iter().filter_map(|name| params.shape().field(name)).map(|(index, _)| index);
        let given = given.collect();
        projection::fill_from_model(&mut *params, model, given)?;
    }
    if let Some(adjust) = adjust {
        adjust(&mut *params);
    }
    for (name, value) in set {
        operation::set_parameter(&mut *params, call, name, value)?;
    }
    record::check(&*params)?;
    Ok(params)
}

/// Copies the fields of `latest` into the model. What the caller set keeps its value if the service does not return it; what the
/// service had returned before is gone.
fn merge_latest(model: &mut dyn Fields, latest: &mut dyn Fields) {
    let mut given = FieldSet::NONE;
    let known = model.slot().filter(|slot| slot.is_from_service()).map(Slot::changed);
    for (index, field) in model.shape().fields.iter().enumerate() {
        let returned = !latest.field(index).view().is_null();
        let was_returned = known.is_some_and(|changed| !changed.contains(index));
        if returned || was_returned || field.presence == Presence::ServiceSet {
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
struct SaveWorkflow {
    call: &'static OperationShape,
    params: Box<dyn Fields>,
    model: Box<dyn Fields>,
}

impl Workflow for SaveWorkflow {
    fn name(&self) -> &'static str {
        self.call.name
    }

    fn effect(&self) -> Effect {
        Effect::Write
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let shape = self.model.shape();
            let mut latest = model_in(shape, plan::run(self.call, &*self.params, context).await?);
            if latest.is_none()
                && let Some(get) = self.model.kind().and_then(|kind| kind.call("get"))
            {
                let params = get_params(get, &*self.model)?;
                latest = model_in(shape, plan::run(get, &*params, context).await?);
            }
            Ok(Box::new(latest) as Outcome)
        })
    }
}

/// Builds the parameters of the call that gets `model`.
fn get_params(get: &'static OperationShape, model: &dyn Fields) -> Result<Box<dyn Fields>> {
    let mut params = dynamic::blank_params(get);
    fill_for_model(&mut *params, get, model, &[])?;
    Ok(params)
}

/// Extracts the model of this shape from the answer of a call, if it has one: alone, optional, or in a list.
fn model_in(shape: &RecordShape, output: AnyOutput) -> Option<Box<dyn Fields>> {
    let mut found = None;
    output?.each_record(&mut |record| {
        if found.is_none() && std::ptr::eq(record.shape(), shape) {
            found = Some(record.boxed_clone());
        }
    });
    found
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
    model.require_session()?;
    let latest = fetch_latest_any(model).await?;
    Ok(latest.and_then(|latest| (latest as Box<dyn Any>).downcast().ok().map(|latest| *latest)))
}

/// Gets the model from the service, without its type; none if it no longer exists.
pub(crate) async fn fetch_latest_any(model: &dyn Fields) -> Result<Option<Box<dyn Fields>>> {
    let (Some(kind), Some(session)) = (model.kind(), model.slot().and_then(Slot::session)) else {
        return Ok(None);
    };
    let missing = || Error::new(ErrorKind::Unsupported, format!("{} has no call get", kind.name));
    let get = kind.call("get").ok_or_else(missing)?;
    let params = get_params(get, model)?;
    let session = session.clone();
    let outcome = session.transport().run(&session, Arc::new(GetWorkflow { get, params })).await?;
    let Some(mut found) = operation::downcast::<AnyOutput>(outcome)? else { return Ok(None) };
    operation::attach(&mut *found, &session);
    let mut latest = None;
    found.each_record(&mut |model| latest = Some(model.boxed_clone()));
    Ok(latest)
}

struct GetWorkflow {
    get: &'static OperationShape,
    params: Box<dyn Fields>,
}

impl Workflow for GetWorkflow {
    fn name(&self) -> &'static str {
        "get"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move { Ok(Box::new(plan::run(self.get, &*self.params, context).await?) as Outcome) })
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
