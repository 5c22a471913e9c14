//! Functions outside the cloud, such as rotation functions of secrets, called by HTTP on this machine.

use crate::outgoing::Outgoing;
use nephos::{Error, ErrorKind, Kernel, Result, Session, TIMEOUT_CODE, Value};
use nephos_core::json::{self, Writing};
use nephos_wire::explicit_port;
use std::{
    io::{self, Read, Write},
    net::{IpAddr, TcpStream, ToSocketAddrs},
    sync::Arc,
    time::{Duration, Instant},
};

/// Timeout of a function.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(30);

/// Maximum size of a response that is read.
const MAX_RESPONSE: usize = 64 * 1024;

/// Address of a function.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    host: String,
    port: u16,
    /// Path and query.
    pub(crate) path: String,
}

/// A request to a function.
pub(crate) struct Call<'c> {
    pub(crate) method: &'c str,
    /// Lines of headers.
    pub(crate) head: &'c str,
    pub(crate) body: &'c str,
    /// Timeout of the whole exchange.
    pub(crate) timeout: Duration,
    pub(crate) needs: Needs,
}

/// Part of a response that is needed; the rest is not waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    Status,
    Head,
    Body,
}

/// A response, as far as it was needed.
pub(crate) struct Response {
    pub(crate) status: u16,
    head: String,
    pub(crate) body: String,
}

impl Response {
    /// Returns the value of a header.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.head.lines().filter_map(|line| line.split_once(':'));
        headers.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
    }
}

impl Target {
    pub(crate) fn parse(url: &str) -> Result<Self> {
        let invalid = |message: &str| Error::invalid("url", format!("{url:?} {message}"));
        let uri: http::Uri = url.parse().map_err(|_| invalid("is not a URL"))?;
        if uri.scheme_str() != Some("http") {
            return Err(invalid("must begin with http://"));
        }
        let port = explicit_port(&uri).map_err(invalid)?.unwrap_or(80);
        let host = uri.host().unwrap_or_default().to_owned();
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_local =
            bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !is_local {
            return Err(invalid("is not on this machine; use localhost, 127.0.0.1 or [::1]"));
        }
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { port, path, host })
    }

    /// Sends a request, and returns its response. `receiver` names what is called, for errors.
    pub(crate) fn send(&self, call: &Call<'_>, outgoing: &Outgoing, receiver: &str) -> Result<Response> {
        outgoing.check_port(self.port)?;
        self.try_send(call, outgoing).map_err(|error| match error.kind() {
            // A read that times out is one of these, which depends on the system.
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => {
                let message =
                    format!("{receiver} did not respond within {} seconds", call.timeout.as_secs_f64());
                Error::new(ErrorKind::Transport, message).with_wire_code(TIMEOUT_CODE, 504)
            }
            _ => Error::new(ErrorKind::Transport, format!("{receiver} cannot be reached: {error}")),
        })
    }

    fn try_send(&self, call: &Call<'_>, outgoing: &Outgoing) -> io::Result<Response> {
        let deadline = Deadline::after(call.timeout);
        let mut stream = self.connect(&deadline)?;
        let (Self { host, port, path }, Call { method, head, body, .. }) = (self, call);
        // The body of a response to HTTP/1.0 is never chunked.
        let version = if call.needs == Needs::Body { "1.0" } else { "1.1" };
        let head = format!(
            "{method} {path} HTTP/{version}\r\nHost: {host}:{port}\r\n{head}{}Content-Length: {}\r\nConnection: close\r\n\r\n",
            outgoing.header_line(),
            body.len()
        );
        for part in [head.as_bytes(), body.as_bytes()] {
            let mut left = part;
            while !left.is_empty() {
                stream.set_write_timeout(Some(deadline.left()?))?;
                match stream.write(left)? {
                    0 => return Err(io::ErrorKind::WriteZero.into()),
                    written => left = &left[written..],
                }
            }
        }
        let (mut answer, mut part) = (Vec::new(), [0; 512]);
        let is_read = |answer: &[u8]| match call.needs {
            _ if answer.len() >= MAX_RESPONSE => true,
            Needs::Status => answer.contains(&b'\n'),
            Needs::Head => answer.windows(4).any(|bytes| bytes == b"\r\n\r\n"),
            Needs::Body => is_complete(answer),
        };
        while !is_read(&answer) {
            stream.set_read_timeout(Some(deadline.left()?))?;
            match stream.read(&mut part)? {
                0 => break,
                read => answer.extend_from_slice(&part[..read]),
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        let status = answer
            .strip_prefix("HTTP/1.")
            .and_then(|line| line.split([' ', '\r']).nth(1)?.trim().parse().ok());
        let status = status.ok_or_else(|| io::Error::other("the response is not HTTP"))?;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        Ok(Response { status, head: head.to_owned(), body: body.to_owned() })
    }
}

impl Target {
    fn connect(&self, deadline: &Deadline) -> io::Result<TcpStream> {
        let name = self.host.trim_start_matches('[').trim_end_matches(']');
        let mut failure = io::Error::from(io::ErrorKind::NotFound);
        // A name may resolve to several addresses, and the function listens on one of them.
        for address in (name, self.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, deadline.left()?) {
                Ok(stream) => return Ok(stream),
                Err(error) => failure = error,
            }
        }
        Err(failure)
    }
}

