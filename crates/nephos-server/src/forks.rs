//! Forks of the served cloud, each under its own name until it is dropped or the server stops.

use http::{HeaderName, Uri, uri::PathAndQuery};
use nephos::{Error, ErrorKind, Kernel, Map, Result, Text};
use nephos_wire::HttpRequest;
use std::sync::{Mutex, PoisonError};

/// Header with the name of the fork that a request is for.
pub(crate) static FORK_HEADER: HeaderName = HeaderName::from_static("x-nephos-fork");

/// Path prefix of requests for forks.
pub(crate) const PREFIX: &str = "/_nephos/forks/";

/// Maximum number of forks at a time: each holds its own changes in memory.
const MAX_FORKS: usize = 64;

/// Forks by name.
#[derive(Debug, Default)]
pub(crate) struct Forks(Mutex<Map<Kernel>>);

impl Forks {
    fn lock(&self) -> std::sync::MutexGuard<'_, Map<Kernel>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the fork of that name.
    pub(crate) fn find(&self, name: &str) -> Result<Kernel> {
        self.lock().get(name).cloned().ok_or_else(|| fork_not_found(name))
    }

    /// Names of the forks, oldest first.
    pub(crate) fn names(&self) -> Vec<Text> {
        self.lock().keys().cloned().collect()
    }

    /// Forks `cloud` under `name`, or under a free name.
    pub(crate) fn create(&self, cloud: &Kernel, name: Option<&str>) -> Result<Text> {
        let mut forks = self.lock();
        let name = match name {
            Some(name) => Text::from(name),
            None => next_free_name(&forks),
        };
        if !is_valid_name(&name) {
            let message = format!(
                "{name:?} is not a valid name: it must have 1 to 64 letters, digits, '.', '_' and '-'"
            );
            return Err(Error::invalid("name", message));
        }
        if forks.contains_key(&name) {
            let message = format!("the fork {name:?} already exists; DELETE {PREFIX}{name} drops it");
            return Err(Error::new(ErrorKind::AlreadyExists, message));
        }
        if forks.len() >= MAX_FORKS {
            let message = format!("there can be at most {MAX_FORKS} forks; DELETE {PREFIX}NAME drops one");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        forks.insert(name.clone(), cloud.fork()?);
        Ok(name)
    }

    /// Drops the fork of that name.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        let dropped = self.lock().shift_remove(name);
        dropped.map(drop).ok_or_else(|| fork_not_found(name))
    }
}

fn next_free_name(forks: &Map<Kernel>) -> Text {
    let mut names = (1..).map(|n| Text::from(format!("fork-{n}")));
    names.find(|name| !forks.contains_key(name)).unwrap_or_default()
}

/// True for a name that needs no escaping and is not `.` or `..`.
fn is_valid_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    (1..=64).contains(&name.len()) && name.bytes().all(fits) && !matches!(name, "." | "..")
}

fn fork_not_found(name: &str) -> Error {
    let message = format!("the fork {name:?} does not exist; POST /_nephos/fork creates one");
    Error::new(ErrorKind::NotFound, message).with_wire_code("NoSuchFork", 404)
}

/// A request, with the fork that it is for removed from its path.
pub(crate) struct ForkRequest {
    /// Request without the fork in its path. Boxed, because it is large and moved several times.
    pub(crate) message: Box<HttpRequest>,
    /// Original request with the fork in its path, which is the signed one; `None` if there is no fork in the path.
    original: Option<Box<HttpRequest>>,
    in_path: Option<Text>,
    in_header: Option<Text>,
}

impl ForkRequest {
    /// Reads the fork of `message` from its path or its header.
    pub(crate) fn new(message: Box<HttpRequest>) -> Self {
        let header = message.headers().get(&FORK_HEADER);
        let in_header = header.map(|name| name.to_str().unwrap_or_default().into());
        match strip_fork(&message) {
            None => Self { message, original: None, in_path: None, in_header },
            Some((name, uri)) => {
                let mut request = message.clone();
                *request.uri_mut() = uri;
                Self { message: request, original: Some(message), in_path: Some(name), in_header }
            }
        }
    }

    /// Returns the request as it was signed.
    pub(crate) fn signed_message(&self) -> &HttpRequest {
        self.original.as_ref().unwrap_or(&self.message)
    }

    /// Returns the name of the fork.
    pub(crate) fn fork(&self) -> Result<Option<&str>> {
        match (self.in_path.as_deref(), self.in_header.as_deref()) {
            (Some(path), Some(header)) if path != header => {
                let message = format!("the path names the fork {path:?}, but the header {header:?}");
                Err(Error::invalid(FORK_HEADER.as_str(), message))
            }
            (path, header) => Ok(path.or(header)),
        }
    }
}

