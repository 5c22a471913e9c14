//! Transports execute workflows: sequences of operations.
//!
//! A manager's operation is a [`Workflow`]: it calls operations of the service through [`WorkflowContext`] and
//! awaits each answer. It does not know who answers. A remote endpoint answers each step with a request; a cloud
//! in this process answers all of them inside one transaction, so that either the whole workflow happens or
//! nothing.

use crate::{
    BoxFuture, Error, ErrorKind, Map, Result, Session, Text, Value,
    operation::{self, ManagerCall, WireOperation},
    plan,
    record::{self, Fields},
    shape::{Effect, OperationShape, ServiceShape},
};
use std::{
    any::Any,
    future::Future,
    marker::PhantomData,
    mem,
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Waker},
    time::Duration,
};

/// End of the hint of an error after which a creation was taken back.
const UNDONE: &str = "what was created is deleted again";

fn add_hint(error: Error, more: &str) -> Error {
    let hint = error.hint().map_or_else(|| more.to_owned(), |hint| format!("{hint}; {more}"));
    error.with_hint(hint)
}

/// Returns the error of a workflow that failed after these operations had changed something.
fn partly_done(error: Error, done: &[&str]) -> Error {
    if done.is_empty() || error.hint().is_some_and(|hint| hint.ends_with(UNDONE)) {
        return error;
    }
    add_hint(error, &format!("already carried out: {}", done.join(", ")))
}

/// Type-erased answer of a workflow.
pub type Outcome = Box<dyn Any + Send>;

/// An executor of workflows.
pub trait Transport: Send + Sync + 'static {
    /// Runs all steps of `workflow` in `session`, in one transaction if the transport has transactions.
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>>;

    /// Runs `workflow`, rolls it back, and returns its outcome with the rows that it would change.
    fn preview(
        &self,
        _session: &Session,
        _workflow: Arc<dyn Workflow>,
    ) -> BoxFuture<'static, Result<(Outcome, Vec<Change>)>> {
        Box::pin(async { Err(Error::new(ErrorKind::Unsupported, "this endpoint does not support previews")) })
    }

    /// Sends a request to the control endpoint of a server: method, path after its prefix, and body.
    fn control(
        &self,
        _session: &Session,
        _method: &'static str,
        _path: &str,
        _body: Value,
    ) -> BoxFuture<'static, Result<Value>> {
        Box::pin(async { Err(Error::new(ErrorKind::Unsupported, "this endpoint has no control endpoint")) })
    }

    /// Waits for `duration` before the next poll.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// One row that an operation changed, or would change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Resource that the row belongs to: `log-group /web/api`.
    pub row: Text,
    /// Fields before the change; empty if the row is new.
    pub before: Map<Value>,
    /// Fields after the change; empty if the row was deleted.
    pub after: Map<Value>,
}

/// A sequence of operations of services that makes up one operation of a manager.
///
/// It may be run again from the start, so it must be a pure function of the answers it gets.
pub trait Workflow: Send + Sync + 'static {
    /// Name of the operation in errors.
    fn name(&self) -> &'static str;

    /// `Write` if any step may write.
    fn effect(&self) -> Effect;

    /// Runs the workflow. It awaits nothing but operations called through `context`.
    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>>;
}

/// A call of one operation of a service, made by a workflow.
pub struct Request {
    /// Service of the operation.
    pub service: &'static ServiceShape,
    /// Shape of the operation.
    pub operation: &'static OperationShape,
    /// Parameters: a record of the operation's type.
    pub params: Box<dyn Fields>,
    /// Makes a blank answer to be filled.
    pub blank: fn() -> Box<dyn Fields>,
    /// Error for a rule that the parameters break.
    pub broken: Option<Error>,
}

impl Request {
    /// Returns the request, unless its parameters break a rule.
    pub fn checked(mut self) -> Result<Self> {
        self.broken.take().map_or(Ok(self), Err)
    }

    /// Makes a request for `operation`.
    pub fn new<O: WireOperation>(operation: O) -> Self {
        Self {
            service: O::service(),
            operation: O::OPERATION,
            params: Box::new(operation),
            blank: || Box::new(<O::Output as crate::field_value::FieldType>::blank()),
            broken: None,
        }
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} ", self.service.name, self.operation.name)?;
        record::debug(&*self.params, f)
    }
}

