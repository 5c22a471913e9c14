//! Functions outside the cloud, such as rotation functions of secrets, called by HTTP on this machine.

use nephos::{Error, ErrorKind, Kernel, Result, Session, Value};
use nephos_core::json::{self, Writing};
use std::{
    io::{Read, Write},
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs},
    sync::Arc,
    time::Duration,
};

/// Timeout of a function.
const FUNCTION_TIMEOUT: Duration = Duration::from_secs(30);

/// Address of a function.
#[derive(Clone, Debug)]
struct Target {
    host: String,
    port: u16,
    path: String,
}

impl Target {
    fn parse(url: &str) -> Result<Self> {
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

    /// Sends `event` to the function, and returns the status of its response.
    fn post(&self, event: &str) -> std::io::Result<u16> {
        let name = self.host.trim_start_matches('[').trim_end_matches(']');
        // A name may resolve to several addresses, and the function listens on one of them.
        let addresses: Vec<SocketAddr> = (name, self.port).to_socket_addrs()?.collect();
        let mut stream = TcpStream::connect(&*addresses)?;
        stream.set_read_timeout(Some(FUNCTION_TIMEOUT))?;
        stream.set_write_timeout(Some(FUNCTION_TIMEOUT))?;
        let Self { host, port, path } = self;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\
             Connection: close\r\n\r\n",
            event.len()
        );
        stream.write_all(head.as_bytes())?;
        stream.write_all(event.as_bytes())?;
        let (mut answer, mut part) = (Vec::new(), [0; 512]);
        // Only the status line is needed.
        while !answer.contains(&b'\n') && answer.len() < 4096 {
            match stream.read(&mut part)? {
                0 => break,
                read => answer.extend_from_slice(&part[..read]),
            }
        }
        let line = String::from_utf8_lossy(&answer);
        let status =
            line.strip_prefix("HTTP/1.").and_then(|line| line.split(' ').nth(1)?.trim().parse().ok());
        status.ok_or_else(|| std::io::Error::other("the response is not HTTP"))
    }
}

/// Returns the port in `uri`, or none if there is none; the error says what is wrong with it.
pub(crate) fn explicit_port(uri: &http::Uri) -> std::result::Result<Option<u16>, &'static str> {
    let authority = uri.authority().map(http::uri::Authority::as_str).unwrap_or_default();
    match authority.strip_prefix(uri.host().unwrap_or_default()) {
        Some("") => Ok(None),
        Some(rest) => {
            let port = rest.strip_prefix(':').and_then(|port| port.parse().ok()).filter(|port| *port > 0);
            port.map(Some).ok_or("has an invalid port; a port is a number from 1 to 65535")
        }
        None => Err("must not have a user name"),
    }
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
        match target.post(&event) {
            Ok(200..=299) => Ok(()),
            Ok(status) => {
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
            "http://localhost:65536",
            "http://[::1]:99999/",
            "http://a@127.0.0.1/",
        ] {
            assert_eq!(Target::parse(url).unwrap_err().field(), Some("url"), "{url}");
        }
    }
}
