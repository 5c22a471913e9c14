//! Operations: parameter records that can be carried out.

use crate::{
    Asked, BoxFuture, Change, Error, FieldSet, Outcome, Predicate, Record, Resource, Result, Results, Script,
    Session, Steps, Text, Value,
    datum::{Datum, DatumType},
    fill::{self, Reader},
    record::{self, Fields},
    shape::{Effect, OperationShape, Presence, RecordShape, ServiceShape, Type},
    transport::wait,
};
use std::{future::Future, sync::Arc};

/// An operation: its fields are its parameters.
pub trait Operation: Record {
    /// What it answers.
    type Output: Send + 'static;

    /// Its description.
    const OPERATION: &'static OperationShape;

    /// The service it belongs to.
    fn service() -> &'static ServiceShape;
}

/// An operation of a service on the wire: it answers a record.
pub trait WireOperation: Operation<Output: Record> {}

impl<O: Operation<Output: Record>> WireOperation for O {}

/// An operation of a manager, told as steps of the service.
pub trait Steppable: Operation {
    /// Carries it out, asking for `steps` and waiting for nothing else. It may be run again from the start.
    fn run(&self, steps: &Steps) -> impl Future<Output = Result<Self::Output>> + Send;
}

/// An operation of a manager that lists models, a page at a time.
pub trait Listing: Operation<Output = Page<Self::Model>> {
    /// What it lists.
    type Model: Resource;

    /// One page: the one that `request` asks for.
    fn page(
        &self,
        steps: &Steps,
        request: &PageRequest,
    ) -> impl Future<Output = Result<Page<Self::Model>>> + Send;
}

/// Which page of a listing.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// The token of the page before; none for the first page.
    pub token: Option<Text>,
    /// What the results will be filtered by: a listing may use it to ask for less, never for more.
    pub filter: Predicate,
}

impl PageRequest {
    /// The first page, unfiltered.
    pub fn first() -> Self {
        Self { token: None, filter: Predicate::EVERYTHING }
    }
}

/// One page of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<M> {
    /// The models on it; there may be none on a page that others follow.
    pub items: Vec<M>,
    /// The token of the next page; none on the last.
    pub next_token: Option<Text>,
}

impl<M> Page<M> {
    /// The only page.
    pub fn only(items: Vec<M>) -> Self {
        Self { items, next_token: None }
    }
}

impl<M> Default for Page<M> {
    fn default() -> Self {
        Self::only(Vec::new())
    }
}

/// Gives the models in an operation's answer the session they came through.
pub trait Attach {
    /// Does it.
    fn attach(&mut self, session: &Session);
}

impl Attach for () {
    fn attach(&mut self, _session: &Session) {}
}

impl Attach for Text {
    fn attach(&mut self, _session: &Session) {}
}

impl<R: Record> Attach for R {
    fn attach(&mut self, session: &Session) {
        record::each_model(self, &mut |slot| {
            slot.set_session(Some(session.clone()));
            slot.settle();
        });
    }
}

impl<T: Attach> Attach for Option<T> {
    fn attach(&mut self, session: &Session) {
        self.iter_mut().for_each(|inner| inner.attach(session));
    }
}

impl<T: Attach> Attach for Vec<T> {
    fn attach(&mut self, session: &Session) {
        self.iter_mut().for_each(|inner| inner.attach(session));
    }
}

impl<M: Attach> Attach for Page<M> {
    fn attach(&mut self, session: &Session) {
        self.items.attach(session);
    }
}

/// An operation that a model can be asked to carry out on itself.
pub trait OnModel<M>: Operation {
    /// The operation on `model`, with nothing else said.
    fn on(model: &M) -> Result<Self>;
}

/// What an operation can answer.
pub trait Output {
    /// Its type, in the specification's terms; none for nothing.
    const TYPE: Option<Type>;
}

impl Output for () {
    const TYPE: Option<Type> = None;
}

impl<T: DatumType> Output for T {
    const TYPE: Option<Type> = Some(T::TYPE);
}

impl<M: DatumType> Output for Page<M> {
    const TYPE: Option<Type> = Some(Type::List(&M::TYPE));
}