/// Returns the fork in the path of `message`, and its URI without it.
fn strip_fork(message: &HttpRequest) -> Option<(Text, Uri)> {
    let (name, rest) = fork_in_path(message)?;
    let rest = if rest.is_empty() { "/" } else { rest };
    let path = match message.uri().query() {
        Some(query) => format!("{rest}?{query}"),
        None => rest.to_owned(),
    };
    let mut parts = message.uri().clone().into_parts();
    parts.path_and_query = Some(PathAndQuery::try_from(path).ok()?);
    Some((name.into(), Uri::from_parts(parts).ok()?))
}

/// Returns the fork in a path, and the rest of the path. DELETE of the fork's own path drops the fork, so it is not a
/// request for it. A path with `.` or `..` names no fork, because it is normalized before signing.
fn fork_in_path(message: &HttpRequest) -> Option<(&str, &str)> {
    let rest = message.uri().path().strip_prefix(PREFIX)?;
    if rest.split('/').any(|step| matches!(step, "." | "..")) {
        return None;
    }
    let end = rest.find('/').unwrap_or(rest.len());
    let (name, rest) = rest.split_at(end);
    let dropped = rest.is_empty() && message.method() == http::Method::DELETE;
    (!name.is_empty() && !dropped).then_some((name, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    fn fork_request(method: &str, uri: &str, header: Option<&str>) -> ForkRequest {
        let mut message = HttpRequest::new(Bytes::new());
        *message.method_mut() = method.parse().unwrap();
        *message.uri_mut() = uri.parse().unwrap();
        if let Some(name) = header {
            message.headers_mut().insert(&FORK_HEADER, name.parse().unwrap());
        }
        ForkRequest::new(Box::new(message))
    }

    #[test]
    fn fork_is_read_from_path_or_header() {
        for (method, uri, header, fork, path) in [
            ("POST", "/", None, None, "/"),
            ("POST", "/", Some("try"), Some("try"), "/"),
            ("POST", "/_nephos/forks/try", None, Some("try"), "/"),
            ("POST", "/_nephos/forks/try/", None, Some("try"), "/"),
            ("POST", "/_nephos/forks/try/", Some("try"), Some("try"), "/"),
            ("GET", "/_nephos/forks/try/v1/a%2Fb?c=%20d", None, Some("try"), "/v1/a%2Fb?c=%20d"),
            ("GET", "/_nephos/forks/try?Action=A", None, Some("try"), "/?Action=A"),
            ("GET", "http://host/_nephos/forks/try/x", None, Some("try"), "http://host/x"),
            ("GET", "/_nephos/forks/try/_nephos/clock", None, Some("try"), "/_nephos/clock"),
            ("DELETE", "/_nephos/forks/try/v1/a", None, Some("try"), "/v1/a"),
            ("DELETE", "/_nephos/forks/try", None, None, "/_nephos/forks/try"),
            ("POST", "/_nephos/forks/try/../../..", None, None, "/_nephos/forks/try/../../.."),
            ("POST", "/_nephos/forks/./try/", None, None, "/_nephos/forks/./try/"),
            ("GET", "/_nephos/forks", None, None, "/_nephos/forks"),
            ("GET", "/_nephos/forks/", None, None, "/_nephos/forks/"),
        ] {
            let found = fork_request(method, uri, header);
            assert_eq!(found.fork().unwrap(), fork, "{method} {uri}");
            assert_eq!(found.message.uri().to_string(), path, "{method} {uri}");
            assert_eq!(found.signed_message().uri().to_string(), uri);
        }
        let conflicting = fork_request("POST", "/_nephos/forks/try/", Some("other"));
        assert_eq!(conflicting.fork().unwrap_err().field(), Some("x-nephos-fork"));
    }

    #[test]
    fn fork_names_are_checked_and_their_number_is_limited() {
        let (forks, cloud) = (Forks::default(), nephos::Cloud::in_memory());
        assert_eq!(forks.create(&cloud, Some("try")).unwrap(), "try");
        assert_eq!(forks.create(&cloud, Some("try")).unwrap_err().kind(), ErrorKind::AlreadyExists);
        for wrong in ["", ".", "..", "a/b", "a b", "a%20b", &"a".repeat(65)] {
            assert_eq!(forks.create(&cloud, Some(wrong)).unwrap_err().field(), Some("name"), "{wrong:?}");
        }
        while forks.names().len() < MAX_FORKS {
            forks.create(&cloud, None).unwrap();
        }
        assert_eq!(forks.names()[1], "fork-1");
        assert_eq!(forks.create(&cloud, None).unwrap_err().kind(), ErrorKind::LimitExceeded);
        forks.remove("fork-1").unwrap();
        assert_eq!(forks.create(&cloud, None).unwrap(), "fork-1");
        assert_eq!(forks.remove("none").unwrap_err().status(), 404);
    }
}
