//! Request handling: decodes a request, executes its operation in the cloud, and encodes the answer.

use crate::{
    auth::{Auth, Authenticator, Caller},
    control::{self, Snapshots},
    fallback::{self, Fallback},
    forks::{ForkRequest, Forks},
    log::{Log, RequestInfo, RequestStart},
    metrics::Metrics,
    origin::{self, OriginPolicy},
    outgoing::Outgoing,
    paths::{self, Receiver},
    service_front::{self, BlobBody},
};
use bytes::Bytes;
use http::HeaderValue;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use nephos::{Error, ErrorKind, Ids, Kernel, REGISTRY, RequestSource, Result, Text, Timestamp};
use nephos_core::shape::Protocol;
use nephos_wire::{
    HttpRequest, HttpResponse, Route,
    sigv4::{SignatureError, SignatureParts},
};
use std::{
    borrow::Cow,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

/// A response.
pub(crate) type Reply = http::Response<ReplyBody>;

/// Body of a response: created here, or streamed from the fallback endpoint or from a blob.
pub(crate) type ReplyBody = Either<Full<Bytes>, Either<Incoming, BlobBody>>;

/// Handler of requests.
#[derive(Debug)]
pub(crate) struct Front {
    pub(crate) cloud: Kernel,
    pub(crate) ids: Ids,
    /// Requests to functions and API destinations; none if the server sends none.
    pub(crate) outgoing: Option<Outgoing>,
    /// True if the control endpoint requires a signature with the root key: signatures are verified, or other machines can reach
    /// the server, and their requests may look like those of this one.
    pub(crate) control_needs_root: bool,
    pub(crate) authenticator: Authenticator,
    pub(crate) origins: OriginPolicy,
    pub(crate) forks: Forks,
    pub(crate) snapshots: Snapshots,
    pub(crate) log: Log,
    pub(crate) metrics: Metrics,
    pub(crate) fallback: Option<Fallback>,
    /// Timeout of the fallback endpoint.
    pub(crate) fallback_timeout: Duration,
}

/// An error, with the protocol to encode it in.
struct Refusal(Protocol, Error);

/// Client of a connection.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    /// Address of the client.
    pub(crate) address: IpAddr,
    /// True if the connection is encrypted.
    pub(crate) is_encrypted: bool,
    /// Account of a caller whose access key is not known; by default, the default account.
    pub(crate) account: Option<Text>,
}

/// A request of a client, whose body may not be read yet. It is large, and passed on often: in a box.
pub(crate) struct Call {
    pub(crate) request: ForkRequest,
    /// Parts of the signature.
    pub(crate) parts: Result<SignatureParts, SignatureError>,
    pub(crate) client: Client,
    /// Allowed origin of the page that sent the request.
    shared_with: Option<HeaderValue>,
    time: Timestamp,
    start: Option<RequestStart>,
    info: RequestInfo,
    id: Text,
}

impl Call {
    /// True for a CORS preflight request of an allowed origin.
    pub(crate) fn is_preflight(&self) -> bool {
        self.shared_with.is_some() && origin::preflight(&self.request.message).is_some()
    }
}

impl Front {
    /// Time for signatures, the log and the use of forks.
    pub(crate) fn now(&self) -> Timestamp {
        self.authenticator.clock.now()
    }

    /// Begins to answer a request, of which only the head is known.
    pub(crate) fn begin(&self, client: Client, message: Box<HttpRequest>) -> Box<Call> {
        let time = self.now();
        Box::new(Call {
            time,
            start: self.log.begin(&message),
            info: RequestInfo::default(),
            id: self.ids.uuid(),
            shared_with: self.origins.allowed_origin(&message),
            parts: SignatureParts::from_request(&message),
            request: ForkRequest::new(message),
            client,
        })
    }

