//! Log of requests: caller, operation and outcome, but no content.

use crate::auth::Caller;
use http::{Method, Uri};
use nephos::{SignedDuration, Text, Timestamp};
use nephos_wire::Route;
use std::fmt;

/// An answered request.
///
/// Its `Display` is one line: time, method, operation or path, account and Region, status, duration, request ID,
/// fallback endpoint, error code, names of ignored members. No value is taken from a body, a query string or a secret.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LogLine<'a> {
    /// Time of the request.
    pub time: Timestamp,
    /// HTTP method.
    pub method: &'a str,
    /// Path of the request, without the query string.
    pub path: &'a str,
    /// Service and operation, if the request has one.
    pub operation: Option<(&'static str, &'static str)>,
    /// Account and Region of the caller, if it was authenticated.
    pub caller: Option<(&'a str, &'a str)>,
    /// Address of the fallback endpoint that it was forwarded to, and the signing name of the service.
    pub forwarded_to: Option<(&'a str, Option<&'a str>)>,
    /// Fork that it was for.
    pub fork: Option<&'a str>,
    /// Status of the response.
    pub status: u16,
    /// Error code, if it failed.
    pub code: Option<&'a str>,
    /// Paths of the members that the operation does not have, which were ignored.
    pub ignored: &'a [String],
    /// Duration of the request.
    pub duration: SignedDuration,
    /// Request ID of the response.
    pub request_id: &'a str,
}

impl fmt::Display for LogLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Text of a client may contain terminal control characters.
        write!(f, "{:.3} {} ", self.time, self.method)?;
        match self.operation {
            Some((service, operation)) => write!(f, "{service}.{operation}")?,
            None => write!(f, "{}", self.path.escape_debug())?,
        }
        match self.caller {
            Some((account, region)) => write!(f, " {account}/{}", region.escape_debug())?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}us {}", self.status, self.duration.as_micros(), self.request_id)?;
        if let Some((address, service)) = self.forwarded_to {
            write!(f, " {} -> {address}", service.unwrap_or("-").escape_debug())?;
        }
        if let Some(fork) = self.fork {
            write!(f, " fork={}", fork.escape_debug())?;
        }
        if let Some(code) = self.code {
            write!(f, " {code}")?;
        }
        if !self.ignored.is_empty() {
            write!(f, " ignored={}", self.ignored.join(",").escape_debug())?;
        }
        Ok(())
    }
}

/// Callback for log lines.
type Sink = Box<dyn Fn(&LogLine<'_>) + Send + Sync>;

/// A log, or none.
#[derive(Default)]
pub(crate) struct Log(Option<Sink>);

/// Parts of a request that are needed after it was consumed.
pub(crate) struct RequestStart {
    method: Method,
    uri: Uri,
}

/// Facts about a request, collected while it is handled.
#[derive(Default)]
pub(crate) struct RequestInfo {
    pub(crate) route: Option<Route>,
    pub(crate) caller: Option<Caller>,
    pub(crate) forwarded_to: Option<(Text, Option<Text>)>,
    pub(crate) fork: Option<Text>,
    pub(crate) code: Option<Text>,
    pub(crate) ignored: Vec<String>,
}

impl Log {
    /// True if requests are logged.
    pub(crate) fn is_on(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) fn new(sink: Sink) -> Self {
        Self(Some(sink))
    }

    /// Records the start of a request; does nothing without a sink.
    pub(crate) fn begin<B>(&self, message: &http::Request<B>) -> Option<RequestStart> {
        let begin = |_: &Sink| RequestStart { method: message.method().clone(), uri: message.uri().clone() };
        self.0.as_ref().map(begin)
    }

    /// Writes the line of a request.
    pub(crate) fn end(
        &self,
        start: Option<RequestStart>,
        info: &RequestInfo,
        status: http::StatusCode,
        request_id: &str,
        time: Timestamp,
        duration: SignedDuration,
    ) {
        let (Some(sink), Some(start)) = (&self.0, start) else { return };
        sink(&LogLine {
            time,
            method: start.method.as_str(),
            path: start.uri.path(),
            operation: info.route.map(|route| (route.service.name, route.operation.name)),
            caller: info.caller.as_ref().map(|caller| (caller.caller.account(), &*caller.region)),
            forwarded_to: info
                .forwarded_to
                .as_ref()
                .map(|(address, service)| (&**address, service.as_deref())),
            fork: info.fork.as_deref(),
            status: status.as_u16(),
            code: info.code.as_deref(),
            ignored: &info.ignored,
            duration,
            request_id,
        });
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Log(on)" } else { "Log(off)" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_line_escapes_control_characters() {
        let mut line = LogLine {
            time: "2026-01-31T12:00:00Z".parse().unwrap(),
            method: "POST",
            path: "/",
            operation: Some(("logs", "CreateLogGroup")),
            caller: Some(("123456789012", "us-east-1")),
            forwarded_to: None,
            fork: None,
            status: 200,
            code: None,
            ignored: &[],
            duration: SignedDuration::from_micros(153),
            request_id: "id",
        };
        let expected =
            "2026-01-31T12:00:00.000Z POST logs.CreateLogGroup 123456789012/us-east-1 200 153us id";
        assert_eq!(line.to_string(), expected);
        line.caller = Some(("123456789012", "a\nb\u{1b}[2J"));
        (line.fork, line.code) = (Some("try\r"), Some("Refused"));
        let text = line.to_string();
        assert!(text.ends_with("200 153us id fork=try\\r Refused"), "{text}");
        let ignored = ["entity".to_owned(), "a\n.b".to_owned()];
        line.ignored = &ignored;
        let text = line.to_string();
        assert!(text.ends_with("Refused ignored=entity,a\\n.b"), "{text}");
        assert!(!text.contains(['\n', '\r', '\u{1b}']), "{text}");
        (line.operation, line.caller, line.path) = (None, None, "/_nephos/health");
        assert!(line.to_string().contains("POST /_nephos/health - 200"), "{line}");
    }
}