/// Parameters being read from outside: remembers which were given, because a required one has no null.
#[derive(Debug)]
pub struct Params<O> {
    params: O,
    given: FieldSet,
}

impl<O: Operation> Params<O> {
    /// None given yet.
    pub fn blank() -> Self {
        Self { params: O::blank(), given: FieldSet::NONE }
    }

    /// The parameters, if every required one was given and all keep their rules.
    pub fn finish(self) -> Result<O> {
        for (index, param) in O::SHAPE.fields.iter().enumerate() {
            if param.presence == Presence::Required && !self.given.contains(index) {
                return Err(coded::<O>(Error::invalid(param.name, "is required")));
            }
        }
        record::check(&self.params).map_err(coded::<O>)?;
        Ok(self.params)
    }
}

impl<O: Operation> Fields for Params<O> {
    fn shape(&self) -> &'static RecordShape {
        O::SHAPE
    }

    fn field(&self, index: usize) -> &dyn Datum {
        self.params.field(index)
    }

    fn field_mut(&mut self, index: usize) -> &mut dyn Datum {
        self.params.field_mut(index)
    }

    fn note_given(&mut self, fields: FieldSet) {
        fields.iter().for_each(|index| self.given.insert(index));
    }
}

/// One operation of a manager being prepared: a thin skin over its parameter record.
#[must_use = "a call is carried out when it is awaited or waited for"]
#[derive(Clone, Debug)]
pub struct Call<O> {
    session: Result<Session>,
    params: Result<O>,
}

/// What a tried-out operation would do.
#[derive(Clone, Debug)]
pub struct Preview<T> {
    /// Its answer.
    pub answer: T,
    /// The rows it would change.
    pub changes: Vec<Change>,
}

impl<O: Operation> Call<O> {
    /// Prepares `params` for `session`.
    pub fn new(session: &Session, params: O) -> Self {
        Self { session: Ok(session.clone()), params: Ok(params) }
    }

    /// A call on a model: an error so far is told when the call is carried out.
    pub fn on(session: Result<Session>, params: Result<O>) -> Self {
        Self { session, params }
    }

    /// Changes the parameters.
    pub fn map(mut self, change: impl FnOnce(O) -> O) -> Self {
        self.params = self.params.map(change);
        self
    }

    /// Takes all parameters from `record`.
    pub fn with(mut self, record: O) -> Self {
        self.params = Ok(record);
        self
    }

    /// Sets a parameter by its name in the specification. A name that is none is refused with the nearest one.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params = self.params.and_then(|mut params| {
            set_parameter(&mut params, name, &value.into())?;
            Ok(params)
        });
        self
    }

    /// The session and the checked parameters.
    fn ready(self) -> Result<(Session, O)> {
        let during = |error: Error| error.during(O::OPERATION.name);
        let session = self.session.map_err(during)?;
        let params = self.params.map_err(|error| during(coded::<O>(error)))?;
        record::check(&params).map_err(|error| during(coded::<O>(error)))?;
        Ok((session, params))
    }
}

/// A refusal of a value has the code that the service would give it.
fn coded<O: Operation>(error: Error) -> Error {
    coded_by(O::service(), error)
}

/// The same, where only the service is known.
pub(crate) fn coded_by(service: &'static ServiceShape, error: Error) -> Error {
    if error.is_value_error() { error.with_code(service.invalid) } else { error }
}

/// Sets the parameter of that name; what it held before is gone, even if it was a list or a record.
pub(crate) fn set_parameter<O: Operation>(params: &mut O, name: &str, value: &Value) -> Result<()> {
    let Some((index, param)) = O::SHAPE.field(name) else { return Err(unknown_parameter::<O>(name)) };
    let mut fresh = params.field(index).fresh();
    fill::fill(&mut *fresh, value.view(), &Reader::STRICT).map_err(|error| fill::told(param, error))?;
    params.field_mut(index).take_from(&mut *fresh);
    Ok(())
}

