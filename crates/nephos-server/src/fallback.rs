//! The fallback endpoint: requests for services that are not implemented here are forwarded to it unchanged.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Uri, Version, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use nephos::{Code, Error, ErrorKind, REGISTRY, Result, Text};
use nephos_core::shape::{Protocol, ServiceShape};
use nephos_wire::{HttpRequest, explicit_port};
use std::{net::SocketAddr, time::Duration};

/// Timeout of connecting.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Error code for a fallback endpoint that does not answer.
static UNREACHABLE: Code = Code {
    code: "BadGateway",
    status: 502,
    kind: ErrorKind::Transport,
    meaning: "The fallback endpoint does not answer.",
    texts: &[],
};

/// Hop-by-hop headers: they belong to a connection and are not forwarded.
static HOP_BY_HOP_HEADERS: [HeaderName; 9] = [
    header::CONNECTION,
    header::EXPECT,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    HeaderName::from_static("keep-alive"),
];

/// The fallback endpoint.
pub(crate) struct Fallback {
    address: Text,
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
}

impl Fallback {
    /// Creates the fallback for the endpoint at `address`.
    pub(crate) fn new(address: &str) -> Result<Self> {
        let invalid = |message: &str| Err(Error::invalid("fallback", format!("{address:?} {message}")));
        let Ok(uri) = address.parse::<Uri>() else { return invalid("is not a URL") };
        match uri.authority() {
            _ if !matches!(uri.scheme_str(), Some("http" | "https")) => {
                return invalid("must begin with http:// or https://");
            }
            None => return invalid("has no host"),
            // The address is written to the log.
            Some(authority) if authority.as_str().contains('@') => {
                return Err(Error::invalid("fallback", "a URL with a password is not allowed"));
            }
            Some(_) if uri.query().is_some() => {
                return invalid("must not have a query string");
            }
            Some(_) => {
                if let Err(message) = explicit_port(&uri) {
                    return invalid(message);
                }
            }
        }
        let mut http = HttpConnector::new();
        http.enforce_http(false);
        http.set_nodelay(true);
        http.set_connect_timeout(Some(CONNECT_TIMEOUT));
        let https = HttpsConnectorBuilder::new().with_webpki_roots().https_or_http().enable_http1();
        let client = Client::builder(TokioExecutor::new()).build(https.wrap_connector(http));
        Ok(Self { address: address.trim_end_matches('/').into(), client })
    }

    /// Address of the endpoint.
    pub(crate) fn address(&self) -> &Text {
        &self.address
    }

    /// True if it is at `address`: with the own address of the server, requests would be forwarded in a loop.
    pub(crate) fn has_address(&self, address: SocketAddr) -> bool {
        let authority = self.address.parse::<Uri>().ok().and_then(|uri| uri.into_parts().authority);
        authority.is_some_and(|authority| {
            let same_host = match authority.host().trim_matches(['[', ']']).parse::<std::net::IpAddr>() {
                Ok(host) => host == address.ip() || address.ip().is_unspecified() && host.is_loopback(),
                Err(_) => authority.host() == "localhost",
            };
            same_host && authority.port_u16() == Some(address.port())
        })
    }

    /// Forwards `message` unchanged, and returns the response, with its body as a stream.
    pub(crate) async fn forward(
        &self,
        message: HttpRequest,
        timeout: Duration,
    ) -> Result<http::Response<Incoming>> {
        let path = message.uri().path_and_query().map_or("/", |path| path.as_str());
        let uri = format!("{}{path}", self.address);
        let uri: Uri =
            uri.parse().map_err(|_| UNREACHABLE.with_message(format!("{path:?} is not a valid path")))?;
        let (mut head, body) = message.into_parts();
        head.uri = uri;
        head.version = Version::HTTP_11;
        remove_hop_by_hop_headers(&mut head.headers);
        let request = http::Request::from_parts(head, Full::new(body));
        let failed = |message: String| UNREACHABLE.with_message(format!("{} {message}", self.address));
        let answered = tokio::time::timeout(timeout, self.client.request(request)).await;
        let answered = answered.map_err(|_| failed(format!("did not answer within {timeout:?}")))?;
        let mut answer =
            answered.map_err(|error| failed(format!("does not answer: {}", root_cause(&error))))?;
        *answer.version_mut() = Version::HTTP_11;
        remove_hop_by_hop_headers(answer.headers_mut());
        Ok(answer)
    }
}

impl std::fmt::Debug for Fallback {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Fallback").field(&self.address).finish()
    }
}

/// Removes the headers that belong to a connection.
fn remove_hop_by_hop_headers(headers: &mut HeaderMap) {
    let named = headers.get_all(header::CONNECTION).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<HeaderName> =
        named.flat_map(|value| value.split(',')).filter_map(|name| name.trim().parse().ok()).collect();
    for name in HOP_BY_HOP_HEADERS.iter().chain(&named) {
        headers.remove(name);
    }
}

