//! Request handling: decodes a request, executes its operation in the cloud, and encodes the answer.

use crate::{
    auth::{Auth, Authenticator},
    control,
    fallback::{self, Fallback},
    forks::{ForkRequest, Forks},
    log::{Log, RequestInfo},
    origin::{self, OriginPolicy},
};
use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use nephos::{Error, ErrorKind, Ids, Kernel, REGISTRY, RequestSource, Result, Text};
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
    pub(crate) authenticator: Authenticator,
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
        let now = || self.authenticator.clock.now();
        let (start, mut info, id) = (self.log.begin(&message, now), RequestInfo::default(), self.ids.uuid());
        let shared_with = self.origins.allowed_origin(&message);
        let mut response = match origin::preflight(&message).filter(|_| shared_with.is_some()) {
            Some(headers) => preflight_answer(headers),
            None => self.handle(peer, message, &id, &mut info).await,
        };
        if let Some(origin) = shared_with {
            origin::add_cors_headers(response.headers_mut(), origin);
        }
        self.log.end(start, &info, response.status(), &id, now);
        response
    }

    async fn handle(
        self: &Arc<Self>,
        peer: IpAddr,
        message: Box<HttpRequest>,
        id: &Text,
        info: &mut RequestInfo,
    ) -> Reply {
        let checked = self.origins.check(&message);
        let parts = SignatureParts::from_request(&message);
        let request = ForkRequest::new(message);
        if let Err(error) = checked
            && !control::is_health(&request.message)
        {
            info.code = Some(error.code().into());
            return full_reply(self.refusal(&request.message, &error, id));
        }
        info.fork = request.fork().ok().flatten().map(Text::from);
        if request.message.uri().path().starts_with(control::PREFIX) {
            let answered = self.control(peer, request, parts.as_ref(), id).await;
            return full_reply(answered.unwrap_or_else(|error| {
                info.code = Some(error.code().into());
                control::encode_error(&error, id)
            }));
        }
        let answered = self.serve(peer, request, parts.as_ref(), id, info).await;
        answered.unwrap_or_else(|Refusal(protocol, error)| {
            info.code = Some(error.code().into());
            full_reply(nephos_wire::encode_error(protocol, &error, id))
        })
    }

    async fn serve(
        &self,
        peer: IpAddr,
        request: ForkRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        id: &str,
        info: &mut RequestInfo,
    ) -> Result<Reply, Refusal> {
        let signed_for = parts.ok().map(|parts| parts.scope.service.as_str());
        let route = nephos_wire::route(&REGISTRY, &request.message, signed_for);
        let (protocol, service) = match &route {
            Ok(route) => (route.service.protocol, Some(route.service.signing)),
            Err(_) => (nephos_wire::protocol(&REGISTRY, &request.message, signed_for), None),
        };
        info.route = route.as_ref().ok().copied();
        let refused = |error| Refusal(protocol, error);
        if let (Err(_), Some(fallback)) = (&route, self.fallback_for(&request, signed_for)) {
            let caller = self.authenticator.authenticate(&self.cloud, request.signed_message(), parts, None);
            // A signature that is not verified here is verified by the fallback endpoint.
            if let (Auth::Strict, Err(refused)) = (self.authenticator.auth, &caller) {
                return Err(Refusal(protocol, refused.clone().into_error(protocol)));
            }
            info.caller = caller.ok();
            info.forwarded_to = Some((fallback.address().clone(), signed_for.map(Text::from)));
            let answer = fallback.forward(*request.message, self.fallback_timeout).await.map_err(refused)?;
            return Ok(answer.map(Either::Right));
        }
        // Authenticate before anything about existing resources can be learned.
        // A fork that does not exist is reported only to those who may call.
        let cloud = self.cloud_for(&request);
        let keys_of = cloud.as_ref().map_or(&self.cloud, |cloud| cloud);
        let is_unsigned = route.as_ref().is_ok_and(|route| route.operation.permission.unsigned);
        let caller = match is_unsigned {
            true => Ok(Authenticator::caller_without_signature(parts)),
            false => self.authenticator.authenticate(keys_of, request.signed_message(), parts, service),
        };
        let caller = caller.map_err(|refused| Refusal(protocol, refused.into_error(protocol)))?;
        let caller = info.caller.insert(caller);
        let cloud = cloud.map_err(refused)?;
        let route = route.map_err(refused)?;
        if self.log.is_on() {
            info.ignored = nephos_wire::unknown_members(route, &request.message);
        }
        let source = RequestSource {
            caller: caller.caller.clone(),
            region: caller.region.clone(),
            address: Some(peer),
            user_agent: user_agent(&request.message),
            is_encrypted: false,
        };
        execute(&cloud, route, source, request.message, id).await.map(full_reply).map_err(refused)
    }

    /// Returns the fallback for a request without an operation. A fork has none, because its effects could not be
    /// dropped with the fork.
    fn fallback_for(&self, request: &ForkRequest, signed_for: Option<&str>) -> Option<&Fallback> {
        let fallback = self.fallback.as_ref()?;
        let is_forwarded =
            matches!(request.fork(), Ok(None)) && !fallback::is_known_service(&request.message, signed_for);
        is_forwarded.then_some(fallback)
    }

    /// Returns the cloud that a request is for: a fork, if it names one.
    fn cloud_for(&self, request: &ForkRequest) -> Result<Cow<'_, Kernel>> {
        match request.fork()? {
            Some(name) => self.forks.find(name).map(Cow::Owned),
            None => Ok(Cow::Borrowed(&self.cloud)),
        }
    }

    async fn control(
        self: &Arc<Self>,
        peer: IpAddr,
        request: ForkRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        id: &Text,
    ) -> Result<HttpResponse> {
        self.check_control_access(peer, &request, parts)?;
        let cloud = self.cloud_for(&request)?.into_owned();
        if control::is_health(&request.message) {
            return control::answer(&self.forks, &cloud, &request.message, id);
        }
        let (front, id) = (self.clone(), id.clone());
        // Advancing the clock or copying all rows may take a while, and must not block other requests.
        let answer = move || control::answer(&front.forks, &cloud, &request.message, &id);
        let answered = tokio::task::spawn_blocking(answer).await;
        answered
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the request was aborted: {error}")))?
    }

    /// Checks that the caller may use the control endpoint: with `Auth::Strict` by a signature with the root key, with
    /// `Auth::Open` from this machine only. The health check is always allowed.
    fn check_control_access(
        &self,
        peer: IpAddr,
        request: &ForkRequest,
        parts: Result<&SignatureParts, &SignatureError>,
    ) -> Result<()> {
        let message = request.signed_message();
        if control::is_health(&request.message) {
            return Ok(());
        }
        match self.authenticator.auth {
            Auth::Strict => {
                let admitted = self.authenticator.authenticate_root(message, parts, control::SERVICE);
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
            return control::encode_error(error, id);
        }
        nephos_wire::encode_error(nephos_wire::protocol(&REGISTRY, head, None), error, id)
    }

    /// Answers a request of which only the head could be read.
    pub(crate) fn reject(&self, head: &HttpRequest, error: &Error) -> Reply {
        let now = || self.authenticator.clock.now();
        let (start, id) = (self.log.begin(head, now), self.ids.uuid());
        let response = self.refusal(head, error, &id);
        let info = RequestInfo { code: Some(error.code().into()), ..RequestInfo::default() };
        self.log.end(start, &info, response.status(), &id, now);
        full_reply(response)
    }
}

/// Creates a reply from a complete response.
fn full_reply(response: HttpResponse) -> Reply {
    response.map(|body| Either::Left(Full::new(body)))
}

/// Creates the response to a preflight request, without a body.
fn preflight_answer(headers: http::HeaderMap) -> Reply {
    let mut response = full_reply(HttpResponse::default());
    *response.status_mut() = http::StatusCode::NO_CONTENT;
    response.headers_mut().extend(headers);
    response
}

/// Returns the name of the client's software.
fn user_agent(message: &HttpRequest) -> Option<Text> {
    message.headers().get(http::header::USER_AGENT)?.to_str().ok().map(Text::from)
}

async fn execute(
    cloud: &Kernel,
    route: Route,
    source: RequestSource,
    message: Box<HttpRequest>,
    id: &str,
) -> Result<HttpResponse> {
    let make = move || nephos_wire::decode_request(route, &message);
    let answer = cloud.request(source, route.operation.effect, make).await?;
    Ok(nephos_wire::encode_answer(route, &*answer, id))
}
