//! Operations: parameter records that can be executed.

use crate::{
    AnyPredicate, BoxFuture, Change, Error, Outcome, QueryFuture, Record, Resource, Result, Results, Session,
    Text, Value, Workflow, WorkflowContext,
    field_value::{FieldType, FieldValue},
    fill::{self, Reader},
    from_model::exactly_one,
    plan,
    record::{self, Fields},
    results::{self, Model},
    shape::{Effect, OperationShape, ServiceShape, Type},
    tags,
    transport::wait,
};
use std::{
    any::Any,
    future::Future,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

#[doc(hidden)]
pub use crate::from_model::{beside_model, echo_tags, missing_in_answer, page_params};

/// An operation: its fields are its parameters.
pub trait Operation: Record {
    /// Type of the answer.
    type Output: Send + 'static;

    /// Shape of the operation.
    const OPERATION: &'static OperationShape;

    /// Calls of managers that are made of the operation.
    const CALLS: &'static [&'static OperationShape] = &[];

    /// Service that the operation belongs to.
    fn service() -> &'static ServiceShape {
        (Self::OPERATION.service)()
    }
}

/// An operation of a service on the wire. Its answer is a record.
pub trait WireOperation: Operation<Output: Record> {}

impl<O: Operation<Output: Record>> WireOperation for O {}

/// A call of a manager: an operation of its own, or an operation of the service that the manager offers
/// unchanged.
pub trait ManagerCall: Operation {
    /// Type of the answer of the call.
    type Answer: Output;

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

/// Sets the session of each model in an answer: they are as the service returned them.
#[doc(hidden)]
pub fn attach(answer: &mut dyn FieldValue, session: &Session) {
    answer.each_record(&mut |record| attach_record(record, session));
}

/// Sets the session of each model in a record of an answer.
pub(crate) fn attach_record(record: &mut dyn Fields, session: &Session) {
    record::each_model(record, &mut |model| {
        if let Some(slot) = model.slot_mut() {
            slot.set_session(Some(session.clone()));
        }
        // Fields may be derived from the session, too.
        model.settle();
        if let Some(slot) = model.slot_mut() {
            slot.settle();
        }
    });
}

/// A type of answers.
pub trait Output: Sized + Send + 'static {
    /// Type of the answer in terms of shapes; none if there is no answer.
    const TYPE: Option<Type>;

    /// Erases the type of the answer.
    fn erase(self) -> AnyOutput;

    /// Returns the answer with its type, unless it has another one.
    fn restore(erased: AnyOutput) -> Option<Self>;
}

impl Output for () {
    const TYPE: Option<Type> = None;

    fn erase(self) -> AnyOutput {
        None
    }

    fn restore(_erased: AnyOutput) -> Option<Self> {
        Some(())
    }
}

impl<T: FieldType> Output for T {
    const TYPE: Option<Type> = Some(T::TYPE);

    fn erase(self) -> AnyOutput {
        Some(Box::new(self))
    }

    fn restore(erased: AnyOutput) -> Option<Self> {
        T::from_erased(erased)
    }
}

impl<M: FieldType> Output for Page<M> {
    const TYPE: Option<Type> = Some(Type::List(&M::TYPE));

    fn erase(self) -> AnyOutput {
        Some(Box::new(self.items))
    }

    fn restore(erased: AnyOutput) -> Option<Self> {
        Vec::restore(erased).map(Self::only)
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

    /// Removes the type of the parameters.
    fn erased(self) -> AnyCall {
        let params = self.params.map(|params| Box::new(params) as Box<dyn Fields>);
        AnyCall::checked(self.session, params, O::CALL)
    }
}

/// A call whose type is not known, with parameters that were checked.
#[must_use = "a call runs when it is awaited or waited for"]
pub struct AnyCall {
    session: Result<Session>,
    params: Result<Box<dyn Fields>>,
    call: &'static OperationShape,
}

impl AnyCall {
    /// Prepares a call, and checks its parameters. An error is returned when the call runs.
    pub(crate) fn checked(
        session: Result<Session>,
        params: Result<Box<dyn Fields>>,
        call: &'static OperationShape,
    ) -> Self {
        let checked = params.and_then(|params| check_call(&*params, call).map(|()| params));
        let refused = |error| with_service_code((call.service)(), error).during(call.name);
        Self { session, params: checked.map_err(refused), call }
    }

