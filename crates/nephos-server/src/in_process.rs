//! Answers to requests of the same process, without a socket.

use crate::{
    Limits, fallback,
    front::{Call, Client, Front, Reply},
    paths, service_front,
};
use bytes::Bytes;
use http_body_util::BodyExt;
use nephos::{Error, ErrorKind, REGISTRY, Result, Text};
use nephos_wire::{HttpRequest, HttpResponse, sigv4::SignatureParts};
use std::{
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
};

/// A server without a socket: it answers the requests of its own process, by the same steps as those of a connection.
#[derive(Clone, Debug)]
pub struct InProcess {
    front: Arc<Front>,
    limits: Limits,
}

impl InProcess {
    pub(crate) fn new(front: Front, limits: Limits) -> Self {
        Self { front: Arc::new(front), limits }
    }

    /// Returns the response to a request, and blocks this thread until it is there; none for a request to a service that is not
    /// here. `account` is the account of callers whose access key is not known; by default, the default account.
    pub fn answer(&self, mut message: HttpRequest, account: Option<&str>) -> Option<HttpResponse> {
        if is_for_another_service(&message) {
            return None;
        }
        let body = std::mem::take(message.body_mut());
        let client = Client {
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            is_encrypted: false,
            account: account.map(Text::from),
        };
        let call = self.front.begin(client, Box::new(message));
        let reply = match self.admit(&call, &body) {
            Ok(()) => nephos_core::wait(self.front.answer(call, body)),
            Err(error) => self.front.reject(call, &error),
        };
        Some(whole(reply))
    }

    fn admit(&self, call: &Call, body: &Bytes) -> Result<()> {
        let path = call.request.message.uri().path();
        if service_front::find(&self.front.cloud, path).is_some() && !call.is_preflight() {
            let message = format!("requests to {path} need a server: nephos serve");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        let admission = self.front.admit(call, !body.is_empty(), self.limits.body_bytes)?;
        if body.len() > admission.max_body {
            return Err(admission.too_large());
        }
        Ok(())
    }
}

/// True if a server with a fallback endpoint would forward the request.
fn is_for_another_service(message: &HttpRequest) -> bool {
    let parts = SignatureParts::from_request(message);
    let signed_for = parts.as_ref().ok().map(|parts| parts.scope.service.as_str());
    nephos_wire::route(&REGISTRY, message, signed_for).is_err()
        && !paths::mentions_control(message.uri().path())
        && !fallback::is_known_service(message, signed_for)
}

/// Returns a response with its whole body.
fn whole(reply: Reply) -> HttpResponse {
    let (head, body) = reply.into_parts();
    // Without a fallback endpoint and fronts of services, a body is never a stream that can fail.
    let body = nephos_core::wait(body.collect()).map(|body| body.to_bytes()).unwrap_or_default();
    HttpResponse::from_parts(head, body)
}