    /// Answers an admitted request.
    pub(crate) async fn answer(self: &Arc<Self>, mut call: Box<Call>, body: Bytes) -> Reply {
        call.request.set_body(body);
        let response = match origin::preflight(&call.request.message).filter(|_| call.shared_with.is_some()) {
            Some(headers) => preflight_answer(headers),
            None => self.handle(&mut call).await,
        };
        self.finish(call, response)
    }

    /// Answers a request that is refused before its body is read.
    pub(crate) fn reject(&self, mut call: Box<Call>, error: &Error) -> Reply {
        call.info.code = Some(error.code().into());
        let signed_for = call.parts.as_ref().ok().map(|parts| parts.scope.service.as_str());
        let head = &call.request.message;
        if let Some(service) = service_front::find(&self.cloud, head.uri().path()) {
            let response = service_front::to_response((service.refuse)(error));
            return self.finish(call, response);
        }
        let response = match paths::receiver(head.uri().path()) {
            Receiver::Control | Receiver::Nobody => control::encode_error(error, &call.id),
            Receiver::Service => {
                let protocol = nephos_wire::protocol(&REGISTRY, head, signed_for);
                nephos_wire::encode_error(protocol, error, &call.id)
            }
        };
        self.finish(call, full_reply(response))
    }

    /// Creates the reply to a request that was lost with the thread that answered it.
    pub(crate) fn unavailable(error: &Error) -> Reply {
        full_reply(control::encode_error(error, ""))
    }

    pub(crate) fn finish(&self, call: Box<Call>, mut response: Reply) -> Reply {
        if let Some(origin) = call.shared_with {
            origin::add_cors_headers(response.headers_mut(), origin);
        }
        let duration = self.now().duration_since(call.time);
        self.metrics.count(call.info.route, call.info.code.as_ref(), duration);
        self.log.end(call.start, &call.info, response.status(), &call.id, call.time, duration);
        response
    }

    async fn handle(self: &Arc<Self>, call: &mut Call) -> Reply {
        let Call { request, parts, client, info, id, .. } = call;
        let (request, parts) = (std::mem::take(request), parts.as_ref());
        info.fork = request.fork().ok().flatten().map(Text::from);
        if request.message.uri().path().starts_with(paths::CONTROL_PREFIX) {
            let answered = self.control(client, request, parts, id).await;
            return full_reply(answered.unwrap_or_else(|error| {
                info.code = Some(error.code().into());
                control::encode_error(&error, id)
            }));
        }
        let answered = self.serve(client, request, parts, id, info).await;
        answered.unwrap_or_else(|Refusal(protocol, error)| {
            info.code = Some(error.code().into());
            full_reply(nephos_wire::encode_error(protocol, &error, id))
        })
    }