    /// Prepares a call with parameters that were checked before.
    pub(crate) fn new(session: &Session, params: Box<dyn Fields>, call: &'static OperationShape) -> Self {
        Self { session: Ok(session.clone()), params: Ok(params), call }
    }

    fn start(self, mode: RunMode) -> BoxFuture<'static, Result<WorkflowResult>> {
        let call = self.call;
        let workflow = self.params.map(|params| Arc::new(CallWorkflow { call, params }) as Arc<dyn Workflow>);
        run_workflow(self.session, workflow, call, mode)
    }

    /// Runs the call.
    pub fn run(self) -> BoxFuture<'static, Result<AnyOutput>> {
        let result = self.start(RunMode::Execute);
        Box::pin(async move { downcast(result.await?.0) })
    }

    /// Runs the call, rolls it back, and returns its answer with the rows that it would change.
    pub fn preview(self) -> QueryFuture<'static, Preview<AnyOutput>> {
        let result = self.start(RunMode::Preview);
        QueryFuture::new(async move {
            let (outcome, changes) = result.await?;
            Ok(Preview { answer: downcast(outcome)?, changes })
        })
    }
}

impl std::fmt::Debug for AnyCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("AnyCall").field(&self.call.name).finish()
    }
}

/// Checks the parameters of a call.
pub(crate) fn check_call(params: &dyn Fields, call: &OperationShape) -> Result<()> {
    record::check(params)?;
    if call.one_of.is_empty() { Ok(()) } else { exactly_one(params, call.one_of, (call.service)()) }
}

/// Returns an answer with its type.
pub(crate) fn restore<T: Output>(erased: AnyOutput) -> Result<T> {
    T::restore(erased).ok_or_else(|| Error::new(crate::ErrorKind::Internal, "the answer has another type"))
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
    let shape = params.shape();
    let found = shape.field(name).map(|(index, _)| index).or_else(|| tags::find_field(shape, name));
    let Some(index) = found.filter(|index| !shape.fields[*index].details.wire_only) else {
        let offered = params.shape().fields.iter().filter(|param| !param.details.wire_only);
        let hint = crate::nearest::suggest(name, offered.map(|field| field.name));
        return Err(Error::invalid(name, format!("{} has no such parameter{hint}", operation.name)));
    };
    let mut fresh = params.field(index).fresh();
    fill::fill_as(&shape.fields[index], &mut *fresh, value.view(), &Reader::STRICT)?;
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

impl<O: ManagerCall> Call<O> {
    /// Runs the call.
    pub fn run(self) -> CallFuture<O::Answer> {
        let result = self.erased().start(RunMode::Execute);
        CallFuture { result, answer: |(outcome, _)| restore(downcast(outcome)?) }
    }

    /// Runs the call and blocks this thread until it is done. No async runtime is needed.
    pub fn wait(self) -> Result<O::Answer> {
        restore(wait(self.erased().run())?)
    }

    /// Runs the call, rolls it back, and returns its answer with the rows that it would change.
    pub fn preview(self) -> QueryFuture<'static, Preview<O::Answer>> {
        let preview = self.erased().preview();
        QueryFuture::new(async move {
            let Preview { answer, changes } = preview.await?;
            Ok(Preview { answer: restore(answer)?, changes })
        })
    }
}

impl<M: FieldType, O: ManagerCall<Answer = Vec<M>>> Call<O> {
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
        let AnyCall { session, params, call } = self.erased();
        match (session, params) {
            (Ok(session), Ok(params)) => Results::listing(session, Source::new::<O>(params)),
            (Err(error), _) => Results::failing(error.during(call.name)),
            (_, Err(error)) => Results::failing(error),
        }
    }

    /// Returns one page: the first without a token, else the one of the `next_token` of another page.
    pub fn page(self, token: Option<Text>) -> QueryFuture<'static, Page<O::Model>> {
        let AnyCall { session, params, call } = self.erased();
        QueryFuture::new(async move {
            let source = Source::new::<O>(params?);
            let request = PageRequest { token, ..PageRequest::first() };
            let workflow: Arc<dyn Workflow> = Arc::new(PageWorkflow { source, request });
            let outcome = run_workflow(session, Ok(workflow), call, RunMode::Execute).await?.0;
            let Page { items, next_token } = PageWorkflow::page(outcome)?;
            Ok(Page { items: items.into_iter().map(results::owned).collect(), next_token })
        })
    }
}

