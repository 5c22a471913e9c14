//! Operations: parameter records that can be executed.

use crate::{
    AnyPredicate, BoxFuture, Change, Error, FieldSet, Map, Outcome, QueryFuture, Record, Ref, Resource,
    Result, Results, Secret, Session, Text, Value, Workflow, WorkflowContext,
    field_value::{FieldType, FieldValue},
    fill::{self, Reader},
    record::{self, Fields},
    shape::{Effect, FieldShape, OperationShape, Paging, Presence, ServiceShape, Type},
    transport::wait,
};
use std::{
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

/// An operation: its fields are its parameters.
pub trait Operation: Record {
    /// Type of the answer.
    type Output: Send + 'static;

    /// Shape of the operation.
    const OPERATION: &'static OperationShape;

    /// Service that the operation belongs to.
    fn service() -> &'static ServiceShape;
}

/// An operation of a service on the wire. Its answer is a record.
pub trait WireOperation: Operation<Output: Record> {}

impl<O: Operation<Output: Record>> WireOperation for O {}

/// A call of a manager: an operation of its own, or an operation of the service that the manager offers
/// unchanged.
pub trait ManagerCall: Operation {
    /// Type of the answer of the call.
    type Answer: Send + 'static;

    /// Shape of the call.
    const CALL: &'static OperationShape;
}

/// A call of a manager that runs operations of the service as its steps.
pub trait ManagerOperation: ManagerCall {
    /// Runs the call. It awaits nothing but operations called through `context`, and may be run again from the
    /// start.
    fn run(&self, context: &WorkflowContext) -> impl Future<Output = Result<Self::Answer>> + Send;
}

/// A call of a manager that lists models, a page at a time.
pub trait Listing: ManagerCall<Answer = Page<Self::Model>> {
    /// Kind that is listed.
    type Model: Resource;

    /// Returns the page that `request` describes.
    fn page(
        &self,
        context: &WorkflowContext,
        request: &PageRequest,
    ) -> impl Future<Output = Result<Page<Self::Model>>> + Send;
}

/// A request for one page of a listing.
#[derive(Clone, Debug)]
pub struct PageRequest {
    /// Pagination token of the previous page; none for the first page.
    pub token: Option<Text>,
    /// Predicate that the results will be filtered by. A listing may use it to request fewer items, never more.
    pub filter: AnyPredicate,
}

impl PageRequest {
    /// Requests the first page, unfiltered.
    pub fn first() -> Self {
        Self { token: None, filter: AnyPredicate::EVERYTHING }
    }
}

/// One page of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<M> {
    /// Models on the page. A page that is not the last may have none.
    pub items: Vec<M>,
    /// Pagination token of the next page; none on the last page.
    pub next_token: Option<Text>,
}

impl<M> Page<M> {
    /// Makes the only page of a listing.
    pub fn only(items: Vec<M>) -> Self {
        Self { items, next_token: None }
    }
}

impl<M> Default for Page<M> {
    fn default() -> Self {
        Self::only(Vec::new())
    }
}

/// Type-erased answer of an operation; none if it has no answer.
pub type AnyOutput = Option<Box<dyn FieldValue>>;

/// Sets the session of the models in an operation's answer.
pub trait Attach {
    /// Sets the session of each model in this value.
    fn attach(&mut self, session: &Session);
}

impl Attach for () {
    fn attach(&mut self, _session: &Session) {}
}

impl Attach for Secret {
    fn attach(&mut self, _session: &Session) {}
}

impl Attach for Text {
    fn attach(&mut self, _session: &Session) {}
}

