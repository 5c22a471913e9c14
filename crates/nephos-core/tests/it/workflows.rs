//! Scripts and those who play them: what happens when either does not keep to its part.

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
struct Scripted(Make);

impl Workflow for Scripted {
    fn name(&self) -> &'static str {
        "scripted"
    }

    fn effect(&self) -> Effect {
        Effect::Read
    }

    fn run<'s>(&'s self, context: &'s WorkflowContext) -> BoxFuture<'s, Result<Outcome>> {
        (self.0)(context)
    }
}

fn run(session: &Session, workflow: Make) -> Result<Outcome> {
    wait(session.transport().run(session, Arc::new(Scripted(workflow))))
}

#[test]
fn a_script_that_waits_for_anything_but_its_steps_is_stopped() {
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
fn a_play_asks_and_waits_for_its_answer() {
    let (session, _toy) = Toy::session();
    let workflow = Scripted(|context| {
        Box::pin(async {
            let found = context.call(DescribeBooks::new().prefix("ru")).await;
            Ok(Box::new(found.unwrap_err().kind()) as Outcome)
        })
    });
    let mut play = Execution::start(Arc::new(workflow), &session);
    let NextStep::Call(request) = play.next_step() else { panic!("it asks first") };
    assert_eq!((request.service.name, request.operation.name), ("shelf", "DescribeBooks"));
    assert_eq!((request.blank)().shape().name, "Books");
    assert_eq!(format!("{request:?}"), r#"shelf.DescribeBooks DescribeBooks { prefix: "ru" }"#);
    play.answer(Err(Error::new(ErrorKind::Denied, "no")));
    let NextStep::Done(Ok(outcome)) = play.next_step() else { panic!("it is over") };
    assert_eq!(*outcome.downcast::<ErrorKind>().unwrap(), ErrorKind::Denied);

    let mut unanswered = Execution::start(Arc::new(Scripted(|context| Box::pin(ask(context)))), &session);
    assert!(matches!(unanswered.next_step(), NextStep::Call(_)));
    let NextStep::Done(Err(error)) = unanswered.next_step() else { panic!("there is nothing to go on with") };
    assert_eq!(error.kind(), ErrorKind::Internal);
}

async fn ask(context: &WorkflowContext) -> Result<Outcome> {
    context.call(PutBook::new(book("x"))).await.map(|_| Box::new(()) as Outcome)
}

/// A transport that answers every step, or the whole workflow, with something else than was asked for.
struct Liar {
    about_steps: bool,
}

impl Transport for Liar {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let mut play = Execution::start(workflow, session);
        let outcome = loop {
            match play.next_step() {
                NextStep::Call(_) if self.about_steps => play.answer(Ok(Box::new(garden::Empty {}))),
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
fn an_answer_of_another_type_is_a_fault_that_is_told() {
    for about_steps in [true, false] {
        let session = Session::new(Arc::new(Liar { about_steps }));
        let objects = Book::objects(&session);
        assert_eq!(objects.get("x").wait().unwrap_err().kind(), ErrorKind::Internal);
        assert_eq!(objects.list().results().all().wait().unwrap_err().kind(), ErrorKind::Internal);
        let mut x = book("x");
        x.set_session(session);
        assert_eq!(x.save().wait().unwrap_err().kind(), ErrorKind::Internal);
    }
}

#[test]
fn waiting_within_what_is_waited_for_loses_no_wake_up() {
    // On a thread of its own: what is tested for is that it does not hang.
    let (done, told) = mpsc::channel();
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
    told.recv_timeout(Duration::from_secs(20)).expect("both are woken");
}