/// Returns the innermost cause, which is the most specific.
fn root_cause(error: &dyn std::error::Error) -> String {
    let mut cause = error;
    while let Some(inner) = cause.source() {
        cause = inner;
    }
    cause.to_string()
}

/// True if `message`, which has no operation, is for a service that is implemented here.
pub(crate) fn is_known_service(message: &HttpRequest, signed_for: Option<&str>) -> bool {
    let mut services = REGISTRY.services.iter();
    match nephos_wire::protocol(&REGISTRY, message, signed_for) {
        Protocol::AwsJson { .. } => {
            let target = message.headers().get("x-amz-target").map_or(&b""[..], |target| target.as_bytes());
            services.any(|service| matches!(service.protocol, Protocol::AwsJson { target: prefix, .. } if target.starts_with(prefix.as_bytes())))
        }
        // Services with the same signing name are distinguished by the version.
        Protocol::AwsQuery { .. } | Protocol::Ec2Query { .. } => {
            let version = version(message);
            services.any(|service| {
                signed_for.is_none_or(|name| name == service.signing)
                    && version
                        .map_or(signed_for.is_some(), |version| version == service.api_version.as_bytes())
            })
        }
        Protocol::RestJson => services.any(|service: &&ServiceShape| Some(service.signing) == signed_for),
    }
}

/// Says in the error about a request without an operation that its service is not known here, if that is so.
pub(crate) fn name_service(error: Error, signed_for: Option<&str>) -> Error {
    let is_known = |name: &&str| REGISTRY.services.iter().any(|service| service.signing == *name);
    match signed_for.filter(|name| !is_known(name)) {
        Some(name) => error.with_wire_message(format!(
            "the service {name} is not in this cloud; serve --fallback URL passes it on"
        )),
        None => error,
    }
}

/// Returns the version in a form.
fn version(message: &HttpRequest) -> Option<&[u8]> {
    let query = message.uri().query().unwrap_or_default().as_bytes();
    let pairs = [query, message.body()].into_iter().flat_map(|form| form.split(|byte| *byte == b'&'));
    pairs.into_iter().find_map(|pair| pair.strip_prefix(b"Version="))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(uri: &str, target: Option<&'static str>, body: &'static str) -> HttpRequest {
        let mut message = HttpRequest::new(Bytes::from_static(body.as_bytes()));
        *message.method_mut() = http::Method::POST;
        *message.uri_mut() = uri.parse().unwrap();
        if let Some(target) = target {
            message.headers_mut().insert("x-amz-target", http::HeaderValue::from_static(target));
        }
        let form = http::HeaderValue::from_static("application/x-www-form-urlencoded");
        message.headers_mut().insert(header::CONTENT_TYPE, form);
        message
    }

    #[test]
    fn requests_for_known_services_are_not_forwarded() {
        for (known, uri, target, body, signed_for) in [
            (true, "/", Some("Logs_20140328.NoSuchThing"), "", Some("logs")),
            (true, "/", Some("Logs_20140328.NoSuchThing"), "", None),
            (false, "/", Some("AmazonSQS.SendMessage"), "", Some("sqs")),
            (false, "/", Some("AmazonSQS.SendMessage"), "", None),
            (true, "/v1/nothing", None, "", Some("schemas")),
            (true, "/nothing", None, "", Some("logs")),
            (false, "/bucket/key", None, "", Some("s3")),
            (false, "/bucket/key", None, "", None),
            (false, "/", None, "Action=Publish&Version=2010-03-31", Some("sns-of-nobody")),
            (false, "/?Action=Publish&Version=1999-01-01", None, "", None),
        ] {
            let message = message(uri, target, body);
            assert_eq!(
                is_known_service(&message, signed_for),
                known,
                "{uri} {target:?} {body} {signed_for:?}"
            );
        }
    }

    #[test]
    fn invalid_endpoint_is_rejected() {
        for wrong in [
            "",
            "localhost:5000",
            "ftp://a",
            "http://",
            "http://a/?b",
            "http://user:hidden@host",
            "http:// a",
            "http://localhost:99999",
            "http://localhost:0",
            "http://localhost:+80",
        ] {
            let error = Fallback::new(wrong).unwrap_err();
            assert_eq!(error.field(), Some("fallback"), "{wrong}");
            assert!(!error.to_string().contains("hidden"), "{error}");
        }
        let here = |text: &str, at: &str| Fallback::new(text).unwrap().has_address(at.parse().unwrap());
        assert!(here("http://127.0.0.1:4566/", "127.0.0.1:4566"));
        assert!(here("http://localhost:4566", "127.0.0.1:4566"));
        assert!(here("http://[::1]:4566", "[::1]:4566"));
        assert!(here("http://127.0.0.1:4566", "0.0.0.0:4566"));
        assert!(!here("http://127.0.0.1:5000", "127.0.0.1:4566"));
        assert!(!here("http://127.0.0.2:4566", "127.0.0.1:4566"));
    }
}