impl<R: Record> Attach for R {
    fn attach(&mut self, session: &Session) {
        record::each_model(self, &mut |model| {
            model.settle();
            if let Some(slot) = model.slot_mut() {
                slot.set_session(Some(session.clone()));
                slot.settle();
            }
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

impl<T: Attach> Attach for Map<T> {
    fn attach(&mut self, session: &Session) {
        self.values_mut().for_each(|inner| inner.attach(session));
    }
}

impl<M: Attach> Attach for Page<M> {
    fn attach(&mut self, session: &Session) {
        self.items.attach(session);
    }
}

/// An operation that a model can run on itself.
pub trait OnModel<M>: ManagerCall {
    /// Builds the operation from `model`, leaving the parameters named in `given` unset.
    fn for_model_except(model: &M, given: &[&str]) -> Result<Self>;

    /// Builds the operation from `model`.
    fn for_model(model: &M) -> Result<Self> {
        Self::for_model_except(model, &[])
    }
}

/// A type of answers.
pub trait Output {
    /// Type of the answer in terms of shapes; none if there is no answer.
    const TYPE: Option<Type>;

    /// Erases the type of the answer.
    fn erase(self) -> AnyOutput;
}

impl Output for () {
    const TYPE: Option<Type> = None;

    fn erase(self) -> AnyOutput {
        None
    }
}

impl<T: FieldType> Output for T {
    const TYPE: Option<Type> = Some(T::TYPE);

    fn erase(self) -> AnyOutput {
        Some(Box::new(self))
    }
}

impl<M: FieldType> Output for Page<M> {
    const TYPE: Option<Type> = Some(Type::List(&M::TYPE));

    fn erase(self) -> AnyOutput {
        Some(Box::new(self.items))
    }
}

/// A call of a manager being prepared: a session and a parameter record.
#[must_use = "a call runs when it is awaited or waited for"]
#[derive(Clone, Debug)]
pub struct Call<O> {
    session: Result<Session>,
    params: Result<O>,
}

/// Result of an operation that was executed and rolled back.
#[derive(Clone, Debug)]
pub struct Preview<T> {
    /// Answer of the operation.
    pub answer: T,
    /// Rows that it would change.
    pub changes: Vec<Change>,
}

impl<O: ManagerCall> Call<O> {
    /// Prepares a call with `params` in `session`.
    pub fn new(session: &Session, params: O) -> Self {
        Self { session: Ok(session.clone()), params: Ok(params) }
    }

    /// Prepares a call on a model. An error so far is returned when the call runs.
    pub fn on_model(session: Result<Session>, params: Result<O>) -> Self {
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

    /// Sets a parameter by its name in the specification. An unknown name is an error with the nearest known
    /// name.
    pub fn set(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.params = self.params.and_then(|mut params| {
            set_parameter(&mut params, O::CALL, name, &value.into())?;
            Ok(params)
        });
        self
    }

    /// Checks the parameters.
    fn checked_params(params: Result<O>) -> Result<O> {
        let refused = |error| with_service_code(O::service(), error).during(O::CALL.name);
        let params = params.map_err(refused)?;
        record::check(&params).map_err(refused)?;
        Ok(params)
    }
}

/// Gives an error about a value the service's code for it, unless it has a code of the service already.
pub(crate) fn with_service_code(service: &'static ServiceShape, error: Error) -> Error {
    let coded = service.codes.iter().any(|code| code.code == error.code());
    if error.is_value_error() && !coded { error.with_code(service.invalid) } else { error }
}

/// Sets the named parameter. The old value is replaced, even if it is a list or a record.
pub(crate) fn set_parameter(
    params: &mut dyn Fields,
    operation: &OperationShape,
    name: &str,
    value: &Value,
) -> Result<()> {
    let found = params.shape().field(name).filter(|(_, param)| !param.wire_only);
    let Some((index, param)) = found else {
        let offered = params.shape().fields.iter().filter(|param| !param.wire_only);
        let hint = crate::nearest::suggest(name, offered.map(|field| field.name));
        return Err(Error::invalid(name, format!("{} has no such parameter{hint}", operation.name)));
    };
    let mut fresh = params.field(index).fresh();
    fill::fill(&mut *fresh, value.view(), &Reader::STRICT).map_err(|error| fill::with_field(param, error))?;
    params.field_mut(index).take_from(&mut *fresh);
    Ok(())
}

/// A running call.
#[must_use = "a call runs when it is awaited or waited for"]
pub struct CallFuture<T> {
    result: BoxFuture<'static, Result<WorkflowResult>>,
    answer: fn(WorkflowResult) -> Result<T>,
}

/// Outcome of a workflow and, for a preview, the rows that it would change.
pub(crate) type WorkflowResult = (Outcome, Vec<Change>);

impl<T> Future for CallFuture<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = self.answer;
        self.result.as_mut().poll(cx).map(|result| result.and_then(answer))
    }
}

impl<T> std::fmt::Debug for CallFuture<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CallFuture")
    }
}

/// Execution or preview of a workflow.
#[derive(Clone, Copy)]
pub(crate) enum RunMode {
    Execute,
    Preview,
}

/// Runs the type-erased part of a call.
pub(crate) fn run_workflow(
    session: Result<Session>,
    workflow: Result<Arc<dyn Workflow>>,
    operation: &'static OperationShape,
    mode: RunMode,
) -> BoxFuture<'static, Result<WorkflowResult>> {
    let during = |error: Error| error.during(operation.name);
    Box::pin(async move {
        let session = session.map_err(during)?;
        let workflow = workflow?;
        let result = match mode {
            RunMode::Execute => {
                session.transport().run(&session, workflow).await.map(|outcome| (outcome, Vec::new()))
            }
            RunMode::Preview => session.transport().preview(&session, workflow).await,
        };
        result.map_err(during)
    })
}

