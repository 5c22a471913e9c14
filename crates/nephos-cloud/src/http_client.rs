//! Requests to HTTP addresses outside the cloud. They are callbacks to one function, with the name [`HTTP_FUNCTION`]. The program
//! that runs the cloud registers the client that sends them.

use crate::{FunctionCall, Kernel, Tx};
use nephos_core::{Map, Result, Secret, Value};
use std::{fmt, sync::Arc};

/// Name of the function that sends requests.
pub const HTTP_FUNCTION: &str = "nephos:http";

/// Code of the error of a function or an HTTP address that did not respond in time.
pub const TIMEOUT_CODE: &str = "TIMEOUT";

/// Sends requests to HTTP addresses outside the cloud.
///
/// ```
/// # use nephos::{Cloud, HttpClient, OutgoingRequest, Result};
/// /// Prints requests instead of sending them.
/// struct Printer;
///
/// impl HttpClient for Printer {
///     fn send(&self, request: OutgoingRequest<'_>) -> Result<()> {
///         println!("{} {}", request.method(), request.url());
///         Ok(())
///     }
/// }
///
/// let cloud = Cloud::in_memory();
/// cloud.register_http(Printer);
/// ```
pub trait HttpClient: Send + Sync + 'static {
    /// Sends a request, and the request for its token before it.
    ///
    /// # Errors
    ///
    /// The kind of the error decides on further attempts: after `Invalid` there are none, and `Denied` means that the
    /// authorization of the request is wrong. The code [`TIMEOUT_CODE`] means that there was no response in time. An error whose source
    /// is [`RetryAfter`] delays the next attempt.
    fn send(&self, request: OutgoingRequest<'_>) -> Result<()>;
}

/// Source of the error of an address that wants a number of seconds to pass before the next attempt. If it is negative, there is no
/// other attempt.
#[derive(Clone, Copy, Debug)]
pub struct RetryAfter(pub i64);

impl fmt::Display for RetryAfter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "retry after {} seconds", self.0)
    }
}

impl std::error::Error for RetryAfter {}

/// A request to an HTTP address: the event of [`HTTP_FUNCTION`].
///
/// The event has the members `method`, `url`, `headers`, `query` and `body`; `token` if the request needs a token first, with the
/// same members; and `time`, the time of the cloud in milliseconds since 1970. Headers, query and body are secrets.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingRequest<'e>(&'e Value);

impl<'e> OutgoingRequest<'e> {
    /// Creates the request of an event.
    pub fn new(event: &'e Value) -> Self {
        Self(event)
    }

    /// Method, such as `POST`.
    pub fn method(&self) -> &'e str {
        exposed(&self.0["method"])
    }

    /// URL, without the further parts of its query.
    pub fn url(&self) -> &'e str {
        exposed(&self.0["url"])
    }

    /// Names and values of the headers.
    pub fn headers(&self) -> impl Iterator<Item = (&'e str, &'e str)> + use<'e> {
        self.pairs("headers")
    }

    /// Names and values of the further parts of the query.
    pub fn query(&self) -> impl Iterator<Item = (&'e str, &'e str)> + use<'e> {
        self.pairs("query")
    }

    fn pairs(&self, member: &str) -> impl Iterator<Item = (&'e str, &'e str)> + use<'e> {
        let pairs: Option<&'e Map<Value>> = self.0[member].as_map();
        pairs.into_iter().flatten().map(|(name, value)| (name.as_str(), exposed(value)))
    }

    /// Body.
    pub fn body(&self) -> &'e str {
        exposed(&self.0["body"])
    }

    /// Request for the token that this request needs.
    pub fn token(&self) -> Option<Self> {
        Some(Self(&self.0["token"])).filter(|token| !token.0.is_null())
    }

    /// Time of the cloud, in milliseconds since 1970.
    pub fn time(&self) -> i64 {
        self.0["time"].as_int().unwrap_or_default()
    }

    /// The event. It contains secrets.
    pub fn event(&self) -> &'e Value {
        self.0
    }
}

/// Text of a value, also of a secret.
fn exposed(value: &Value) -> &str {
    value.as_text().or_else(|| value.as_secret().map(Secret::expose)).unwrap_or_default()
}

impl FunctionCall {
    /// Creates the call that sends the request of an event.
    pub fn http(event: Value) -> Self {
        Self { function: HTTP_FUNCTION.into(), event }
    }
}

impl Kernel {
    /// Registers the client that sends requests to HTTP addresses. One that was registered before is replaced.
    pub fn register_http(&self, client: impl HttpClient) {
        self.register(HTTP_FUNCTION, Arc::new(move |_, event| client.send(OutgoingRequest::new(event))));
    }
}

impl Kernel {
    /// Removes the client that sends requests to HTTP addresses: none are sent any more.
    pub fn unregister_http(&self) {
        self.0.functions.unregister(HTTP_FUNCTION);
    }
}

impl Tx<'_> {
    /// True if the cloud can send requests to HTTP addresses.
    pub fn has_http(&self) -> bool {
        self.has_function(HTTP_FUNCTION)
    }
}
