//! Functions outside the cloud, such as rotation functions of secrets, called by HTTP on this machine.

use nephos::{Error, ErrorKind, Kernel, Result, Session, Value};
use nephos_core::json::{self, Writing};
use nephos_wire::explicit_port;
use std::{
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs},
    sync::Arc,
    time::Duration,
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
    /// Timeout of each step.
    pub(crate) timeout: Duration,
    /// True if the body of the response is needed, and not only its status.
    pub(crate) reads_body: bool,
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

    /// Sends a request, and returns the status and the body of its response.
    pub(crate) fn send(&self, call: &Call<'_>) -> std::io::Result<(u16, String)> {
        let name = self.host.trim_start_matches('[').trim_end_matches(']');
        // A name may resolve to several addresses, and the function listens on one of them.
        let addresses: Vec<SocketAddr> = (name, self.port).to_socket_addrs()?.collect();
        let mut stream = TcpStream::connect(&*addresses)?;
        stream.set_read_timeout(Some(call.timeout))?;
        stream.set_write_timeout(Some(call.timeout))?;
        let (Self { host, port, path }, Call { method, head, body, .. }) = (self, call);
        // The body of a response to HTTP/1.0 is never chunked.
        let version = if call.reads_body { "1.0" } else { "1.1" };
        let head = format!(
            "{method} {path} HTTP/{version}\r\nHost: {host}:{port}\r\n{head}Content-Length: {}\r\nConnection: close\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(body.as_bytes())?;
        let (mut answer, mut part) = (Vec::new(), [0; 512]);
        let is_read = |answer: &[u8]| match call.reads_body {
            true => answer.len() >= MAX_RESPONSE || is_complete(answer),
            false => answer.contains(&b'\n') || answer.len() >= 4096,
        };
        while !is_read(&answer) {
            match stream.read(&mut part)? {
                0 => break,
                read => answer.extend_from_slice(&part[..read]),
            }
        }
        let answer = String::from_utf8_lossy(&answer);
        let status = answer
            .strip_prefix("HTTP/1.")
            .and_then(|line| line.split([' ', '\r']).nth(1)?.trim().parse().ok());
        let status = status.ok_or_else(|| std::io::Error::other("the response is not HTTP"))?;
        Ok((status, answer.split_once("\r\n\r\n").map_or("", |(_, body)| body).to_owned()))
    }
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
pub(crate) fn register(cloud: &Kernel, name: &str, url: &str) -> Result<()> {
    if name.is_empty() {
        return Err(Error::invalid("name", "must be the name or ARN of the function, got an empty string"));
    }
    let target = Target::parse(url)?;
    let call = move |_: &Session, event: &Value| {
        let event = json::write(event.view(), Writing::EXPOSED);
        let head = "Content-Type: application/json\r\n";
        let call = Call { method: "POST", head, body: &event, timeout: FUNCTION_TIMEOUT, reads_body: false };
        match target.send(&call) {
            Ok((200..=299, _)) => Ok(()),
            Ok((status, _)) => {
                Err(Error::new(ErrorKind::Internal, format!("the function responded with status {status}")))
            }
            Err(error) => {
                Err(Error::new(ErrorKind::Transport, format!("the function cannot be reached: {error}")))
            }
        }
    };
    cloud.register(name, Arc::new(call));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
