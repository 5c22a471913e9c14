//! HTTP client for signed requests, on its own runtime.

use aws_credential_types::Credentials as Signer;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SigningSettings, sign},
    sign::v4,
};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client as Hyper, connect::HttpConnector},
    rt::TokioExecutor,
};
use nephos_core::{Clock, Credentials, Error, ErrorKind, Result};
use nephos_wire::{HttpRequest, HttpResponse};
use std::{
    io,
    path::Path,
    sync::Arc,
    time::{Duration, SystemTime},
};
use tokio::runtime::{Builder, Handle, Runtime};
use tokio_rustls::rustls::{
    self, ClientConfig, RootCertStore,
    crypto::aws_lc_rs,
    pki_types::{CertificateDer, pem::PemObject},
};

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
    /// Returns a client that trusts the certificates in the file `ca_bundle`, or the usual authorities.
    pub(super) fn new(clock: Clock, timeout: Duration, ca_bundle: Option<&Path>) -> Result<Self> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| {
            transport_error(format!("cannot start the runtime for requests: {error}")).with_source(error)
        })?;
        let trusting = match ca_bundle {
            Some(file) => HttpsConnectorBuilder::new().with_tls_config(trusting_only(file)?),
            None => HttpsConnectorBuilder::new().with_webpki_roots(),
        };
        let connector = trusting.https_or_http().enable_http1().build();
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
            let response = response.map_err(|error| request_error(address, &error))?;
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

/// Service and Region that a request is signed for.
#[derive(Clone, Copy, Debug)]
pub(super) struct SigningScope<'s> {
    pub(super) service: &'s str,
    pub(super) region: &'s str,
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

/// Returns a configuration that trusts only the certificates in a PEM file.
fn trusting_only(file: &Path) -> Result<ClientConfig> {
    let invalid = |problem: &dyn std::fmt::Display| {
        Error::invalid("ca_bundle", format!("cannot use the certificates in {}: {problem}", file.display()))
    };
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| invalid(&error))? {
        let certificate = certificate.map_err(|error| invalid(&error))?;
        roots.add(certificate).map_err(|error| invalid(&error))?;
    }
    if roots.is_empty() {
        return Err(invalid(&"there is none"));
    }
    let config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| invalid(&error))?;
    Ok(config.with_root_certificates(roots).with_no_client_auth())
}

fn request_error(address: &str, error: &(dyn std::error::Error + 'static)) -> Error {
    let message = format!("request to {address} failed: {}", cause(error));
    let hint = "AWS_CA_BUNDLE names a file of certificates to trust, such as a self-signed one";
    match is_untrusted(error) {
        true => transport_error(message).with_hint(hint),
        false => transport_error(message),
    }
}

/// True if the certificate of a server was not accepted.
fn is_untrusted(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| match error.downcast_ref::<io::Error>() {
        // The source of an I/O error is not the error that it holds, but the source of that one.
        Some(error) => error.get_ref().map(|held| held as _),
        None => error.source(),
    });
    causes.any(|cause| matches!(cause.downcast_ref(), Some(rustls::Error::InvalidCertificate(_))))
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
