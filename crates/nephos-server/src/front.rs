//! The AWS front: a request becomes an operation of the cloud, and its outcome an answer.

use crate::{
    control,
    forks::{Aimed, Forks},
    gate::{Auth, Caller, Gate},
};
use nephos::{Cloud, Error, ErrorKind, Ids, REGISTRY, Result, Text};
use nephos_core::shape::Protocol;
use nephos_wire::{
    HttpRequest, HttpResponse, Route,
    sigv4::{Refused, SignatureParts},
};
use std::{net::IpAddr, sync::Arc};

/// What answers requests.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) cloud: Cloud,
    pub(crate) ids: Ids,
    pub(crate) gate: Gate,
    pub(crate) forks: Forks,
}

/// A refusal, and the protocol in which it is told.
struct Refusal(Protocol, Error);

impl Front {
    /// Answers one request of a client at `peer`.
    pub(crate) async fn answer(self: &Arc<Self>, peer: IpAddr, message: HttpRequest) -> HttpResponse {
        let id = self.ids.uuid();
        let parts = SignatureParts::of(&message);
        let aimed = Aimed::of(message);
        if aimed.message.uri().path().starts_with(control::PREFIX) {
            return self.control(peer, aimed, parts.as_ref(), id).await;
        }
        let answered = self.serve(aimed, parts.as_ref(), &id).await;
        answered.unwrap_or_else(|Refusal(protocol, error)| nephos_wire::encode_error(protocol, &error, &id))
    }

    async fn serve(
        &self,
        aimed: Aimed,
        parts: Result<&SignatureParts, &Refused>,
        id: &str,
    ) -> Result<HttpResponse, Refusal> {
        let signed_for = parts.ok().map(|parts| parts.scope.service.as_str());
        let route = nephos_wire::route(&REGISTRY, &aimed.message, signed_for);
        let (protocol, service) = match &route {
            Ok(route) => (route.service.protocol, Some(route.service.signing)),
            Err(_) => (nephos_wire::protocol(&REGISTRY, &aimed.message, signed_for), None),
        };
        // Nobody learns what there is, or is not, before it is clear who asks.
        let caller = self.gate.admit(aimed.signed(), parts, service);
        let caller = caller.map_err(|refused| Refusal(protocol, refused.into_error(protocol)))?;
        let refused = |error| Refusal(protocol, error);
        let cloud = self.cloud_for(&aimed).map_err(refused)?;
        let route = route.map_err(refused)?;
        carry_out(&cloud, route, &caller, aimed.message, id).await.map_err(refused)
    }

    /// The cloud that a request is for: a fork, if it names one.
    fn cloud_for(&self, aimed: &Aimed) -> Result<Cloud> {
        match aimed.fork()? {
            Some(name) => self.forks.find(name),
            None => Ok(self.cloud.clone()),
        }
    }

    async fn control(
        self: &Arc<Self>,
        peer: IpAddr,
        aimed: Aimed,
        parts: Result<&SignatureParts, &Refused>,
        id: Text,
    ) -> HttpResponse {
        let admitted = self.may_control(peer, &aimed, parts).and_then(|()| self.cloud_for(&aimed));
        let (front, name) = (self.clone(), id.clone());
        let answered = match admitted {
            Ok(cloud) => {
                // Moving the time or copying everything may take a while, in which others are answered.
                let answer = move || control::answer(&front.forks, &cloud, &aimed.message, &name);
                let answered = tokio::task::spawn_blocking(answer).await;
                answered.map_err(|error| Error::new(ErrorKind::Internal, format!("it ended early: {error}")))
            }
            Err(error) => Err(error),
        };
        answered.unwrap_or_else(|error| control::refuse(&error, &id))
    }

    /// Whether whoever sent `message` may use the control endpoint: where signatures are checked, with that of the root
    /// key; where they are not, from this machine. Anybody may ask for the health.
    fn may_control(
        &self,
        peer: IpAddr,
        aimed: &Aimed,
        parts: Result<&SignatureParts, &Refused>,
    ) -> Result<()> {
        let message = aimed.signed();
        if control::is_health(&aimed.message) {
            return Ok(());
        }
        match self.gate.auth {
            Auth::Strict => {
                let admitted = self.gate.admit_root(message, parts, control::SERVICE);
                admitted.map_err(|refused| refused.into_error(Protocol::RestJson))
            }
            Auth::Open if !peer.to_canonical().is_loopback() => {
                let why = "the control endpoint is for the machine that the server runs on";
                Err(Error::new(ErrorKind::Denied, why))
            }
            Auth::Open if is_from_elsewhere(message) => {
                let why = "the control endpoint is not for pages of other servers";
                Err(Error::new(ErrorKind::Denied, why))
            }
            Auth::Open => Ok(()),
        }
    }

    /// The answer to a request that could not be read.
    pub(crate) fn refuse(&self, error: &Error) -> HttpResponse {
        nephos_wire::encode_error(Protocol::RestJson, error, &self.ids.uuid())
    }
}

async fn carry_out(
    cloud: &Cloud,
    route: Route,
    caller: &Caller,
    message: HttpRequest,
    id: &str,
) -> Result<HttpResponse> {
    let session = cloud.session().with_account(&*caller.account).with_region(&*caller.region);
    let message = Arc::new(message);
    let make = move || nephos_wire::decode_request(route, &message);
    let answer = cloud.request(&session, route.operation.effect, make).await?;
    Ok(nephos_wire::encode_answer(route, &*answer, id))
}

/// Whether a browser sends `message` for the page of another server, which the user of this machine only looks at.
fn is_from_elsewhere(message: &HttpRequest) -> bool {
    let header = |name| message.headers().get(name).map(http::HeaderValue::as_bytes);
    let own = header(http::header::HOST).map(|host| [b"http://", host].concat());
    header(http::header::ORIGIN).is_some_and(|origin| Some(origin) != own.as_deref())
}