impl<O: ManagerOperation<Answer: Attach>> Call<O> {
    fn run_in_mode(self, mode: RunMode) -> BoxFuture<'static, Result<WorkflowResult>> {
        let workflow = Self::checked_params(self.params)
            .map(|params| Arc::new(CallWorkflow(params)) as Arc<dyn Workflow>);
        run_workflow(self.session, workflow, O::CALL, mode)
    }

    /// Runs the call.
    pub fn run(self) -> CallFuture<O::Answer> {
        CallFuture { result: self.run_in_mode(RunMode::Execute), answer: |(outcome, _)| downcast(outcome) }
    }

    /// Runs the call and blocks this thread until it is done. No async runtime is needed.
    pub fn wait(self) -> Result<O::Answer> {
        wait(self.run())
    }

    /// Runs the call, rolls it back, and returns its answer with the rows that it would change.
    pub fn preview(self) -> QueryFuture<'static, Preview<O::Answer>> {
        QueryFuture::new(CallFuture {
            result: self.run_in_mode(RunMode::Preview),
            answer: |(outcome, changes)| Ok(Preview { answer: downcast(outcome)?, changes }),
        })
    }
}

impl<M: Attach + Send + 'static, O: ManagerOperation<Answer = Vec<M>>> Call<O> {
    /// Runs the call and returns the only model of its answer.
    pub fn one(self) -> QueryFuture<'static, M> {
        let answer = self.run();
        QueryFuture::new(async move {
            let mut models = answer.await?;
            match (models.pop(), models.len()) {
                (Some(model), 0) => Ok(model),
                (None, _) => {
                    let message = format!("{} returned nothing, expected one item", O::CALL.name);
                    Err(Error::new(crate::ErrorKind::NotFound, message))
                }
                (Some(_), others) => {
                    let message = format!("{} returned {} items, expected one", O::CALL.name, others + 1);
                    Err(Error::new(crate::ErrorKind::Conflict, message))
                }
            }
        })
    }
}

pub(crate) fn downcast<T: 'static>(outcome: Outcome) -> Result<T> {
    let message = "the transport returned the outcome of another workflow";
    outcome.downcast().map(|output| *output).map_err(|_| Error::new(crate::ErrorKind::Internal, message))
}

impl<O: Listing> Call<O> {
    /// Returns the models as a lazy result set: pages are fetched when they are needed.
    pub fn results(self) -> Results<O::Model> {
        match (self.session, Self::checked_params(self.params)) {
            (Ok(session), Ok(params)) => Results::listing(session, Arc::new(params)),
            (Err(error), _) => Results::failing(error.during(O::CALL.name)),
            (_, Err(error)) => Results::failing(error),
        }
    }
}

impl<O: Listing> Call<O> {
    /// Returns one page: the first without a token, else the one of the `next_token` of another page.
    pub fn page(self, token: Option<Text>) -> QueryFuture<'static, Page<O::Model>> {
        QueryFuture::new(async move {
            let params = Arc::new(Self::checked_params(self.params)?);
            let request = PageRequest { token, ..PageRequest::first() };
            let workflow: Arc<dyn Workflow> = Arc::new(PageWorkflow { params, request });
            downcast(run_workflow(self.session, Ok(workflow), O::CALL, RunMode::Execute).await?.0)
        })
    }
}

