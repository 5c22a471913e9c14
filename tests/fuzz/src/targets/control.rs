//! Paths of the server, above all of the control endpoint, over a connection: each request is answered, and not with the status 500.

use crate::{message, targets::requests::options};
use http::{Method, header};
use nephos_server::Server;
use nephos_wire::HttpRequest;
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{Mutex, PoisonError},
    thread,
    time::Duration,
};
use tempfile::TempDir;
use tokio::{runtime::Builder, sync::oneshot};

/// Number of inputs after which a new server is started, so that they do not depend on all inputs before.
const INPUTS_OF_A_SERVER: u32 = 64;

/// Time to wait for an answer.
const TIMEOUT: Duration = Duration::from_secs(600);

/// Headers that belong to the connection.
const OWN_HEADERS: [header::HeaderName; 6] = [
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::EXPECT,
    header::HOST,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

static SERVED: Mutex<Option<Served>> = Mutex::new(None);

/// A server, and a connection to it.
struct Served {
    /// Stops the server when it is dropped.
    _stop: oneshot::Sender<()>,
    /// Folder for snapshots, which is the working directory.
    _folder: TempDir,
    address: SocketAddr,
    connection: Option<BufReader<TcpStream>>,
    inputs: u32,
}

pub(crate) fn check(data: &[u8]) {
    let Some(message) = message::parse(data).filter(is_allowed) else { return };
    let mut served = SERVED.lock().unwrap_or_else(PoisonError::into_inner);
    if served.as_ref().is_none_or(|served| served.inputs >= INPUTS_OF_A_SERVER) {
        *served = None;
        *served = Some(Served::start());
    }
    let status = served.as_mut().map(|served| served.send(&message));
    let status = status.and_then(|sent| sent.inspect_err(|_| *served = None).ok());
    drop(served);
    assert!(status.is_some_and(|status| status != 500), "no answer, or one with the status 500: {status:?}");
}

/// False for requests that would write or read files outside the working directory, and for those that are no usual requests.
fn is_allowed(message: &HttpRequest) -> bool {
    let path = message.uri().path();
    let names_file = path.contains("snapshot") || path.contains("restore");
    let leaves_folder = message.body().iter().any(|byte| b"/\\".contains(byte));
    !(names_file && leaves_folder) && message.method() != Method::CONNECT && path.starts_with('/')
}

impl Served {
    fn start() -> Self {
        let folder = TempDir::new().expect("a folder");
        std::env::set_current_dir(folder.path()).expect("the folder exists");
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime");
        let server = Server::new(options().in_memory());
        let bound = runtime.block_on(server.bind(([127, 0, 0, 1], 0).into())).expect("a free port");
        let address = bound.address();
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async { drop(stopped.await) };
        thread::spawn(move || runtime.block_on(bound.run(stopped)));
        Self { _stop: stop, _folder: folder, address, connection: None, inputs: 0 }
    }

    /// Sends a request; returns the status of the answer.
    fn send(&mut self, message: &HttpRequest) -> std::io::Result<u16> {
        self.inputs += 1;
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => BufReader::new(TcpStream::connect(self.address)?),
        };
        connection.get_ref().set_read_timeout(Some(TIMEOUT))?;
        connection.get_mut().write_all(&encode(message))?;
        let (status, is_open) = read_answer(&mut connection, message.method() == Method::HEAD)?;
        self.connection = is_open.then_some(connection);
        Ok(status)
    }
}

fn encode(message: &HttpRequest) -> Vec<u8> {
    let target = message.uri().path_and_query().map_or("/", |path| path.as_str());
    let mut bytes = format!("{} {target} HTTP/1.1\r\n", message.method()).into_bytes();
    let host = message.headers().get(header::HOST).map_or(&b"localhost"[..], |host| host.as_bytes());
    let length = message.body().len().to_string();
    let own = [("host", host), ("content-length", length.as_bytes())];
    let others = message.headers().iter().filter(|(name, _)| !OWN_HEADERS.contains(name));
    for (name, value) in own.into_iter().chain(others.map(|(name, value)| (name.as_str(), value.as_bytes())))
    {
        bytes.extend([name.as_bytes(), b": ", value, b"\r\n"].concat());
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(message.body());
    bytes
}

/// Reads an answer: its status, and whether the connection can be used again.
fn read_answer(connection: &mut BufReader<TcpStream>, without_body: bool) -> std::io::Result<(u16, bool)> {
    let (mut status, mut length, mut is_open) = (0, 0, true);
    loop {
        let mut line = Vec::new();
        if connection.read_until(b'\n', &mut line)? == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        let line = String::from_utf8_lossy(&line).trim_end().to_ascii_lowercase();
        match line.split_once(": ") {
            _ if line.is_empty() => break,
            Some(("content-length", value)) => length = value.parse().unwrap_or(0),
            Some(("connection", value)) => is_open = value != "close",
            _ if status == 0 => {
                status = line.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
            }
            _ => {}
        }
    }
    if !without_body && status != 204 {
        let mut body = vec![0; length];
        connection.read_exact(&mut body)?;
    }
    Ok((status, is_open))
}
