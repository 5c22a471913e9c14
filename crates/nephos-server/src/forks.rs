//! Forks of the served cloud, each under its own name until it is dropped, was not used for a while, or the server stops.

use bytes::Bytes;
use http::{HeaderName, Uri, uri::PathAndQuery};
use nephos::{Error, ErrorKind, Kernel, Map, Result, SignedDuration, Text, Timestamp};
use nephos_wire::HttpRequest;
use std::sync::{Mutex, PoisonError};

/// Time after which an unused fork is dropped, by default.
pub(crate) const DEFAULT_IDLE: SignedDuration = SignedDuration::from_hours(1);

/// Header with the name of the fork that a request is for.
pub(crate) static FORK_HEADER: HeaderName = HeaderName::from_static("x-nephos-fork");

/// Path prefix of requests for forks.
pub(crate) const PREFIX: &str = "/_nephos/forks/";

/// Maximum number of forks at a time: each holds its own changes in memory.
const MAX_FORKS: usize = 64;

/// Forks by name.
#[derive(Debug)]
pub(crate) struct Forks {
    forks: Mutex<Map<Fork>>,
    /// Time after which an unused fork is dropped.
    pub(crate) idle: SignedDuration,
}

/// A fork, and the time of its last use.
#[derive(Debug)]
struct Fork {
    cloud: Kernel,
    used: Timestamp,
}

impl Default for Forks {
    fn default() -> Self {
        Self { forks: Mutex::default(), idle: DEFAULT_IDLE }
    }
}

impl Forks {
    /// Locks the forks, after those that were not used for too long are dropped.
    fn lock_at(&self, now: Timestamp) -> std::sync::MutexGuard<'_, Map<Fork>> {
        let mut forks = self.forks.lock().unwrap_or_else(PoisonError::into_inner);
        forks.retain(|_, fork| now.duration_since(fork.used) <= self.idle);
        forks
    }

    /// Drops the forks that were not used for too long.
    pub(crate) fn expire(&self, now: Timestamp) {
        drop(self.lock_at(now));
    }

    /// Finds the fork of that name, and notes that it is used.
    pub(crate) fn find(&self, name: &str, now: Timestamp) -> Result<Kernel> {
        let mut forks = self.lock_at(now);
        let fork = forks.get_mut(name).ok_or_else(|| self.not_found(name))?;
        fork.used = now.max(fork.used);
        Ok(fork.cloud.clone())
    }

    /// Names of the forks, oldest first.
    pub(crate) fn names(&self, now: Timestamp) -> Vec<Text> {
        self.lock_at(now).keys().cloned().collect()
    }

    /// Forks `cloud` under `name`, or under a free name.
    pub(crate) fn create(&self, cloud: &Kernel, name: Option<&str>, now: Timestamp) -> Result<Text> {
        let mut forks = self.lock_at(now);
        let name = match name {
            Some(name) => Text::from(name),
            None => next_free_name(&forks),
        };
        check_name(&name)?;
        if forks.contains_key(&name) {
            let message = format!("the fork {name:?} already exists; DELETE {PREFIX}{name} drops it");
            return Err(Error::new(ErrorKind::AlreadyExists, message));
        }
        if forks.len() >= MAX_FORKS {
            let message = format!("there can be at most {MAX_FORKS} forks; DELETE {PREFIX}NAME drops one");
            return Err(Error::new(ErrorKind::LimitExceeded, message));
        }
        forks.insert(name.clone(), Fork { cloud: cloud.fork()?, used: now });
        Ok(name)
    }

    /// Drops the fork of that name.
    pub(crate) fn remove(&self, name: &str, now: Timestamp) -> Result<()> {
        let dropped = self.lock_at(now).shift_remove(name);
        dropped.map(drop).ok_or_else(|| self.not_found(name))
    }

    fn not_found(&self, name: &str) -> Error {
        let message = format!(
            "the fork {name:?} does not exist; POST /_nephos/fork creates one, which is dropped when it was not used for \
             {:#}",
            self.idle
        );
        Error::new(ErrorKind::NotFound, message).with_wire_code("NoSuchFork", 404)
    }
}

fn next_free_name(forks: &Map<Fork>) -> Text {
    let mut names = (1..).map(|n| Text::from(format!("fork-{n}")));
    names.find(|name| !forks.contains_key(name)).unwrap_or_default()
}

/// Rejects a name of a fork or snapshot that would need escaping, or could mean another folder.
pub(crate) fn check_name(name: &str) -> Result<()> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    if (1..=64).contains(&name.len()) && name.bytes().all(fits) && !matches!(name, "." | "..") {
        return Ok(());
    }
    let message =
        format!("{name:?} is not a valid name: it must have 1 to 64 letters, digits, '.', '_' and '-'");
    Err(Error::invalid("name", message))
}

/// A request, with the fork that it is for removed from its path.
#[derive(Default)]
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

    /// Sets the body, which is read after the head.
    pub(crate) fn set_body(&mut self, body: Bytes) {
        if let Some(original) = &mut self.original {
            *original.body_mut() = body.clone();
        }
        *self.message.body_mut() = body;
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
        let now = "2026-01-31T12:00:00Z".parse().unwrap();
        let create = |name: Option<&str>| forks.create(&cloud, name, now);
        assert_eq!(create(Some("try")).unwrap(), "try");
        assert_eq!(create(Some("try")).unwrap_err().kind(), ErrorKind::AlreadyExists);
        let long = "a".repeat(65);
        for wrong in ["", ".", "..", "a/b", "a b", "a%20b", &long] {
            assert_eq!(create(Some(wrong)).unwrap_err().field(), Some("name"), "{wrong:?}");
        }
        while forks.names(now).len() < MAX_FORKS {
            create(None).unwrap();
        }
        assert_eq!(forks.names(now)[1], "fork-1");
        assert_eq!(create(None).unwrap_err().kind(), ErrorKind::LimitExceeded);
        forks.remove("fork-1", now).unwrap();
        assert_eq!(create(None).unwrap(), "fork-1");
        assert_eq!(forks.remove("none", now).unwrap_err().status(), 404);
    }

    #[test]
    fn unused_forks_are_dropped() {
        let (forks, cloud) = (Forks::default(), nephos::Cloud::in_memory());
        let clock = nephos::Clock::frozen("2026-01-31T12:00:00Z".parse().unwrap());
        forks.create(&cloud, Some("used"), clock.now()).unwrap();
        forks.create(&cloud, Some("forgotten"), clock.now()).unwrap();
        clock.advance(DEFAULT_IDLE);
        forks.find("used", clock.now()).unwrap();
        assert_eq!(forks.names(clock.now()), ["used", "forgotten"], "listing is not a use");
        clock.advance(SignedDuration::from_secs(1));
        forks.expire(clock.now());
        assert_eq!(forks.forks.lock().unwrap().len(), 1);
        let error = forks.find("forgotten", clock.now()).unwrap_err();
        assert!(error.message().ends_with("was not used for 1h"), "{error}");
        // A wall clock that is set back drops nothing.
        clock.advance(SignedDuration::from_hours(-48));
        assert!(forks.find("used", clock.now()).is_ok());
        clock.advance(SignedDuration::from_hours(48));
        assert!(forks.find("used", clock.now()).is_ok());
        clock.advance(DEFAULT_IDLE + SignedDuration::from_secs(1));
        assert!(forks.find("used", clock.now()).is_err());
    }
}