/// A call as a workflow.
pub(crate) struct CallWorkflow<O>(pub(crate) O);

impl<O: ManagerOperation<Answer: Attach>> Workflow for CallWorkflow<O> {
    fn name(&self) -> &'static str {
        O::CALL.name
    }

    fn effect(&self) -> Effect {
        O::CALL.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let mut output = self.0.run(context).await?;
            output.attach(context.session());
            Ok(Box::new(output) as Outcome)
        })
    }
}

/// One page of a listing as a workflow.
pub(crate) struct PageWorkflow<O> {
    pub(crate) params: Arc<O>,
    pub(crate) request: PageRequest,
}

impl<O: Listing> Workflow for PageWorkflow<O> {
    fn name(&self) -> &'static str {
        O::CALL.name
    }

    fn effect(&self) -> Effect {
        O::CALL.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let mut page = self.params.page(context, &self.request).await?;
            page.attach(context.session());
            Ok(Box::new(page) as Outcome)
        })
    }
}

/// Builds the parameters of an operation from a model and from the other parameters of the call. Those of the
/// call win; tags are merged key by key.
#[doc(hidden)]
pub fn beside_model<O: Operation, M: Resource>(model: &M, call: &dyn Fields) -> Result<O> {
    let mut params = O::blank();
    let mut beside = Vec::new();
    for (index, field) in call.shape().fields.iter().enumerate().filter(|(_, field)| !field.model) {
        let Some(at) = O::SHAPE.fields.iter().position(|param| param.rust_name == field.rust_name) else {
            continue;
        };
        let value = call.field(index).view();
        if !value.is_null() {
            beside.push((at, value));
        }
    }
    let given: FieldSet = beside.iter().map(|(at, _)| *at).collect();
    crate::projection::fill_from_model(&mut params, model, given)
        .map_err(|error| with_service_code(O::service(), error))?;
    let tags = M::KIND.tags.map(|tags| M::SHAPE.fields[tags].rust_name);
    for (at, value) in beside {
        let param = &O::SHAPE.fields[at];
        let merged = (tags == Some(param.rust_name)).then(|| crate::tags::merged(model, value));
        let value = merged.as_ref().map_or(value, Value::view);
        fill::fill(params.field_mut(at), value, &Reader::TRUSTED)
            .map_err(|error| error.in_field(param.name))?;
    }
    Ok(params)
}

/// Copies the tags that were sent into the models of an answer that has no tags.
#[doc(hidden)]
pub fn echo_tags(answer: &mut dyn FieldValue, sent: &dyn Fields) {
    answer.each_record(&mut |model| {
        let Some(index) = model.kind().and_then(|kind| kind.tags) else { return };
        let name = model.shape().fields[index].rust_name;
        let Some(at) = sent.shape().fields.iter().position(|param| param.rust_name == name) else { return };
        if model.field(index).view().is_null() {
            // Both are the same field of the kind.
            let _ = fill::fill(model.field_mut(index), sent.field(at).view(), &Reader::TRUSTED);
        }
    });
}

/// Checks that exactly one of the parameters named in `keys` is given.
#[doc(hidden)]
pub fn exactly_one<O: Operation>(params: &O, keys: &[&str]) -> Result<()> {
    let fields = keys.iter().filter_map(|key| O::SHAPE.field(key));
    let names: Vec<_> = fields.clone().map(|(_, field)| field.name).collect();
    let given: Vec<_> = fields.filter(|(index, _)| !params.field(*index).view().is_null()).collect();
    let message = match given.as_slice() {
        [_] => return Ok(()),
        [] => format!("{} is required", names.join(" or ")),
        _ => format!("only one of {} can be given", names.join(" and ")),
    };
    let field = given.last().map_or(names[0], |(_, field)| field.name);
    Err(Error::invalid(field, message).with_code(O::service().invalid))
}

/// Error for a field that the service should have answered with.
#[doc(hidden)]
pub fn missing_in_answer(field: &str) -> Error {
    Error::new(crate::ErrorKind::Internal, format!("the answer of the service has no {field}"))
}

