//! Transports carry out operations; workflows say which, one after the other.
//!
//! A manager's operation is a [`Workflow`]: it asks for operations of the service through [`WorkflowContext`] and waits for each
//! answer. It does not know who answers. A remote endpoint answers each step with a request; a cloud in the process
//! answers all of them inside one transaction, so that the workflow as a whole happens or does not.

use crate::{
    BoxFuture, Error, ErrorKind, Map, Result, Session, Text, Value,
    operation::WireOperation,
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

/// What a workflow comes to.
pub type Outcome = Box<dyn Any + Send>;

/// Something that carries out operations.
pub trait Transport: Send + Sync + 'static {
    /// Plays `workflow` for `session`: all its context, and, where the transport can, all of them or none.
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>>;

    /// Plays `workflow` and takes back what it changed; tells what that would have been.
    fn preview(
        &self,
        _session: &Session,
        _workflow: Arc<dyn Workflow>,
    ) -> BoxFuture<'static, Result<(Outcome, Vec<Change>)>> {
        Box::pin(async { Err(Error::new(ErrorKind::Unsupported, "this endpoint cannot try a change out")) })
    }

    /// Lets `duration` pass before something is looked at again.
    fn pause(&self, duration: Duration) -> BoxFuture<'static, ()>;
}

/// One row that an operation changed, or would change.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// What the row belongs to: `log-group /web/api`.
    pub row: Text,
    /// What it held; empty if it is new.
    pub before: Map<Value>,
    /// What it holds now; empty if it was removed.
    pub after: Map<Value>,
}

/// Operations of services, one after the other, that make up one operation of a manager.
///
/// It may be played again from the start, so it must be a pure function of the answers it gets.
pub trait Workflow: Send + Sync + 'static {
    /// What it is called in errors.
    fn name(&self) -> &'static str;

    /// Whether any step may write.
    fn effect(&self) -> Effect;

    /// Plays it: asks for `context`, and waits for nothing else.
    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>>;
}

/// One operation of a service, asked for by a workflow.
pub struct Request {
    /// The service.
    pub service: &'static ServiceShape,
    /// The operation.
    pub operation: &'static OperationShape,
    /// Its parameters: a record of the operation's type.
    pub params: Box<dyn Fields>,
    /// Makes a blank answer to be filled.
    pub blank: fn() -> Box<dyn Fields>,
}

impl Request {
    /// A request for `operation`.
    pub fn new<O: WireOperation>(operation: O) -> Self {
        Self {
            service: O::service(),
            operation: O::OPERATION,
            params: Box::new(operation),
            blank: || Box::new(<O::Output as crate::field_value::FieldType>::blank()),
        }
    }
}

impl std::fmt::Debug for Request {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{} ", self.service.name, self.operation.name)?;
        record::debug(&*self.params, f)
    }
}

/// The answer to a step: a record of the operation's output type.
pub type Answer = Result<Box<dyn Fields>>;

/// What a workflow asks through.
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

/// An answer that can be printed without its content.
struct HiddenAnswer(Answer);

impl std::fmt::Debug for HiddenAnswer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.0.is_ok() { "Ok" } else { "Err" })
    }
}

impl WorkflowContext {
    /// The caller.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Carries out `operation` and gives back its answer. Its parameters are checked first.
    pub fn call<O: WireOperation>(&self, operation: O) -> OperationFuture<'_, O::Output> {
        let request = Request::new(operation);
        let operation = request.operation;
        OperationFuture { context: self, operation, request: Some(request), output: PhantomData }
    }

    /// The same, with nothing for an answer that there is no such thing.
    pub async fn find<O: WireOperation>(&self, operation: O) -> Result<Option<O::Output>> {
        match self.call(operation).await {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            answer => answer.map(Some),
        }
    }

    /// Asks for `request`, once, and takes its answer when it is there.
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

/// One step of a workflow, on its way.
#[must_use = "a step is taken when it is awaited"]
#[derive(Debug)]
pub struct OperationFuture<'s, T> {
    context: &'s WorkflowContext,
    operation: &'static OperationShape,
    request: Option<Request>,
    output: PhantomData<fn() -> T>,
}

impl<T: 'static> Future for OperationFuture<'_, T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Self::Output> {
        let Self { context, operation, request, .. } = &mut *self;
        let Poll::Ready(answer) = context.poll_answer(operation, request) else { return Poll::Pending };
        Poll::Ready(answer.and_then(|answer| {
            let answer: Box<dyn Any> = answer;
            answer.downcast::<T>().map(|answer| *answer).map_err(|_| wrong_type().during(operation.name))
        }))
    }
}

fn wrong_type() -> Error {
    Error::new(ErrorKind::Internal, "the transport answered with another type")
}

/// A workflow being played, one turn at a time. This is what a transport drives.
pub struct Execution {
    workflow: BoxFuture<'static, Result<Outcome>>,
    context: WorkflowContext,
}

/// What a workflow does next.
#[derive(Debug)]
pub enum NextStep {
    /// It asks for an operation; [`Execution::answer`] it.
    Call(Request),
    /// It is over.
    Done(Result<Outcome>),
}

impl Execution {
    /// Begins `workflow` for `session`.
    pub fn start(workflow: Arc<dyn Workflow>, session: &Session) -> Self {
        let context = WorkflowContext { session: session.clone(), exchange: Arc::new(Mutex::new(Exchange::Empty)) };
        let workflow_context = context.clone();
        let workflow = Box::pin(async move { workflow.run(&workflow_context).await });
        Self { workflow, context }
    }

    /// Plays on until the workflow asks for something or is over.
    pub fn next_step(&mut self) -> NextStep {
        let mut context = Context::from_waker(Waker::noop());
        match self.workflow.as_mut().poll(&mut context) {
            Poll::Ready(outcome) => NextStep::Done(outcome),
            Poll::Pending => match self.context.take_exchange() {
                Exchange::Requested(request) => NextStep::Call(request),
                _ => NextStep::Done(Err(Error::new(
                    ErrorKind::Internal,
                    "a workflow waited for something that is not one of its context",
                ))),
            },
        }
    }

    /// Answers what the workflow asked for.
    pub fn answer(&mut self, answer: Answer) {
        *self.context.exchange() = Exchange::Answered(HiddenAnswer(answer));
    }
}

/// Blocks this thread until `future` is ready. No runtime is involved.
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
    ready.expect("it waited until the value was there")
}

/// Blocks this thread until `poll` says that it is done, trying again whenever it is woken.
fn wait_until(poll: &mut dyn FnMut(&mut Context<'_>) -> bool) {
    struct Unpark {
        thread: std::thread::Thread,
        /// A thread has one wake-up for all that it waits for; who was meant is remembered here.
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
