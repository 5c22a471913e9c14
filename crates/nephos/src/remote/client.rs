//! HTTP client for signed requests, on its own runtime.

use aws_credential_types::Credentials as Signer;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_rustls::HttpsConnector;
use hyper_util::{
    client::legacy::{Client as Hyper, connect::HttpConnector},
    rt::TokioExecutor,
};
use nephos_core::{Clock, Credentials, Error, ErrorKind, Result};
use nephos_wire::{HttpRequest, HttpResponse};
use std::time::{Duration, SystemTime};
use tokio::runtime::{Builder, Handle, Runtime};

/// Maximum size of a response, in bytes.
const MAX_RESPONSE_BYTES: usize = 64 << 20;

/// The HTTP client.
pub(super) type WebClient = Hyper<HttpsConnector<HttpConnector>, Full<Bytes>>;

pub(super) struct Client {
    hyper: WebClient,
    clock: Clock,
    timeout: Duration,
    runtime: Option<Runtime>,
}

impl Client {
    pub(super) fn new(clock: Clock, timeout: Duration) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| {
            transport_error(format!("cannot start the runtime for requests: {error}")).with_source(error)
        })?;
        let roots = hyper_rustls::HttpsConnectorBuilder::new().with_webpki_roots();
        let connector = roots.https_or_http().enable_http1().build();
        let hyper = Hyper::builder(TokioExecutor::new()).build(connector);
        Ok(Self { hyper, clock, timeout, runtime: Some(runtime) })
    }

    pub(super) fn handle(&self) -> &Handle {
        self.runtime.as_ref().expect("the runtime lives until the client is dropped").handle()
    }

    /// Returns the HTTP client, for callers that sign their own requests.
    #[cfg(feature = "profiles")]
    pub(super) fn web(&self) -> WebClient {
        self.hyper.clone()
    }

    /// Blocks on a future that runs on the runtime of this client; the caller may be in another runtime.
    #[cfg(feature = "profiles")]
    pub(super) fn wait<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.handle().spawn(async move { sender.send(work.await) });
        receiver
            .recv()
            .map_err(|_| Error::new(ErrorKind::Internal, "a background task of the session ended early"))
    }

    pub(super) async fn pause(&self, duration: Duration) {
        tokio::time::sleep(duration).await;
    }

    /// Sends `message` to `address`, signed with `credentials` if there are any.
    pub(super) async fn send(
        &self,
        credentials: Option<&Credentials>,
        signing: SigningScope<'_>,
        address: &str,
        message: &HttpRequest,
    ) -> Result<HttpResponse> {
        let mut request = addressed(message, address)?;
        if let Some(credentials) = credentials {
            self.sign_request(credentials, signing, &mut request)?;
        }
        let answered = tokio::time::timeout(self.timeout, async {
            let response = self.hyper.request(request.map(Full::new)).await;
            let response = response.map_err(|error| {
                transport_error(format!("request to {address} failed: {}", cause(&error)))
            })?;
            let (head, body) = response.into_parts();
            let body = http_body_util::Limited::new(body, MAX_RESPONSE_BYTES).collect().await;
            let body = body.map_err(|error| {
                transport_error(format!("cannot read the response of {address}: {error}"))
            })?;
            Ok(HttpResponse::from_parts(head, body.to_bytes()))
        });
        answered.await.unwrap_or_else(|_| {
            Err(transport_error(format!("timed out after {:?} waiting for {address}", self.timeout)))
        })
    }

    fn sign_request(
        &self,
        credentials: &Credentials,
        signing: SigningScope<'_>,
        request: &mut HttpRequest,
    ) -> Result<()> {
        let token = credentials.session_token.as_ref().map(|token| token.expose().to_owned());
        let secret = credentials.secret_access_key.expose();
        let identity = Signer::new(credentials.access_key_id.as_str(), secret, token, None, "nephos").into();
        let signing_error = |error: &dyn std::fmt::Display| {
            Error::new(ErrorKind::Internal, format!("cannot sign the request: {error}"))
        };
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(signing.region)
            .name(signing.service)
            .time(system_time(&self.clock))
            .settings(SigningSettings::default())
            .build()
            .map_err(|error| signing_error(&error))?
            .into();
        let headers =
            request.headers().iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        let uri = request.uri().to_string();
        let body = SignableBody::Bytes(request.body());
        let signable = SignableRequest::new(request.method().as_str(), uri, headers, body)
            .map_err(|error| signing_error(&error))?;
        let (instructions, _) = sign(signable, &params).map_err(|error| signing_error(&error))?.into_parts();
        instructions.apply_to_request_http1x(request);
        Ok(())
    }
}

/// Returns `message` with the URL and the host of `address`.
fn addressed(message: &HttpRequest, address: &str) -> Result<HttpRequest> {
    let mut request = message.clone();
    let path = message.uri().path_and_query().map_or("/", |path| path.as_str());
    let uri: http::Uri = format!("{address}{path}")
        .parse()
        .map_err(|_| transport_error(format!("{address} is not a valid URL")))?;
    let host = uri.authority().map(|authority| authority.as_str().to_owned()).unwrap_or_default();
    *request.uri_mut() = uri;
    if let Ok(host) = http::HeaderValue::from_str(&host) {
        request.headers_mut().insert(http::header::HOST, host);
    }
    Ok(request)
}

/// Service and Region that a request is signed for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SigningScope<'s> {
    pub(super) service: &'s str,
    pub(super) region: &'s str,
}

/// Converts the time of the clock for the provider's crates.
pub(super) fn system_time(clock: &Clock) -> SystemTime {
    let micros = u64::try_from(clock.now().as_microsecond()).unwrap_or(0);
    SystemTime::UNIX_EPOCH + Duration::from_micros(micros)
}

impl Drop for Client {
    /// Shuts down without blocking: the last handle may be dropped within another runtime.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

fn transport_error(message: String) -> Error {
    Error::new(ErrorKind::Transport, message)
}

/// Returns the message of the innermost cause, the most specific one.
pub(super) fn cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}