/// End of the time for an exchange, in real time: the clock of a cloud has nothing to do with a network.
struct Deadline(Instant);

impl Deadline {
    fn after(timeout: Duration) -> Self {
        Self(now() + timeout)
    }

    /// Returns the time that is left, which is more than none.
    fn left(&self) -> io::Result<Duration> {
        match self.0.checked_duration_since(now()) {
            Some(left) if !left.is_zero() => Ok(left),
            _ => Err(io::ErrorKind::TimedOut.into()),
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "timeouts of sockets are in real time")]
fn now() -> Instant {
    Instant::now()
}

/// True if a response has as many bytes as its head says.
fn is_complete(answer: &[u8]) -> bool {
    let Some(end) = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&answer[..end]).to_ascii_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    length.is_some_and(|length| answer.len() - end - 4 >= length)
}

/// Registers the function at `url`: each event is sent to it as JSON in a POST request, and succeeds with a status from
/// 200 to 299.
pub(crate) fn register(cloud: &Kernel, outgoing: &Outgoing, name: &str, url: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid("name", "must be the name or ARN of the function, got an empty string"));
    }
    let (target, outgoing) = (Target::parse(url)?, outgoing.clone());
    outgoing.check_port(target.port)?;
    let call = move |_: &Session, event: &Value| {
        let event = json::write(event.view(), Writing::EXPOSED);
        let head = "Content-Type: application/json\r\n";
        let (timeout, needs) = (FUNCTION_TIMEOUT, Needs::Status);
        let call = Call { method: "POST", head, body: &event, timeout, needs };
        match target.send(&call, &outgoing, "the function")?.status {
            200..=299 => Ok(()),
            status => {
                Err(Error::new(ErrorKind::Internal, format!("the function responded with status {status}")))
            }
        }
    };
    cloud.register(name, Arc::new(call));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use nephos::Ids;
    use std::net::TcpListener;

    /// Sends a request to a listener that answers each of them with this text, and returns the response.
    fn ask(answer: &'static str, needs: Needs) -> Result<Response> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
            // The connection stays open until the caller closes it.
            let _ = stream.read_to_end(&mut Vec::new());
        });
        let timeout = Duration::from_millis(if answer.is_empty() { 20 } else { 5000 });
        let call = Call { method: "GET", head: "", body: "", timeout, needs };
        let response = target.send(&call, &Outgoing::new(&Ids::system()), "the function");
        server.join().unwrap();
        response
    }

    #[test]
    fn response_is_read_as_far_as_it_is_needed() {
        assert_eq!(ask("HTTP/1.1 204 No Content\r\n", Needs::Status).unwrap().status, 204);
        let head = ask("HTTP/1.1 429 Too Many\r\nRETRY-after: 7\r\n\r\n", Needs::Head).unwrap();
        assert_eq!((head.status, head.header("Retry-After"), head.header("Date")), (429, Some("7"), None));
        let body = ask("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", Needs::Body).unwrap();
        assert_eq!((body.status, body.body.as_str()), (200, "hi"));
    }

    #[test]
    fn timeout_has_a_code_of_its_own() {
        let error = ask("", Needs::Status).err().unwrap();
        assert_eq!((error.kind(), error.code()), (ErrorKind::Transport, "TIMEOUT"));
        assert_eq!(error.message(), "the function did not respond within 0.02 seconds");
    }

    #[test]
    fn timeout_is_that_of_the_whole_exchange() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let target = Target::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let server = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            stream.set_read_timeout(Some(Duration::from_millis(5))).unwrap();
            // A byte whenever nothing arrives, as long as somebody reads.
            while stream.write_all(b"x").is_ok() {
                let _ = stream.read(&mut [0; 512]);
            }
        });
        let timeout = Duration::from_millis(50);
        let call = Call { method: "GET", head: "", body: "", timeout, needs: Needs::Body };
        let answer = target.send(&call, &Outgoing::new(&Ids::system()), "the function");
        assert_eq!(answer.err().unwrap().code(), TIMEOUT_CODE);
        server.join().unwrap();
    }

    #[test]
    fn only_loopback_urls_are_accepted() {
        for (url, port, path) in [
            ("http://127.0.0.1:9000/rotate?x=1", 9000, "/rotate?x=1"),
            ("http://localhost", 80, "/"),
            ("http://[::1]:8080/", 8080, "/"),
            ("http://127.9.9.9:1/a", 1, "/a"),
        ] {
            let target = Target::parse(url).unwrap();
            assert_eq!((target.port, target.path.as_str()), (port, path), "{url}");
        }
        for url in [
            "",
            "127.0.0.1:9000",
            "https://127.0.0.1/",
            "http://example.com/",
            "http://10.0.0.1/",
            "http://0.0.0.0/",
            "http://127.0.0.1:99999/",
            "http://127.0.0.1:0/",
            "http://127.0.0.1:/",
            "http://127.0.0.1:+80/",
            "http://localhost:65536",
            "http://[::1]:99999/",
            "http://a@127.0.0.1/",
        ] {
            assert_eq!(Target::parse(url).unwrap_err().field(), Some("url"), "{url}");
        }
    }
}
