//! Request handling: decodes a request, executes its operation in the cloud, and encodes the answer.

use crate::{
    control,
    fallback::{self, Fallback},
    forks::{Aimed, Forks},
    gate::{Auth, Caller, Gate},
    log::{Log, Seen},
    origin::{self, OriginPolicy},
};
use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use nephos::{Error, ErrorKind, Ids, Kernel, REGISTRY, Result, Text};
use nephos_core::shape::Protocol;
use nephos_wire::{
    HttpRequest, HttpResponse, Route,
    sigv4::{SignatureError, SignatureParts},
};
use std::{borrow::Cow, net::IpAddr, sync::Arc, time::Duration};

/// A response.
pub(crate) type Reply = http::Response<ReplyBody>;

/// Body of a response: created here, or streamed from the fallback endpoint.
pub(crate) type ReplyBody = Either<Full<Bytes>, Incoming>;

/// Handler of requests.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) cloud: Kernel,
    pub(crate) ids: Ids,
    pub(crate) gate: Gate,
    pub(crate) origins: OriginPolicy,
    pub(crate) forks: Forks,
    pub(crate) log: Log,
    pub(crate) fallback: Option<Fallback>,
    /// Timeout of the fallback endpoint.
    pub(crate) fallback_timeout: Duration,
}

/// An error, with the protocol to encode it in.
struct Refusal(Protocol, Error);

impl Front {
    /// Answers one request of a client at `peer`.
    pub(crate) async fn answer(self: &Arc<Self>, peer: IpAddr, message: Box<HttpRequest>) -> Reply {
        let now = || self.gate.clock.now();
        let (begun, mut seen, id) = (self.log.begin(&message, now), Seen::default(), self.ids.uuid());
        let shared_with = self.origins.allowed_origin(&message);
        let mut response = match origin::preflight(&message).filter(|_| shared_with.is_some()) {
            Some(headers) => preflight_answer(headers),
            None => self.attend(peer, message, &id, &mut seen).await,
        };
        if let Some(origin) = shared_with {
            origin::share(response.headers_mut(), origin);
        }
        self.log.end(begun, &seen, response.status(), &id, now);
        response
    }

    async fn attend(
        self: &Arc<Self>,
        peer: IpAddr,
        message: Box<HttpRequest>,
        id: &Text,
        seen: &mut Seen,
    ) -> Reply {
        let checked = self.origins.check(&message);
        let parts = SignatureParts::from_request(&message);
        let aimed = Aimed::of(message);
        if let Err(error) = checked
            && !control::is_health(&aimed.message)
        {
            seen.code = Some(error.code().into());
            return ours(self.refusal(&aimed.message, &error, id));
        }
        seen.fork = aimed.fork().ok().flatten().map(Text::from);
        if aimed.message.uri().path().starts_with(control::PREFIX) {
            let answered = self.control(peer, aimed, parts.as_ref(), id).await;
            return ours(answered.unwrap_or_else(|error| {
                seen.code = Some(error.code().into());
                control::refuse(&error, id)
            }));
        }
        let answered = self.serve(aimed, parts.as_ref(), id, seen).await;
        answered.unwrap_or_else(|Refusal(protocol, error)| {
            seen.code = Some(error.code().into());
            ours(nephos_wire::encode_error(protocol, &error, id))
        })
    }

    async fn serve(
        &self,
        aimed: Aimed,
        parts: Result<&SignatureParts, &SignatureError>,
        id: &str,
        seen: &mut Seen,
    ) -> Result<Reply, Refusal> {
        let signed_for = parts.ok().map(|parts| parts.scope.service.as_str());
        let route = nephos_wire::route(&REGISTRY, &aimed.message, signed_for);
        let (protocol, service) = match &route {
            Ok(route) => (route.service.protocol, Some(route.service.signing)),
            Err(_) => (nephos_wire::protocol(&REGISTRY, &aimed.message, signed_for), None),
        };
        seen.route = route.as_ref().ok().copied();
        let refused = |error| Refusal(protocol, error);
        if let (Err(_), Some(fallback)) = (&route, self.fallback_for(&aimed, signed_for)) {
            let caller = self.gate.admit(aimed.signed(), parts, None);
            // A signature that is not verified here is verified by the fallback endpoint.
            if let (Auth::Strict, Err(refused)) = (self.gate.auth, &caller) {
                return Err(Refusal(protocol, refused.clone().into_error(protocol)));
            }
            seen.caller = caller.ok();
            seen.passed_to = Some((fallback.address().clone(), signed_for.map(Text::from)));
            let answer = fallback.pass(*aimed.message, self.fallback_timeout).await.map_err(refused)?;
            return Ok(answer.map(Either::Right));
        }
        // Authenticate before anything about existing resources can be learned.
        let caller = self.gate.admit(aimed.signed(), parts, service);
        let caller = caller.map_err(|refused| Refusal(protocol, refused.into_error(protocol)))?;
        let caller = seen.caller.insert(caller);
        let cloud = self.cloud_for(&aimed).map_err(refused)?;
        let route = route.map_err(refused)?;
        carry_out(&cloud, route, caller, aimed.message, id).await.map(ours).map_err(refused)
    }

