//! What is told of each request: who asked for what, and how it ended; never what was in it.

use crate::gate::Caller;
use http::{Method, Uri};
use nephos::{SignedDuration, Text, Timestamp};
use nephos_wire::Route;
use std::fmt;

/// One request that was answered.
///
/// It prints as one line: when, method, operation or path, account and Region, status, duration, request id, where it was
/// passed on to, code of a refusal. Nothing of it is taken from a body, a query or a secret.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Line<'a> {
    /// When it came.
    pub time: Timestamp,
    /// Its method.
    pub method: &'a str,
    /// Its path, without a query.
    pub path: &'a str,
    /// The service and operation that it is, if it is one.
    pub operation: Option<(&'static str, &'static str)>,
    /// The account and Region that acted, if the caller was let in.
    pub caller: Option<(&'a str, &'a str)>,
    /// The address where it was passed on to, and the service that it was signed for.
    pub passed_to: Option<(&'a str, Option<&'a str>)>,
    /// The fork that it was for.
    pub fork: Option<&'a str>,
    /// The status of its answer.
    pub status: u16,
    /// The code of its refusal, if it was refused.
    pub code: Option<&'a str>,
    /// How long it took.
    pub took: SignedDuration,
    /// The id that its answer has.
    pub request_id: &'a str,
}

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a client sent may hold what moves a terminal's cursor.
        write!(f, "{:.3} {} ", self.time, self.method)?;
        match self.operation {
            Some((service, operation)) => write!(f, "{service}.{operation}")?,
            None => write!(f, "{}", self.path.escape_debug())?,
        }
        match self.caller {
            Some((account, region)) => write!(f, " {account}/{}", region.escape_debug())?,
            None => f.write_str(" -")?,
        }
        write!(f, " {} {}us {}", self.status, self.took.as_micros(), self.request_id)?;
        if let Some((address, service)) = self.passed_to {
            write!(f, " {} -> {address}", service.unwrap_or("-").escape_debug())?;
        }
        if let Some(fork) = self.fork {
            write!(f, " fork={}", fork.escape_debug())?;
        }
        if let Some(code) = self.code {
            write!(f, " {code}")?;
        }
        Ok(())
    }
}

/// Where lines go.
type Sink = Box<dyn Fn(&Line<'_>) + Send + Sync>;

/// A log, or none.
#[derive(Default)]
pub(crate) struct Log(Option<Sink>);

/// What a line will need of a request that is gone by then.
pub(crate) struct Begun {
    time: Timestamp,
    method: Method,
    uri: Uri,
}

/// What was found out about a request.
#[derive(Default)]
pub(crate) struct Seen {
    pub(crate) route: Option<Route>,
    pub(crate) caller: Option<Caller>,
    pub(crate) passed_to: Option<(Text, Option<Text>)>,
    pub(crate) fork: Option<Text>,
    pub(crate) code: Option<Text>,
}

impl Log {
    pub(crate) fn to(sink: Sink) -> Self {
        Self(Some(sink))
    }

    /// Begins with a request; costs nothing if nobody wants to know.
    pub(crate) fn begin<B>(
        &self,
        message: &http::Request<B>,
        now: impl FnOnce() -> Timestamp,
    ) -> Option<Begun> {
        let begin =
            |_: &Sink| Begun { time: now(), method: message.method().clone(), uri: message.uri().clone() };
        self.0.as_ref().map(begin)
    }

    /// Tells how it ended.
    pub(crate) fn end(
        &self,
        begun: Option<Begun>,
        seen: &Seen,
        status: http::StatusCode,
        request_id: &str,
        now: impl FnOnce() -> Timestamp,
    ) {
        let (Some(sink), Some(begun)) = (&self.0, begun) else { return };
        sink(&Line {
            time: begun.time,
            method: begun.method.as_str(),
            path: begun.uri.path(),
            operation: seen.route.map(|route| (route.service.name, route.operation.name)),
            caller: seen.caller.as_ref().map(|caller| (&*caller.account, &*caller.region)),
            passed_to: seen.passed_to.as_ref().map(|(address, service)| (&**address, service.as_deref())),
            fork: seen.fork.as_deref(),
            status: status.as_u16(),
            code: seen.code.as_deref(),
            took: now().duration_since(begun.time),
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
    fn a_line_is_one_line_whatever_a_client_sends() {
        let mut line = Line {
            time: "2026-01-31T12:00:00Z".parse().unwrap(),
            method: "POST",
            path: "/",
            operation: Some(("logs", "CreateLogGroup")),
            caller: Some(("123456789012", "us-east-1")),
            passed_to: None,
            fork: None,
            status: 200,
            code: None,
            took: SignedDuration::from_micros(153),
            request_id: "id",
        };
        let told = "2026-01-31T12:00:00.000Z POST logs.CreateLogGroup 123456789012/us-east-1 200 153us id";
        assert_eq!(line.to_string(), told);
        line.caller = Some(("123456789012", "a\nb\u{1b}[2J"));
        (line.fork, line.code) = (Some("try\r"), Some("Refused"));
        let told = line.to_string();
        assert!(told.ends_with("200 153us id fork=try\\r Refused"), "{told}");
        assert!(!told.contains(['\n', '\r', '\u{1b}']), "{told}");
        (line.operation, line.caller, line.path) = (None, None, "/_nephos/health");
        assert!(line.to_string().contains("POST /_nephos/health - 200"), "{line}");
    }
}