/// Builds the parameters for one page of a listing. Returns none if a list of names is given and empty: the page
/// is empty, too.
#[doc(hidden)]
pub fn page_params<O: Operation>(params: &O, request: &PageRequest) -> Option<O> {
    let is_empty = |(index, field): (usize, &FieldShape)| {
        let names = matches!(field.ty, Type::List(Type::Text));
        names && matches!(params.field(index).view(), Ref::List(items) if items.is_empty())
    };
    if O::SHAPE.fields.iter().enumerate().any(is_empty) {
        return None;
    }
    let mut params = params.clone();
    let is_token = |field: &FieldShape| field.paging == Some(Paging::Token);
    if let (Some(token), Some(index)) = (&request.token, O::SHAPE.fields.iter().position(is_token)) {
        // A token is text.
        let _ = fill::fill(params.field_mut(index), Ref::Text(token), &Reader::TRUSTED);
    }
    Some(params)
}

/// Builds the parameters of an operation on a model, leaving those in `given` unset. Required ones are taken from
/// the model's fields of the same names; `put_model` stores the model itself in the parameters that take it.
#[doc(hidden)]
pub fn from_model<O: ManagerCall, M: Resource>(
    model: &M,
    given: &[&str],
    put_model: impl FnOnce(&mut O),
) -> Result<O> {
    let mut params = O::blank();
    fill_required_parameters(&mut params, O::CALL, model, given)?;
    put_model(&mut params);
    Ok(params)
}

fn fill_required_parameters(
    params: &mut dyn Fields,
    operation: &OperationShape,
    model: &dyn Fields,
    given: &[&str],
) -> Result<()> {
    let given: FieldSet =
        given.iter().filter_map(|name| params.shape().field(name)).map(|(index, _)| index).collect();
    for (index, param) in params.shape().fields.iter().enumerate() {
        if given.contains(index) {
            continue;
        }
        // The caller stores the whole model.
        if matches!(param.ty, Type::Record(record) if std::ptr::eq(record, model.shape())) {
            continue;
        }
        let from = if param.from.is_empty() { param.name } else { param.from };
        if param.presence != Presence::Required && param.from.is_empty() {
            continue;
        }
        let value = model.shape().field(from).map(|(at, _)| model.field(at).view());
        let Some(value) = value.filter(|value| !value.is_null()) else {
            if param.presence != Presence::Required {
                continue;
            }
            let name = model.shape().name;
            let message = format!("this {name} has no {from} yet, so it cannot {}", operation.name);
            return Err(Error::invalid(from, message));
        };
        fill::fill(params.field_mut(index), value, &Reader::STRICT)
            .map_err(|error| error.in_field(param.name))?;
    }
    Ok(())
}

/// Declares the record of a page: its items, and the pagination token of the next page.
///
/// ```
/// # use nephos_core::Record;
/// # /// A widget.
/// # #[derive(Record)]
/// # pub struct Widget { #[doc = "The name."] name: Option<nephos_core::Text> }
/// nephos_core::page! {
///     /// A page of widgets.
///     #[record(name = "ListWidgetsResponse")]
///     pub struct Widgets { widgets: Widget, next_token }
/// }
///
/// assert_eq!(Widgets::SHAPE.fields.len(), 2);
/// ```
#[macro_export]
macro_rules! page {
    (
        $(#[$attr:meta])*
        $vis:vis struct $name:ident {
            $(#[$of_items:meta])* $items:ident: $item:ty, $(#[$of_token:meta])* $token:ident $(,)?
        }
    ) => {
        #[derive($crate::Record)]
        #[record(answer)]
        $(#[$attr])*
        $vis struct $name {
            /// Items of the page.
            $(#[$of_items])*
            $items: ::core::option::Option<::std::vec::Vec<$item>>,
            /// Pagination token of the next page.
            $(#[$of_token])*
            $token: ::core::option::Option<$crate::Text>,
        }

        impl ::core::convert::From<(::std::vec::Vec<$item>, ::core::option::Option<$crate::Text>)> for $name {
            fn from(
                (items, token): (::std::vec::Vec<$item>, ::core::option::Option<$crate::Text>),
            ) -> Self {
                Self { $items: ::core::option::Option::Some(items), $token: token }
            }
        }
    };
}