/// Answer to a request: a record of the operation's output type.
pub type Answer = Result<Box<dyn Fields>>;

/// Gives a workflow its session and the operations of services.
#[derive(Clone, Debug)]
pub struct WorkflowContext {
    session: Session,
    exchange: Arc<Mutex<Exchange>>,
}

#[derive(Debug)]
enum Exchange {
    Empty,
    Requested(Request),
    Answered(HiddenAnswer),
}

/// An answer whose content is not printed.
struct HiddenAnswer(Answer);

impl std::fmt::Debug for HiddenAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_ok() { "Ok" } else { "Err" })
    }
}

impl WorkflowContext {
    /// Session of the caller.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Runs `operation` and returns its answer. Its parameters are checked first.
    pub fn call<O: WireOperation>(&self, operation: O) -> OperationFuture<'_, O::Output> {
        OperationFuture { answer: self.request(Request::new(operation)), output: PhantomData }
    }

    /// Runs an operation whose type is not known, with parameters of its type.
    pub fn call_any(
        &self,
        operation: &'static OperationShape,
        params: Box<dyn Fields>,
    ) -> impl Future<Output = Answer> + Send {
        let mut request = crate::dynamic::blank_request(operation);
        request.params = params;
        self.request(request)
    }

    fn request(&self, request: Request) -> AnswerFuture<'_> {
        AnswerFuture { context: self, operation: request.operation, request: Some(request) }
    }

    /// Runs a call of a manager as a step of this workflow.
    pub async fn run<C: ManagerCall>(&self, call: C) -> Result<C::Answer> {
        operation::restore(plan::run(C::CALL, &call, self).await?)
    }

    /// Returns the outcome of the steps that follow a creation. If they fail, `undo` deletes what was created: an endpoint has no
    /// transactions.
    pub async fn or_undo<T>(
        &self,
        steps: impl Future<Output = Result<T>> + Send,
        undo: impl WireOperation,
    ) -> Result<T> {
        match steps.await {
            Err(error) if self.call(undo).await.is_ok() => Err(add_hint(error, UNDONE)),
            outcome => outcome,
        }
    }

    /// Runs `operation`; returns none if the service answers that the resource does not exist.
    pub async fn find<O: WireOperation>(&self, operation: O) -> Result<Option<O::Output>> {
        match self.call(operation).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Makes the request at the first poll and takes its answer at a later one.
    fn poll_answer(&self, operation: &OperationShape, request: &mut Option<Request>) -> Poll<Answer> {
        let with_operation = |error: Error| error.during(operation.name);
        let mut exchange = self.exchange();
        if let Some(request) = request.take() {
            let checked = record::check(&*request.params);
            if let Err(error) = checked {
                return Poll::Ready(Err(with_operation(error.with_code(request.service.invalid))));
            }
            *exchange = Exchange::Requested(request);
            return Poll::Pending;
        }
        match mem::replace(&mut *exchange, Exchange::Empty) {
            Exchange::Answered(HiddenAnswer(answer)) => Poll::Ready(answer.map_err(with_operation)),
            other => {
                *exchange = other;
                Poll::Pending
            }
        }
    }

    fn take_exchange(&self) -> Exchange {
        mem::replace(&mut *self.exchange(), Exchange::Empty)
    }

    fn exchange(&self) -> std::sync::MutexGuard<'_, Exchange> {
        self.exchange.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A running step of a workflow.
#[must_use = "an operation runs when it is awaited"]
#[derive(Debug)]
pub struct OperationFuture<'s, T> {
    answer: AnswerFuture<'s>,
    output: PhantomData<fn() -> T>,
}

impl<T: 'static> Future for OperationFuture<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Poll::Ready(answer) = Pin::new(&mut self.answer).poll(cx) else { return Poll::Pending };
        let answer: Box<dyn Any> = answer?;
        Poll::Ready(answer.downcast().map(|answer| *answer).map_err(|_| wrong_type(self.answer.operation)))
    }
}