fn unknown_parameter<O: Operation>(name: &str) -> Error {
    let hint = crate::nearest::suggest(name, O::SHAPE.fields.iter().map(|field| field.name));
    Error::invalid(name, format!("{} has no such parameter{hint}", O::OPERATION.name))
}

impl<O: Steppable<Output: Attach>> Call<O> {
    /// Carries the call out.
    pub fn run(self) -> BoxFuture<'static, Result<O::Output>> {
        Box::pin(async move {
            let (session, params) = self.ready()?;
            let outcome = session.transport().run(&session, Arc::new(Played(params))).await;
            let outcome = outcome.map_err(|error| error.during(O::OPERATION.name))?;
            finish::<O>(outcome, &session)
        })
    }

    /// Carries the call out, blocking this thread. No runtime is needed.
    pub fn wait(self) -> Result<O::Output> {
        wait(self.run())
    }

    /// Carries the call out and takes back what it changed; tells what that would have been.
    pub fn preview(self) -> Asked<'static, Preview<O::Output>> {
        Asked::new(async move {
            let (session, params) = self.ready()?;
            let tried = session.transport().preview(&session, Arc::new(Played(params))).await;
            let (outcome, changes) = tried.map_err(|error| error.during(O::OPERATION.name))?;
            Ok(Preview { answer: finish::<O>(outcome, &session)?, changes })
        })
    }
}

fn finish<O: Operation<Output: Attach>>(outcome: Outcome, session: &Session) -> Result<O::Output> {
    let mut output = downcast::<O::Output>(outcome)?;
    output.attach(session);
    Ok(output)
}

pub(crate) fn downcast<T: 'static>(outcome: Outcome) -> Result<T> {
    let why = "the transport gave back the outcome of another script";
    outcome.downcast().map(|output| *output).map_err(|_| Error::new(crate::ErrorKind::Internal, why))
}

impl<O: Listing> Call<O> {
    /// The models, fetched when they are asked for.
    pub fn results(self) -> Results<O::Model> {
        match self.ready() {
            Ok((session, params)) => Results::listing(session, Arc::new(params)),
            Err(error) => Results::failing(error),
        }
    }
}

/// A call as a script.
struct Played<O>(O);

impl<O: Steppable> Script for Played<O> {
    fn name(&self) -> &'static str {
        O::OPERATION.name
    }

    fn effect(&self) -> Effect {
        O::OPERATION.effect
    }

    fn play<'s>(&'s self, steps: &'s Steps) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let output = self.0.run(steps).await?;
            Ok(Box::new(output) as Outcome)
        })
    }
}

/// One page of a listing as a script.
pub(crate) struct Paged<O> {
    pub(crate) params: Arc<O>,
    pub(crate) request: PageRequest,
}

impl<O: Listing> Script for Paged<O> {
    fn name(&self) -> &'static str {
        O::OPERATION.name
    }

    fn effect(&self) -> Effect {
        O::OPERATION.effect
    }

    fn play<'s>(&'s self, steps: &'s Steps) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let page = self.params.page(steps, &self.request).await?;
            Ok(Box::new(page) as Outcome)
        })
    }
}

/// The parameters of an operation on a model: the required ones are taken from its fields of the same names.
pub fn from_model<O: Operation, M: Resource>(model: &M) -> Result<O> {
    let mut params = O::blank();
    for (index, param) in O::SHAPE.fields.iter().enumerate() {
        // The whole model is put in its place by the caller.
        if matches!(param.ty, Type::Record(record) if std::ptr::eq(record, M::SHAPE)) {
            continue;
        }
        let from = if param.from.is_empty() { param.name } else { param.from };
        if param.presence != Presence::Required && param.from.is_empty() {
            continue;
        }
        let value = M::SHAPE.field(from).map(|(at, _)| model.field(at).view());
        match value {
            Some(value) if !value.is_null() => {
                fill::fill(params.field_mut(index), value, &Reader::STRICT)
                    .map_err(|e| e.within(param.name))?;
            }
            _ => {
                let why =
                    format!("this {} has no {from} yet, so it cannot {}", M::KIND.name, O::OPERATION.name);
                return Err(Error::invalid(from, why));
            }
        }
    }
    Ok(params)
}