    /// Returns the fallback for a request without an operation. A fork has none, because its effects could not be
    /// dropped with the fork.
    fn fallback_for(&self, aimed: &Aimed, signed_for: Option<&str>) -> Option<&Fallback> {
        let fallback = self.fallback.as_ref()?;
        let leaves = matches!(aimed.fork(), Ok(None)) && !fallback::is_ours(&aimed.message, signed_for);
        leaves.then_some(fallback)
    }

    /// Returns the cloud that a request is for: a fork, if it names one.
    fn cloud_for(&self, aimed: &Aimed) -> Result<Cow<'_, Kernel>> {
        match aimed.fork()? {
            Some(name) => self.forks.find(name).map(Cow::Owned),
            None => Ok(Cow::Borrowed(&self.cloud)),
        }
    }

    async fn control(
        self: &Arc<Self>,
        peer: IpAddr,
        aimed: Aimed,
        parts: Result<&SignatureParts, &SignatureError>,
        id: &Text,
    ) -> Result<HttpResponse> {
        self.may_control(peer, &aimed, parts)?;
        let cloud = self.cloud_for(&aimed)?.into_owned();
        if control::is_health(&aimed.message) {
            return control::answer(&self.forks, &cloud, &aimed.message, id);
        }
        let (front, id) = (self.clone(), id.clone());
        // Advancing the clock or copying all rows may take a while, and must not block other requests.
        let answer = move || control::answer(&front.forks, &cloud, &aimed.message, &id);
        let answered = tokio::task::spawn_blocking(answer).await;
        answered.map_err(|error| Error::new(ErrorKind::Internal, format!("the request was aborted: {error}")))?
    }

    /// Checks that the caller may use the control endpoint: with `Auth::Strict` by a signature with the root key, with
    /// `Auth::Open` from this machine only. The health check is always allowed.
    fn may_control(
        &self,
        peer: IpAddr,
        aimed: &Aimed,
        parts: Result<&SignatureParts, &SignatureError>,
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
                let message = "the control endpoint accepts requests from this machine only";
                Err(Error::new(ErrorKind::Denied, message))
            }
            Auth::Open => Ok(()),
        }
    }

    /// Encodes an error of a request before it is routed, for the control endpoint or the service.
    fn refusal(&self, head: &HttpRequest, error: &Error, id: &str) -> HttpResponse {
        if head.uri().path().starts_with(control::PREFIX) {
            return control::refuse(error, id);
        }
        nephos_wire::encode_error(nephos_wire::protocol(&REGISTRY, head, None), error, id)
    }

    /// Answers a request of which only the head could be read.
    pub(crate) fn refuse(&self, head: &HttpRequest, error: &Error) -> Reply {
        let now = || self.gate.clock.now();
        let (begun, id) = (self.log.begin(head, now), self.ids.uuid());
        let response = self.refusal(head, error, &id);
        let seen = Seen { code: Some(error.code().into()), ..Seen::default() };
        self.log.end(begun, &seen, response.status(), &id, now);
        ours(response)
    }
}

/// Creates a reply from a complete response.
fn ours(response: HttpResponse) -> Reply {
    response.map(|body| Either::Left(Full::new(body)))
}

/// Creates the response to a preflight request, without a body.
fn preflight_answer(headers: http::HeaderMap) -> Reply {
    let mut response = ours(HttpResponse::default());
    *response.status_mut() = http::StatusCode::NO_CONTENT;
    response.headers_mut().extend(headers);
    response
}

async fn carry_out(
    cloud: &Kernel,
    route: Route,
    caller: &Caller,
    message: Box<HttpRequest>,
    id: &str,
) -> Result<HttpResponse> {
    let make = move || nephos_wire::decode_request(route, &message);
    let answer = cloud.request(&caller.account, &caller.region, route.operation.effect, make).await?;
    Ok(nephos_wire::encode_answer(route, &*answer, id))
}
