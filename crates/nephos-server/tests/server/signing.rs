//! Requests signed with the provider's own crate, which can be changed before they are sent.

use crate::served::{Answer, noon, send_with, serve};
use aws_credential_types::Credentials;
use aws_sigv4::{
    http_request::{SignableBody, SignableRequest, SignatureLocation, SigningSettings, sign},
    sign::v4,
};
use nephos::{Cloud, Ids, SignedDuration, Timestamp};
use nephos_server::{Auth, RootKey, Server};
use std::{
    net::SocketAddr,
    time::{Duration, SystemTime},
};

/// Credentials, credential scope and time of a signature.
#[derive(Clone, Debug)]
pub(crate) struct Signer {
    pub(crate) key: String,
    pub(crate) secret: String,
    pub(crate) token: Option<String>,
    pub(crate) region: &'static str,
    pub(crate) service: &'static str,
    pub(crate) time: Timestamp,
}

impl Signer {
    /// Returns a root key, and a signer with it for CloudWatch Logs in `us-east-1` at noon.
    pub(crate) fn root() -> (RootKey, Self) {
        let root = RootKey::new(&Ids::seeded(3));
        let signer = Self {
            key: root.access_key_id.to_string(),
            secret: root.secret_access_key.expose().to_owned(),
            token: None,
            region: "us-east-1",
            service: "logs",
            time: noon().now(),
        };
        (root, signer)
    }

    pub(crate) fn after(mut self, by: SignedDuration) -> Self {
        self.time = self.time.checked_add(by).unwrap();
        self
    }

    pub(crate) fn for_service(mut self, service: &'static str) -> Self {
        self.service = service;
        self
    }
}

/// Serves `cloud` at noon, with signatures verified; returns the address and the signer with the root key.
pub(crate) fn serve_strict(cloud: &Cloud) -> (SocketAddr, Signer) {
    let (root, signer) = Signer::root();
    let server = Server::new(cloud.clone()).auth(Auth::Strict).root(root).clock(noon());
    (serve(server), signer)
}

/// A request that can be changed after signing.
#[derive(Clone, Debug)]
pub(crate) struct Wire {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(method: &'static str, path: &str, body: &str) -> Self {
        Self { method, path: path.into(), headers: Vec::new(), body: body.into() }
    }

    /// Creates a request for an operation of CloudWatch Logs.
    pub(crate) fn logs(operation: &str, body: &str) -> Self {
        Self::new("POST", "/", body)
            .with("x-amz-target", &format!("Logs_20140328.{operation}"))
            .with("content-type", "application/x-amz-json-1.1")
    }

    /// Sets a header.
    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self.headers.push((name.into(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// Signs the request in a header.
    pub(crate) fn signed(self, address: SocketAddr, signer: &Signer) -> Self {
        self.sign(address, signer, SigningSettings::default())
    }

    /// Signs the request in the query string, valid for a minute.
    pub(crate) fn presigned(self, address: SocketAddr, signer: &Signer) -> Self {
        let mut settings = SigningSettings::default();
        settings.signature_location = SignatureLocation::QueryParams;
        settings.expires_in = Some(Duration::from_secs(60));
        self.sign(address, signer, settings)
    }

    fn sign(self, address: SocketAddr, signer: &Signer, settings: SigningSettings) -> Self {
        let host =
            if self.header("host").is_empty() { address.to_string() } else { self.header("host").into() };
        let wire = self.with("host", &host);
        let identity =
            Credentials::new(&signer.key, &signer.secret, signer.token.clone(), None, "tests").into();
        let seconds = u64::try_from(signer.time.as_second()).unwrap();
        let params = v4::SigningParams::builder()
            .identity(&identity)
            .region(signer.region)
            .name(signer.service)
            .time(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
            .settings(settings)
            .build()
            .unwrap()
            .into();
        let headers = wire.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let uri = format!("http://{host}{}", wire.path);
        let signable =
            SignableRequest::new(wire.method, &uri, headers, SignableBody::Bytes(&wire.body)).unwrap();
        let (instructions, _) = sign(signable, &params).unwrap().into_parts();
        let mut request = http::Request::builder().method(wire.method).uri(&uri);
        for (name, value) in &wire.headers {
            request = request.header(name, value);
        }
        let mut request = request.body(()).unwrap();
        instructions.apply_to_request_http1x(&mut request);
        let text = |value: &http::HeaderValue| value.to_str().unwrap().to_owned();
        Self {
            path: request.uri().path_and_query().unwrap().to_string(),
            headers: request.headers().iter().map(|(name, value)| (name.to_string(), text(value))).collect(),
            ..wire
        }
    }

    pub(crate) fn send(&self, address: SocketAddr) -> Answer {
        let headers: Vec<_> =
            self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        send_with(address, self.method, &self.path, &headers, &self.body)
    }
}
