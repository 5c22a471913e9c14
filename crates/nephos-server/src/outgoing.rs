//! Requests that the server sends: to functions and API destinations on this machine, but never to itself. A rule that reached the
//! server could call the control endpoint as a client of this machine, and feed itself for ever.

use http::{HeaderMap, HeaderName};
use nephos::{Error, ErrorKind, Ids, Result, Text};
use std::sync::{Arc, OnceLock};

/// Header that marks the requests of a server.
static HEADER: HeaderName = HeaderName::from_static("x-nephos-server");

/// Number of hexadecimal digits of the mark.
const MARK_LENGTH: usize = 32;

/// The mark of the requests of this server, and the port to which they must not go.
#[derive(Clone, Debug)]
pub(crate) struct Outgoing(Arc<Facts>);

#[derive(Debug)]
struct Facts {
    /// Random, so that only requests of this server have it.
    mark: Text,
    /// Port that the server listens on, once it does.
    own_port: OnceLock<u16>,
}

impl Outgoing {
    pub(crate) fn new(ids: &Ids) -> Self {
        Self(Arc::new(Facts { mark: ids.hex(MARK_LENGTH), own_port: OnceLock::new() }))
    }

    /// Sets the port that the server listens on.
    pub(crate) fn set_own_port(&self, port: u16) {
        // A server listens once.
        let _ = self.0.own_port.set(port);
    }

    /// Refuses a port of this machine that is the server's own.
    pub(crate) fn check_port(&self, port: u16) -> Result<()> {
        if self.0.own_port.get() == Some(&port) {
            return Err(Error::invalid("url", "is the address of this server"));
        }
        Ok(())
    }

    /// Line of the header that marks a request of this server.
    pub(crate) fn header_line(&self) -> String {
        format!("{HEADER}: {}\r\n", self.0.mark)
    }

    /// Refuses a request that this server sent, which came here by a way that its port does not show.
    pub(crate) fn check_not_own(&self, headers: &HeaderMap) -> Result<()> {
        if headers.get_all(&HEADER).iter().any(|mark| mark.as_bytes() == self.0.mark.as_bytes()) {
            return Err(Error::new(ErrorKind::Denied, "the server does not answer its own requests"));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_requests_are_known_by_their_mark() {
        let [outgoing, other] = [Outgoing::new(&Ids::system()), Outgoing::new(&Ids::system())];
        let line = outgoing.header_line();
        let (name, value) = line.trim_end().split_once(": ").unwrap();
        let mut headers = HeaderMap::new();
        headers.insert(&HEADER, "other".parse().unwrap());
        assert!(outgoing.check_not_own(&headers).is_ok());
        headers.append(HeaderName::from_bytes(name.as_bytes()).unwrap(), value.parse().unwrap());
        assert_eq!(outgoing.check_not_own(&headers).unwrap_err().kind(), ErrorKind::Denied);
        assert!(other.check_not_own(&headers).is_ok());
    }

    #[test]
    fn own_port_is_refused() {
        let outgoing = Outgoing::new(&Ids::system());
        assert!(outgoing.check_port(4566).is_ok());
        outgoing.set_own_port(4566);
        assert!(outgoing.check_port(4567).is_ok());
        assert_eq!(outgoing.check_port(4566).unwrap_err().field(), Some("url"));
    }
}
