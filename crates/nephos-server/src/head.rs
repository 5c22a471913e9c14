//! Checks of the head of a request, before its body is read.

use crate::{
    auth::Auth,
    control,
    front::{Call, Front},
    paths::{self, Receiver},
};
use http::{HeaderMap, Version, header};
use nephos::{Code, Error, ErrorKind, REGISTRY, Result};
use nephos_core::shape::Protocol;

/// Error code for a request that is not valid HTTP.
pub(crate) static MALFORMED_HTTP: Code = Code {
    code: "MalformedHttpRequestException",
    status: 400,
    kind: ErrorKind::Invalid,
    meaning: "The request has problems at the HTTP level.",
    texts: &[],
};

/// Error code for a request body that is too large.
static TOO_LARGE: Code = Code {
    code: "RequestEntityTooLarge",
    status: 413,
    kind: ErrorKind::Invalid,
    meaning: "The request body is too large.",
    texts: &[],
};

/// Maximum size of the body of a request that is not signed, for a server that verifies signatures: more than the largest
/// request of an operation that needs no signature.
const MAX_UNSIGNED_BODY: usize = 512 << 10;

/// Limit of the body of a request whose head was accepted.
#[derive(Debug)]
pub(crate) struct Admission {
    /// Maximum size of the body in bytes.
    pub(crate) max_body: usize,
    /// Error for a larger body, if it is not its size that is wrong with it.
    refused: Option<Error>,
}

impl Admission {
    /// Creates the limit of `max_body` bytes.
    pub(crate) fn new(max_body: usize) -> Self {
        Self { max_body, refused: None }
    }

    /// Creates the error for a body that is too large.
    pub(crate) fn too_large(&self) -> Error {
        let too_large = || TOO_LARGE.with_message(format!("a body can have at most {} bytes", self.max_body));
        self.refused.clone().unwrap_or_else(too_large)
    }
}

impl Front {
    /// Checks the head of a request, and returns the limit of its body, which is at most `max_body` bytes.
    pub(crate) fn admit(&self, call: &Call, has_body: bool, max_body: usize) -> Result<Admission> {
        let message = &call.request.message;
        check_http(message.version(), message.headers())?;
        self.outgoing.iter().try_for_each(|outgoing| outgoing.check_not_own(message.headers()))?;
        let path = message.uri().path();
        let receiver = paths::receiver(path);
        if receiver == Receiver::Nobody {
            return Err(control::unknown_path(path));
        }
        // A preflight request has no body that is of interest, and is answered by its headers.
        if call.is_preflight() || control::is_health(message) {
            return Ok(Admission::new(max_body.min(MAX_UNSIGNED_BODY)));
        }
        self.origins.check(call.request.signed_message())?;
        // A request without a body is verified whole, at once.
        if self.authenticator.auth == Auth::Open || !has_body {
            return Ok(Admission::new(max_body));
        }
        let parts = call.parts.as_ref();
        if receiver == Receiver::Control {
            let cloud = self.cloud_for(&call.request);
            let keys_of = cloud.as_deref().unwrap_or(&self.cloud);
            let signed = call.request.signed_message();
            let checked = self.authenticator.check_head(keys_of, signed, parts, Some(control::SERVICE));
            return checked
                .map(|()| Admission::new(max_body))
                .map_err(|refused| refused.into_error(Protocol::RestJson));
        }
        self.check_service_head(call, max_body)
    }

    /// Checks the head of a request that a service answers by itself, and authenticates by itself.
    pub(crate) fn admit_to_service(&self, call: &Call) -> Result<()> {
        let message = &call.request.message;
        check_http(message.version(), message.headers())?;
        self.outgoing.iter().try_for_each(|outgoing| outgoing.check_not_own(message.headers()))?;
        self.origins.check(call.request.signed_message())
    }

    /// Checks the signature in the head of a request for a service. The action of a form is in its body, and may need no
    /// signature; then a small body is accepted.
    fn check_service_head(&self, call: &Call, max_body: usize) -> Result<Admission> {
        let (request, parts) = (&call.request, call.parts.as_ref());
        let signed_for = parts.ok().map(|parts| parts.scope.service.as_str());
        let route = nephos_wire::route(&REGISTRY, &request.message, signed_for);
        let service = route.as_ref().ok().map(|route| route.service.signing);
        let cloud = self.cloud_for(request);
        let keys_of = cloud.as_deref().unwrap_or(&self.cloud);
        let checked = self.authenticator.check_head(keys_of, request.signed_message(), parts, service);
        let Err(refused) = checked else { return Ok(Admission::new(max_body)) };
        let (protocol, may_be_unsigned) = match &route {
            Ok(route) => (route.service.protocol, route.operation.permission.unsigned),
            Err(_) => {
                let protocol = nephos_wire::protocol(&REGISTRY, &request.message, signed_for);
                let is_target = matches!(protocol, Protocol::AwsJson { .. });
                let is_form = nephos_wire::has_form_content_type(&request.message);
                (protocol, request.message.uri().path() == "/" && is_form && !is_target)
            }
        };
        let error = refused.into_error(protocol);
        if !may_be_unsigned {
            return Err(error);
        }
        Ok(Admission { max_body: max_body.min(MAX_UNSIGNED_BODY), refused: Some(error) })
    }
}

/// Rejects a head that two parties could read differently: with several hosts or none, or with a transfer coding other than
/// `chunked`.
fn check_http(version: Version, headers: &HeaderMap) -> Result<()> {
    let hosts = headers.get_all(header::HOST).iter().count();
    // Before HTTP/1.1 the header was optional.
    if hosts > 1 || hosts == 0 && version >= Version::HTTP_11 {
        return Err(MALFORMED_HTTP.with_message(format!("a request must have one Host header, got {hosts}")));
    }
    let mut codings = headers.get_all(header::TRANSFER_ENCODING).iter();
    match (codings.next(), codings.next()) {
        (None, _) => Ok(()),
        (Some(coding), None) if coding.as_bytes().trim_ascii().eq_ignore_ascii_case(b"chunked") => Ok(()),
        _ => Err(MALFORMED_HTTP.with_message("Transfer-Encoding can only be chunked")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ambiguous_heads_are_rejected() {
        let check = |version, lines: &[(&'static str, &'static str)]| {
            let mut headers = HeaderMap::new();
            for (name, value) in lines {
                headers.append(*name, value.parse().unwrap());
            }
            check_http(version, &headers).map_err(|error| (error.code().to_owned(), error.status()))
        };
        let (old, new, host) = (Version::HTTP_10, Version::HTTP_11, ("host", "localhost"));
        assert_eq!(check(new, &[host]), Ok(()));
        assert_eq!(check(old, &[]), Ok(()));
        assert_eq!(check(new, &[host, ("transfer-encoding", "Chunked")]), Ok(()));
        let refused = Err(("MalformedHttpRequestException".to_owned(), 400));
        assert_eq!(check(new, &[]), refused);
        assert_eq!(check(new, &[host, host]), refused);
        assert_eq!(check(old, &[host, host]), refused);
        for coding in ["gzip, chunked", "gzip", "identity", "chunked, chunked", "xchunked", ""] {
            assert_eq!(check(new, &[host, ("transfer-encoding", coding)]), refused, "{coding}");
        }
        assert_eq!(
            check(new, &[host, ("transfer-encoding", "chunked"), ("transfer-encoding", "chunked")]),
            refused
        );
    }
}
