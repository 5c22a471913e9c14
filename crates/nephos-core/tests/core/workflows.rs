//! Workflows and transports that do not follow the protocol between them.

use crate::toys::{
    Toy, garden,
    shelf::{Book, DescribeBooks, PutBook},
};
use nephos_core::{
    BoxFuture, Error, ErrorKind, Execution, NextStep, Outcome, Resource, Result, Session, Transport,
    Workflow, WorkflowContext, shape::Effect, wait,
};
use std::{
    future::{Future, pending, poll_fn},
    sync::{Arc, mpsc},
    task::Poll,
    time::Duration,
};

fn book(title: &str) -> Book {
    Book::builder().title(title).build().unwrap()
}

type Make = fn(&WorkflowContext) -> BoxFuture<'_, Result<Outcome>>;

/// A workflow that is written in a test.
struct TestWorkflow(Make);

impl Workflow for TestWorkflow {
    fn name(&self) -> &'static str {
        "test"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        (self.0)(context)
    }
}

fn run(session: &Session, workflow: Make) -> Result<Outcome> {
    wait(session.transport().run(session, Arc::new(TestWorkflow(workflow))))
}

#[test]
fn workflow_that_awaits_a_foreign_future_fails() {
    let (session, toy) = Toy::with_books(1);
    let endless = run(&session, |_| Box::pin(pending())).unwrap_err();
    assert_eq!(endless.kind(), ErrorKind::Internal);
    let midway = run(&session, |context| {
        Box::pin(async {
            context.call(DescribeBooks::new()).await?;
            pending().await
        })
    });
    assert_eq!(midway.unwrap_err().kind(), ErrorKind::Internal);
    assert_eq!(toy.requests(), 1);
    let two_at_once = run(&session, |context| {
        Box::pin(async {
            let mut a = Box::pin(context.call(DescribeBooks::new()));
            let mut b = Box::pin(context.call(DescribeBooks::new()));
            poll_fn(|cx| match (a.as_mut().poll(cx), b.as_mut().poll(cx)) {
                (Poll::Ready(_), Poll::Ready(_)) => Poll::Ready(()),
                _ => Poll::Pending,
            })
            .await;
            Ok(Box::new(()) as Outcome)
        })
    });
    assert_eq!(two_at_once.unwrap_err().kind(), ErrorKind::Internal);
}

#[test]
fn execution_returns_requests_and_takes_answers() {
    let (session, _toy) = Toy::session();
    let workflow = TestWorkflow(|context| {
        Box::pin(async {
            let found = context.call(DescribeBooks::new().prefix("ru")).await;
            Ok(Box::new(found.unwrap_err().kind()) as Outcome)
        })
    });
    let mut execution = Execution::start(Arc::new(workflow), &session);
    let NextStep::Call(request) = execution.next_step() else {
        panic!("the workflow must call an operation first")
    };
    assert_eq!((request.service.name, request.operation.name), ("shelf", "DescribeBooks"));
    assert_eq!((request.blank)().shape().name, "Books");
    assert_eq!(format!("{request:?}"), r#"shelf.DescribeBooks DescribeBooks { prefix: "ru" }"#);
    execution.answer(Err(Error::new(ErrorKind::Denied, "no")));
    let NextStep::Done(Ok(outcome)) = execution.next_step() else { panic!("the workflow must be done") };
    assert_eq!(*outcome.downcast::<ErrorKind>().unwrap(), ErrorKind::Denied);

    let mut unanswered =
        Execution::start(Arc::new(TestWorkflow(|context| Box::pin(put_book(context)))), &session);
    assert!(matches!(unanswered.next_step(), NextStep::Call(_)));
    let NextStep::Done(Err(error)) = unanswered.next_step() else { panic!("without an answer it must fail") };
    assert_eq!(error.kind(), ErrorKind::Internal);
}

async fn put_book(context: &WorkflowContext) -> Result<Outcome> {
    context.call(PutBook::new(book("x"))).await.map(|_| Box::new(()) as Outcome)
}

/// A transport that answers every step, or the whole workflow, with a wrong type.
struct WrongTypeTransport {
    in_steps: bool,
}

impl Transport for WrongTypeTransport {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let mut execution = Execution::start(workflow, session);
        let outcome = loop {
            match execution.next_step() {
                NextStep::Call(_) if self.in_steps => execution.answer(Ok(Box::new(garden::Empty {}))),
                NextStep::Call(_) => break Ok(Box::new("nonsense") as Outcome),
                NextStep::Done(outcome) => break outcome,
            }
        };
        Box::pin(async { outcome })
    }

    fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

#[test]
fn answer_of_a_wrong_type_is_an_internal_error() {
    for in_steps in [true, false] {
        let session = Session::new(Arc::new(WrongTypeTransport { in_steps }));
        let objects = Book::objects(&session);
        assert_eq!(objects.get("x").wait().unwrap_err().kind(), ErrorKind::Internal);
        assert_eq!(objects.list().results().all().wait().unwrap_err().kind(), ErrorKind::Internal);
        let mut x = book("x");
        x.set_session(session);
        assert_eq!(x.save().wait().unwrap_err().kind(), ErrorKind::Internal);
    }
}

#[test]
fn nested_wait_loses_no_wake_up() {
    // On a separate thread, because a failure would block forever.
    let (done, woken) = mpsc::channel();
    std::thread::spawn(move || {
        let mut polled = false;
        wait(poll_fn(|outer| {
            if std::mem::replace(&mut polled, true) {
                return Poll::Ready(());
            }
            let mut inner_polled = false;
            wait(poll_fn(|inner| {
                if std::mem::replace(&mut inner_polled, true) {
                    return Poll::Ready(());
                }
                outer.waker().wake_by_ref();
                inner.waker().wake_by_ref();
                Poll::Pending
            }));
            Poll::Pending
        }));
        done.send(()).unwrap();
    });
    woken.recv_timeout(Duration::from_secs(600)).expect("both waits are woken");
}
