//! Sessions on fake endpoints, for tests.

use nephos_core::{
    BoxFuture, Execution, NextStep, Outcome, Request, Result, Session, Transport, Workflow, record::Fields,
};
use std::{sync::Arc, time::Duration};

/// Endpoint that answers each request with the function.
struct FakeEndpoint<F>(F);

impl<F: Fn(&Request) -> Box<dyn Fields> + Send + Sync + 'static> Transport for FakeEndpoint<F> {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let mut execution = Execution::start(workflow, session);
        let outcome = loop {
            match execution.next_step() {
                NextStep::Call(request) => execution.answer(Ok((self.0)(&request))),
                NextStep::Done(outcome) => break outcome,
            }
        };
        Box::pin(async { outcome })
    }

    fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// Returns a session on an endpoint that answers each request with `answer`.
pub(crate) fn session_answering(
    answer: impl Fn(&Request) -> Box<dyn Fields> + Send + Sync + 'static,
) -> Session {
    Session::new(Arc::new(FakeEndpoint(answer)))
}