/// A running step of a workflow, with an answer whose type is not known.
#[derive(Debug)]
pub(crate) struct AnswerFuture<'s> {
    context: &'s WorkflowContext,
    operation: &'static OperationShape,
    request: Option<Request>,
}

impl Future for AnswerFuture<'_> {
    type Output = Answer;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { context, operation, request } = &mut *self;
        context.poll_answer(operation, request)
    }
}

fn wrong_type(operation: &OperationShape) -> Error {
    Error::new(ErrorKind::Internal, "the transport answered with another type").during(operation.name)
}

/// An execution of a workflow, step by step. Transports drive it.
pub struct Execution {
    workflow: BoxFuture<'static, Result<Outcome>>,
    context: WorkflowContext,
    /// Operation that the workflow waits for.
    called: Option<&'static OperationShape>,
    /// Names of the operations that changed something; none if they take effect only together.
    done: Option<Vec<&'static str>>,
}

/// Next step of a workflow.
#[derive(Debug)]
pub enum NextStep {
    /// The workflow calls an operation; pass the answer to [`Execution::answer`].
    Call(Request),
    /// The workflow is done.
    Done(Result<Outcome>),
}

impl Execution {
    /// Starts `workflow` in `session`.
    pub fn start(workflow: Arc<dyn Workflow>, session: &Session) -> Self {
        let context =
            WorkflowContext { session: session.clone(), exchange: Arc::new(Mutex::new(Exchange::Empty)) };
        let workflow_context = context.clone();
        let workflow = Box::pin(async move { workflow.run(&workflow_context).await });
        Self { workflow, context, called: None, done: None }
    }

    /// Starts `workflow` in `session`, of which each step takes effect by itself. Its error says what was carried out before.
    pub fn start_in_parts(workflow: Arc<dyn Workflow>, session: &Session) -> Self {
        Self { done: Some(Vec::new()), ..Self::start(workflow, session) }
    }

    /// Runs the workflow until it calls an operation or is done.
    pub fn next_step(&mut self) -> NextStep {
        let mut context = Context::from_waker(Waker::noop());
        match self.workflow.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => {
                let done = self.done.take().unwrap_or_default();
                NextStep::Done(outcome.map_err(|error| partly_done(error, &done)))
            }
            Poll::Pending => match self.context.take_exchange() {
                Exchange::Requested(request) => {
                    self.called = Some(request.operation);
                    NextStep::Call(request)
                }
                _ => NextStep::Done(Err(Error::new(
                    ErrorKind::Internal,
                    "a workflow awaited something other than an operation of its context",
                ))),
            },
        }
    }

    /// Answers the operation that the workflow called.
    pub fn answer(&mut self, answer: Answer) {
        let written = self.called.take().filter(|called| answer.is_ok() && called.effect == Effect::Write);
        if let (Some(done), Some(written)) = (&mut self.done, written) {
            done.push(written.name);
        }
        *self.context.exchange() = Exchange::Answered(HiddenAnswer(answer));
    }
}

/// Blocks this thread until `future` is ready. No async runtime is needed.
pub fn wait<T>(future: impl Future<Output = T>) -> T {
    let mut future = std::pin::pin!(future);
    let mut ready = None;
    wait_until(&mut |context| match future.as_mut().poll(context) {
        Poll::Ready(value) => {
            ready = Some(value);
            true
        }
        Poll::Pending => false,
    });
    ready.expect("wait_until returns once the value is there")
}

/// Blocks this thread until `poll` returns true, calling it again whenever it is woken.
fn wait_until(poll: &mut dyn FnMut(&mut Context<'_>) -> bool) {
    struct Unpark {
        thread: std::thread::Thread,
        /// True if this waker was called. A thread has one park token for everything that it waits for.
        woken: AtomicBool,
    }
    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.woken.store(true, Ordering::Release);
            self.thread.unpark();
        }
    }
    let unpark = Arc::new(Unpark { thread: std::thread::current(), woken: AtomicBool::new(false) });
    let waker = Waker::from(unpark.clone());
    let mut context = Context::from_waker(&waker);
    while !poll(&mut context) {
        while !unpark.woken.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
    }
}
