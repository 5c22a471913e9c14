//! Requests of the cloud to HTTP addresses on this machine, with tokens of authorization endpoints.

use crate::{
    functions::{Call, Needs, Response, Target},
    outgoing::Outgoing,
};
use nephos::{Error, ErrorKind, HttpClient, OutgoingRequest, Result, RetryAfter, Value};
use nephos_core::{
    Secret,
    json::{self, Writing},
    percent,
};
use sha2::{Digest, Sha256};
use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

/// Timeout of a request, as at the provider.
const TIMEOUT: Duration = Duration::from_secs(5);

/// Maximum number of tokens that are kept.
const MAX_TOKENS: usize = 1000;

/// A token for requests.
#[derive(Clone)]
struct Token {
    value: Secret,
    /// In milliseconds since 1970, on the clock of the cloud.
    expires: i64,
}

/// A client that keeps tokens, by the hashes of the requests for them.
pub(crate) struct LocalClient {
    outgoing: Outgoing,
    tokens: Mutex<HashMap<[u8; 32], Token>>,
}

fn invalid(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

/// Returns the target of a request, with the query in its path.
fn target_of(request: OutgoingRequest<'_>) -> Result<Target> {
    let mut target = Target::parse(request.url())?;
    for (name, value) in request.query() {
        target.path.push(if target.path.contains('?') { '&' } else { '?' });
        percent::encode(&mut target.path, name, false);
        target.path.push('=');
        percent::encode(&mut target.path, value, false);
    }
    Ok(target)
}

/// Sends a request; returns its response, as far as it is needed.
fn send(
    outgoing: &Outgoing,
    request: OutgoingRequest<'_>,
    authorization: Option<&Secret>,
    needs: Needs,
) -> Result<Response> {
    let target = target_of(request)?;
    let method = request.method();
    if !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(invalid(format!("{method:?} is not an HTTP method")));
    }
    let mut head = String::new();
    let authorization = authorization.map(|token| ("Authorization", token.expose()));
    for (name, value) in request.headers().chain(authorization) {
        // A line break would end the header.
        let is_valid = http::HeaderName::from_bytes(name.as_bytes()).is_ok()
            && http::HeaderValue::from_str(value).is_ok();
        if !is_valid {
            return Err(invalid(format!("the header {name:?} is not valid")));
        }
        // These describe the connection, and are set with it.
        if !["host", "content-length", "connection", "transfer-encoding"]
            .contains(&&*name.to_ascii_lowercase())
        {
            head += &format!("{name}: {value}\r\n");
        }
    }
    let call = Call { method, head: &head, body: request.body(), timeout: TIMEOUT, needs };
    target.send(&call, outgoing, "the endpoint")
}

/// Returns the number of seconds that a response wants to pass before the next request. Dates are not read: the clock of the
/// cloud may show another time.
fn retry_after(response: &Response) -> Option<RetryAfter> {
    let is_temporary = matches!(response.status, 429 | 503);
    response.header("Retry-After").filter(|_| is_temporary)?.parse().ok().map(RetryAfter)
}

impl HttpClient for LocalClient {
    fn send(&self, request: OutgoingRequest<'_>) -> Result<()> {
        let token = match request.token() {
            Some(for_token) => Some((hash(for_token), self.token_for(for_token, request.time())?)),
            None => None,
        };
        let response = send(&self.outgoing, request, token.as_ref().map(|(_, token)| token), Needs::Head)?;
        let status = response.status;
        let kind = match status {
            200..=299 => return Ok(()),
            401 | 407 => match token {
                // The token may have been revoked: the next attempt gets a new one.
                Some((key, _)) => {
                    self.tokens().remove(&key);
                    ErrorKind::Expired
                }
                None => ErrorKind::Denied,
            },
            409 => ErrorKind::Conflict,
            429 => ErrorKind::Throttled,
            500.. => ErrorKind::Internal,
            _ => ErrorKind::Invalid,
        };
        let error = Error::new(kind, format!("the endpoint responded with status {status}"));
        Err(match retry_after(&response) {
            Some(wait) => error.with_source(wait),
            None => error,
        })
    }
}

impl LocalClient {
    pub(crate) fn new(outgoing: Outgoing) -> Self {
        Self { outgoing, tokens: Mutex::default() }
    }

    fn tokens(&self) -> MutexGuard<'_, HashMap<[u8; 32], Token>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the header value with the token of a request for one: one that is kept until it expires, or a new one.
    fn token_for(&self, request: OutgoingRequest<'_>, now: i64) -> Result<Secret> {
        let key = hash(request);
        let kept = self.tokens().get(&key).cloned();
        if let Some(token) = kept.filter(|token| token.expires > now) {
            return Ok(token.value);
        }
        let Response { status, body, .. } = send(&self.outgoing, request, None, Needs::Body)?;
        let denied = |message: String| Error::new(ErrorKind::Denied, message);
        match status {
            200..=299 => {}
            429 | 500.. => {
                let message = format!("the authorization endpoint responded with status {status}");
                return Err(Error::new(ErrorKind::Internal, message));
            }
            _ => return Err(denied(format!("the authorization endpoint responded with status {status}"))),
        }
        let answer = json::parse(body.as_bytes()).unwrap_or(Value::Null);
        let Some(token) = answer["access_token"].as_text() else {
            return Err(denied("the authorization endpoint returned no access token".into()));
        };
        let value = Secret::from(format!("Bearer {token}"));
        let seconds = answer["expires_in"].as_int().unwrap_or_default();
        let mut tokens = self.tokens();
        if tokens.len() >= MAX_TOKENS {
            tokens.clear();
        }
        let expires = now.saturating_add(seconds.saturating_mul(1000));
        tokens.insert(key, Token { value: value.clone(), expires });
        Ok(value)
    }
}

/// Hash of a request, which contains credentials.
fn hash(request: OutgoingRequest<'_>) -> [u8; 32] {
    Sha256::digest(json::write(request.event().view(), Writing::EXPOSED)).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::Ids;
    use std::{
        error::Error as _,
        io::{Read, Write},
        net::TcpListener,
    };

    /// Sends a request to a listener that answers with this text; returns the seconds that the error wants to pass.
    fn wanted_seconds(answer: &'static str) -> Option<i64> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            // The connection stays open until the caller closes it.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let event = Value::from_iter([("method", Value::from("POST")), ("url", url.into())]);
        let error =
            LocalClient::new(Outgoing::new(&Ids::system())).send(OutgoingRequest::new(&event)).unwrap_err();
        server.join().unwrap();
        error.source().and_then(|source| source.downcast_ref()).map(|RetryAfter(seconds)| *seconds)
    }

    #[test]
    fn seconds_of_temporary_failures_are_read() {
        assert_eq!(wanted_seconds("HTTP/1.1 503 X\r\nRetry-After: 7\r\n\r\n"), Some(7));
        assert_eq!(wanted_seconds("HTTP/1.1 429 X\r\nretry-after:-1\r\n\r\n"), Some(-1));
        assert_eq!(
            wanted_seconds("HTTP/1.1 503 X\r\nRetry-After: Wed, 21 Oct 2026 07:28:00 GMT\r\n\r\n"),
            None
        );
        assert_eq!(wanted_seconds("HTTP/1.1 500 X\r\nRetry-After: 7\r\n\r\n"), None);
        assert_eq!(wanted_seconds("HTTP/1.1 429 X\r\n\r\n"), None);
    }
}
