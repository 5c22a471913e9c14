//! Sessions that encode each call as a request on the wire, and decode its answer, without a network.

use nephos::{Cloud, Result, Session};
use nephos_cloud::{Caller, Kernel, RequestSource};
use nephos_core::{Answer, BoxFuture, Execution, Ids, NextStep, Outcome, Request, Transport, Workflow};
use nephos_wire::Route;
use std::{future::ready, sync::Arc, time::Duration};

/// Starts a session of `cloud` over the wire.
pub(crate) fn session(cloud: &Cloud) -> Session {
    Session::new(Arc::new(Wire { kernel: Kernel::clone(cloud), ids: Ids::seeded(7) }))
}

struct Wire {
    kernel: Kernel,
    /// Makes idempotency tokens.
    ids: Ids,
}

impl Transport for Wire {
    fn run(&self, session: &Session, workflow: Arc<dyn Workflow>) -> BoxFuture<'static, Result<Outcome>> {
        let (kernel, ids, session) = (self.kernel.clone(), self.ids.clone(), session.clone());
        Box::pin(async move {
            let mut execution = Execution::start_in_parts(workflow, &session);
            loop {
                match execution.next_step() {
                    NextStep::Call(mut request) => {
                        nephos_wire::fill_tokens(&mut *request.params, &ids);
                        execution.answer(send(&kernel, &session, &request).await);
                    }
                    NextStep::Done(outcome) => return outcome,
                }
            }
        })
    }

    fn pause(&self, _duration: Duration) -> BoxFuture<'static, ()> {
        Box::pin(ready(()))
    }
}

async fn send(kernel: &Kernel, session: &Session, request: &Request) -> Answer {
    let route = Route { service: request.service, operation: request.operation };
    let message = nephos_wire::encode_request(request)?;
    let source = RequestSource::new(Caller::root(session.account()), session.region());
    let make = move || nephos_wire::decode_request(route, &message);
    let response = match kernel.request(source, route.operation.effect, make).await {
        Ok(answer) => nephos_wire::encode_answer(route, &*answer, "law"),
        Err(error) => nephos_wire::encode_error(route.service.protocol, &error, "law"),
    };
    nephos_wire::decode_answer(request, &response)
}