/// A call as a workflow.
struct CallWorkflow {
    call: &'static OperationShape,
    params: Box<dyn Fields>,
}

impl Workflow for CallWorkflow {
    fn name(&self) -> &'static str {
        self.call.name
    }

    fn effect(&self) -> Effect {
        self.call.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let mut output = plan::run(self.call, &*self.params, context).await?;
            if let Some(answer) = &mut output {
                attach(&mut **answer, context.session());
            }
            Ok(Box::new(output) as Outcome)
        })
    }
}

/// Fetches a page of a listing with these parameters.
type FetchPage =
    for<'s> fn(&'s dyn Fields, &'s WorkflowContext, &'s PageRequest) -> BoxFuture<'s, Result<Page<Model>>>;

/// A listing whose type is not known.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) call: &'static OperationShape,
    params: Arc<dyn Fields>,
    fetch: FetchPage,
}

impl Source {
    pub(crate) fn new<O: Listing>(params: Box<dyn Fields>) -> Self {
        Self { call: O::CALL, params: params.into(), fetch: fetch_page::<O> }
    }
}

fn fetch_page<'s, O: Listing>(
    params: &'s dyn Fields,
    context: &'s WorkflowContext,
    request: &'s PageRequest,
) -> BoxFuture<'s, Result<Page<Model>>> {
    let params: &dyn Any = params;
    let params = params.downcast_ref::<O>().expect("a listing is made with its own parameters");
    Box::pin(async move {
        let Page { mut items, next_token } = params.page(context, request).await?;
        attach(&mut items, context.session());
        Ok(Page { items: items.into_iter().map(|model| Arc::new(model) as Model).collect(), next_token })
    })
}

/// One page of a listing as a workflow.
pub(crate) struct PageWorkflow {
    pub(crate) source: Source,
    pub(crate) request: PageRequest,
}

impl PageWorkflow {
    /// Returns the page of an outcome.
    pub(crate) fn page(outcome: Outcome) -> Result<Page<Model>> {
        downcast(outcome)
    }
}

impl Workflow for PageWorkflow {
    fn name(&self) -> &'static str {
        self.source.call.name
    }

    fn effect(&self) -> Effect {
        self.source.call.effect
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        Box::pin(async move {
            let page = (self.source.fetch)(&*self.source.params, context, &self.request).await?;
            Ok(Box::new(page) as Outcome)
        })
    }
}

/// Declares the record of a page: its items, the pagination token of the next page, and, if the service has one, a flag
/// that says if there is another page.
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
            $(#[$of_items:meta])* $items:ident: $item:ty, $(#[$of_token:meta])* $token:ident $(, $flag:ident)? $(,)?
        }
    ) => {
        #[derive($crate::Record)]
        #[record(answer)]
        $(#[$attr])*
        $vis struct $name {
            /// Items of the page.
            $(#[$of_items])*
            pub(crate) $items: ::core::option::Option<::std::vec::Vec<$item>>,
            /// Pagination token of the next page.
            $(#[$of_token])*
            pub(crate) $token: ::core::option::Option<$crate::Text>,
            $(
                /// True if there is another page.
                $flag: ::core::option::Option<bool>,
            )?
        }

        impl ::core::convert::From<(::std::vec::Vec<$item>, ::core::option::Option<$crate::Text>)> for $name {
            fn from(
                (items, token): (::std::vec::Vec<$item>, ::core::option::Option<$crate::Text>),
            ) -> Self {
                Self {
                    $items: ::core::option::Option::Some(items),
                    $($flag: ::core::option::Option::Some(token.is_some()),)?
                    $token: token,
                }
            }
        }
    };
}
