//! The container daemon of this machine, over its socket.

use nephos_core::{ContainerDaemon, DaemonReply, DaemonRequest, Error, ErrorKind, Result, Text};
use std::{
    io::{Read, Write},
    net::TcpStream,
    path::PathBuf,
    time::Duration,
};

/// Socket of the daemon if no address is given.
const DEFAULT_SOCKET: &str = "/var/run/docker.sock";

/// Longest silence of the daemon; while it pulls an image it reports its progress.
const SILENCE: Duration = Duration::from_secs(300);

/// Largest answer that is read.
const MAX_ANSWER: u64 = 64 << 20;

/// The container daemon of this machine: Docker's, or another with the same API.
///
/// ```
/// use nephos::{Cloud, LocalDaemon};
/// use std::sync::Arc;
///
/// let daemon = LocalDaemon::at("unix:///no/such/docker.sock")?;
/// let session = Cloud::in_memory().session().with_container_daemon(Arc::new(daemon));
/// # #[cfg(feature = "ecr")]
/// assert!(!nephos::Image::objects(&session).dockerd_is_running().wait()?);
/// # Ok::<(), nephos::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct LocalDaemon(Address);

#[derive(Clone, Debug)]
enum Address {
    Socket(PathBuf),
    Tcp(Text),
}

/// A connection to the daemon.
trait Stream: Read + Write {}

impl<S: Read + Write> Stream for S {}

impl Default for LocalDaemon {
    /// The daemon at its usual socket, `/var/run/docker.sock`.
    fn default() -> Self {
        Self(Address::Socket(DEFAULT_SOCKET.into()))
    }
}

impl LocalDaemon {
    /// The daemon at an address as in `DOCKER_HOST`: `unix:///run/user/1000/docker.sock` or `tcp://127.0.0.1:2375`.
    ///
    /// # Errors
    ///
    /// The address has another form. TLS and SSH are not supported.
    pub fn at(address: &str) -> Result<Self> {
        if let Some(path) = address.strip_prefix("unix://") {
            return Ok(Self(Address::Socket(path.into())));
        }
        match address.strip_prefix("tcp://") {
            Some(host) => Ok(Self(Address::Tcp(host.trim_end_matches('/').into()))),
            None => Err(Error::invalid("DOCKER_HOST", "is not unix://PATH or tcp://HOST:PORT")),
        }
    }

    fn connect(&self) -> std::io::Result<Box<dyn Stream>> {
        match &self.0 {
            Address::Tcp(host) => {
                let stream = TcpStream::connect(host.as_str())?;
                stream.set_read_timeout(Some(SILENCE))?;
                Ok(Box::new(stream))
            }
            #[cfg(unix)]
            Address::Socket(path) => {
                let stream = std::os::unix::net::UnixStream::connect(path)?;
                stream.set_read_timeout(Some(SILENCE))?;
                Ok(Box::new(stream))
            }
            #[cfg(not(unix))]
            Address::Socket(_) => Err(std::io::ErrorKind::Unsupported.into()),
        }
    }

    fn exchange(&self, request: &DaemonRequest) -> std::io::Result<Vec<u8>> {
        let mut stream = self.connect()?;
        let body = request.body.as_ref().map_or("", |body| body.expose());
        // The daemon ends an answer of HTTP/1.0 by closing the connection, so that no chunks must be read.
        let mut text = format!("{} {} HTTP/1.0\r\nHost: docker\r\n", request.method, request.path);
        if let Some(auth) = &request.registry_auth {
            text.extend(["X-Registry-Auth: ", auth.expose(), "\r\n"]);
        }
        if !body.is_empty() {
            text.push_str("Content-Type: application/json\r\n");
        }
        text.push_str(&format!("Content-Length: {}\r\n\r\n{body}", body.len()));
        stream.write_all(text.as_bytes())?;
        let mut answer = Vec::new();
        stream.take(MAX_ANSWER).read_to_end(&mut answer)?;
        Ok(answer)
    }
}

impl ContainerDaemon for LocalDaemon {
    fn send(&self, request: &DaemonRequest) -> Result<DaemonReply> {
        let failed = |message: &str| Error::new(ErrorKind::DaemonDown, message);
        let silent = format!("the container daemon at {self} does not answer");
        let answer = self.exchange(request).map_err(|error| failed(&silent).with_source(error))?;
        read_reply(answer).ok_or_else(|| failed("the container daemon does not answer in HTTP"))
    }
}

impl std::fmt::Display for LocalDaemon {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Address::Socket(path) => write!(f, "unix://{}", path.display()),
            Address::Tcp(host) => write!(f, "tcp://{host}"),
        }
    }
}

/// Takes an answer apart; none if it has no status, or was sent in chunks.
fn read_reply(mut answer: Vec<u8>) -> Option<DaemonReply> {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n")?;
    let body = answer.split_off(head + 4);
    let head = String::from_utf8(answer).ok()?;
    if head.to_ascii_lowercase().contains("\r\ntransfer-encoding:") {
        return None;
    }
    let status = head.strip_prefix("HTTP/1.")?.split(' ').nth(1)?.trim_end();
    Some(DaemonReply { status: status.parse().ok()?, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_taken_apart() {
        let reply = read_reply(b"HTTP/1.0 404 Not Found\r\nContent-Length: 2\r\n\r\n{}".to_vec()).unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (404, &b"{}"[..]));
        for bad in [
            "",
            "HTTP/1.1 200",
            "SSH-2.0 x\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0",
        ] {
            assert!(read_reply(bad.into()).is_none(), "{bad}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn daemon_is_asked_over_its_socket() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docker.sock");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let served = std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            while !asked.ends_with(b"{\"a\":1}") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                asked.extend(byte);
            }
            stream.write_all(b"HTTP/1.0 200 OK\r\nContent-Type: text/plain\r\n\r\nOK").unwrap();
            String::from_utf8(asked).unwrap()
        });
        let daemon = LocalDaemon::at(&format!("unix://{}", path.display())).unwrap();
        let mut request = DaemonRequest::new("POST", "/auth");
        request.registry_auth = Some("e30=".into());
        request.body = Some(r#"{"a":1}"#.into());
        let reply = daemon.send(&request).unwrap();
        assert_eq!((reply.status, reply.body.as_slice()), (200, &b"OK"[..]));
        let asked = served.join().unwrap();
        assert!(asked.starts_with("POST /auth HTTP/1.0\r\n"), "{asked}");
        assert!(asked.contains("\r\nX-Registry-Auth: e30=\r\n"), "{asked}");
        assert!(asked.contains("\r\nContent-Length: 7\r\n"), "{asked}");
        // Nobody listens any more.
        let error = daemon.send(&request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DaemonDown);
        assert!(error.to_string().contains("docker.sock does not answer"), "{error}");
    }

    #[test]
    fn addresses_are_those_of_docker() {
        for address in ["unix:///run/docker.sock", "tcp://127.0.0.1:2375"] {
            assert_eq!(LocalDaemon::at(address).unwrap().to_string(), address);
        }
        assert_eq!(LocalDaemon::at("ssh://host").unwrap_err().field(), Some("DOCKER_HOST"));
        assert_eq!(LocalDaemon::default().to_string(), "unix:///var/run/docker.sock");
    }
}