    async fn serve(
        &self,
        client: &Client,
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
            let caller =
                self.authenticator.authenticate(&self.cloud, client, request.signed_message(), parts, None);
            // A signature that is not verified here is verified by the fallback endpoint.
            if let (Auth::Strict, Err(refused)) = (self.authenticator.auth, &caller) {
                return Err(Refusal(protocol, refused.clone().into_error(protocol)));
            }
            info.caller = caller.ok();
            info.forwarded_to = Some((fallback.address().clone(), signed_for.map(Text::from)));
            let answer = fallback.forward(*request.message, self.fallback_timeout).await.map_err(refused)?;
            return Ok(answer.map(|body| Either::Right(Either::Left(body))));
        }
        // Authenticate before anything about existing resources can be learned.
        // A fork that does not exist is reported only to those who may call.
        let cloud = self.cloud_for(&request);
        let keys_of = cloud.as_ref().map_or(&self.cloud, |cloud| cloud);
        let is_unsigned = route.as_ref().is_ok_and(|route| route.operation.permission.unsigned);
        let caller = match is_unsigned {
            true => Ok(Authenticator::caller_without_signature(client, parts)),
            false => {
                self.authenticator.authenticate(keys_of, client, request.signed_message(), parts, service)
            }
        };
        let caller = caller.map_err(|refused| Refusal(protocol, refused.into_error(protocol)))?;
        let caller = info.caller.insert(caller);
        let cloud = cloud.map_err(refused)?;
        let route = route.map_err(|error| refused(fallback::name_service(error, signed_for)))?;
        if self.log.is_on() {
            info.ignored = nephos_wire::unknown_members(route, &request.message);
        }
        let source = request_source(caller, client, &request.message);
        execute(&cloud, route, source, request.message, id).await.map(full_reply).map_err(refused)
    }

    /// Returns the fallback for a request without an operation. A fork has none, because its effects could not be
    /// dropped with the fork; neither has a path that is nearly that of a fork.
    fn fallback_for(&self, request: &ForkRequest, signed_for: Option<&str>) -> Option<&Fallback> {
        let fallback = self.fallback.as_ref()?;
        let is_forwarded = matches!(request.fork(), Ok(None))
            && !paths::mentions_control(request.message.uri().path())
            && !fallback::is_known_service(&request.message, signed_for);
        is_forwarded.then_some(fallback)
    }

    /// Returns the cloud that a request is for: a fork, if it names one.
    pub(crate) fn cloud_for(&self, request: &ForkRequest) -> Result<Cow<'_, Kernel>> {
        match request.fork()? {
            Some(name) => self.forks.find(name, self.now()).map(Cow::Owned),
            None => Ok(Cow::Borrowed(&self.cloud)),
        }
    }

    async fn control(
        self: &Arc<Self>,
        client: &Client,
        request: ForkRequest,
        parts: Result<&SignatureParts, &SignatureError>,
        id: &Text,
    ) -> Result<HttpResponse> {
        let caller = self.control_caller(&request, parts)?;
        let cloud = self.cloud_for(&request)?.into_owned();
        let stop = StopOnDrop::default();
        if control::is_health(&request.message) {
            return control::answer(self, &cloud, &request.message, id, &stop.0);
        }
        let source = caller.map(|caller| request_source(&caller, client, &request.message));
        let front = self.clone();
        let id = id.clone();
        let stopped = stop.0.clone();
        // Advancing the clock or copying all rows may take a while, and must not block other requests.
        let answer = move || {
            if let Some(source) = source {
                control::check_permission(&cloud, source, &request)?;
            }
            control::answer(&front, &cloud, &request.message, &id, &stopped)
        };
        // Without a socket there is no runtime, and no other request to block.
        if tokio::runtime::Handle::try_current().is_err() {
            return answer();
        }
        let answered = tokio::task::spawn_blocking(answer).await;
        answered
            .map_err(|error| Error::new(ErrorKind::Internal, format!("the request was aborted: {error}")))?
    }

    /// Returns the caller of a control request whose policies decide; none for callers who may do all. The health check is always allowed.
    fn control_caller(
        &self,
        request: &ForkRequest,
        parts: Result<&SignatureParts, &SignatureError>,
    ) -> Result<Option<Caller>> {
        if !self.control_needs_root || control::is_health(&request.message) {
            return Ok(None);
        }
        let cloud = self.cloud_for(request);
        let keys_of = cloud.as_deref().unwrap_or(&self.cloud);
        let message = request.signed_message();
        let caller = self.authenticator.authenticate_control(keys_of, message, parts, control::SERVICE);
        caller.map_err(|refused| refused.into_error(Protocol::RestJson))
    }
}

/// Returns the source of a request of a caller.
fn request_source(caller: &Caller, client: &Client, message: &HttpRequest) -> RequestSource {
    RequestSource {
        caller: caller.caller.clone(),
        region: caller.region.clone(),
        address: Some(client.address),
        user_agent: user_agent(message),
        is_encrypted: client.is_encrypted,
    }
}

/// Stops the work for a request whose client has left: then its answer is dropped.
#[derive(Default)]
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
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
