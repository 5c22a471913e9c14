//! A server in this process, and a minimal HTTP client.

use nephos::{Clock, Cloud, Session, Value, prelude::*};
use nephos_core::json;
use nephos_server::Server;
use std::{
    future::pending,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    thread,
};

/// Time of the cloud in every test.
pub(crate) const NOON: &str = "2026-01-31T12:00:00Z";

/// Returns a clock frozen at noon.
pub(crate) fn noon() -> Clock {
    Clock::frozen(NOON.parse().unwrap())
}

/// Starts a server until the test ends; returns its cloud and address.
pub(crate) fn serve_cloud() -> (Cloud, SocketAddr) {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let address = serve(Server::new(cloud.clone()));
    (cloud, address)
}

/// Starts `server` until the test ends; returns its address.
pub(crate) fn serve(server: Server) -> SocketAddr {
    serve_with_threads(server, 512)
}

/// Starts `server` with this number of threads for work that blocks.
pub(crate) fn serve_with_threads(server: Server, threads: usize) -> SocketAddr {
    let (address, bound_address) = mpsc::channel();
    thread::spawn(move || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().max_blocking_threads(threads).build().unwrap();
        runtime.block_on(async {
            let bound = server.bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
            address.send(bound.address()).unwrap();
            bound.run(pending()).await;
        });
    });
    bound_address.recv().unwrap()
}

/// Creates a remote session with the access key `account`.
pub(crate) fn session(address: SocketAddr, account: &str) -> Session {
    Session::remote().endpoint(format!("http://{address}")).keys(account, "secret").build().unwrap()
}

/// An HTTP response.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }

    /// Returns a text or number of the body, which is a JSON object.
    pub(crate) fn field(&self, name: &str) -> String {
        let Ok(Value::Map(fields)) = json::parse(&self.body) else { panic!("{}", self.text()) };
        match fields.get(name) {
            Some(Value::Text(text)) => text.to_string(),
            Some(value) => json::write(value.view(), json::Writing::SHOWN),
            None => panic!("no {name} in {}", self.text()),
        }
    }
}

/// Sends an unsigned request.
pub(crate) fn send(address: SocketAddr, method: &str, path: &str, body: &str) -> Answer {
    send_with(address, method, path, &[], body.as_bytes())
}

/// Sends a request with these headers, in addition to its host and its length.
pub(crate) fn send_with(
    address: SocketAddr,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    body: &[u8],
) -> Answer {
    let mut head = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).unwrap();
    stream.write_all(body).unwrap();
    read_answer(&mut stream)
}

/// Sends bytes as they are, and reads the response until the connection is closed.
pub(crate) fn send_raw(address: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(bytes).unwrap();
    read_answer(&mut stream)
}

/// Reads a response until the connection is closed.
pub(crate) fn read_answer(stream: &mut impl Read) -> Answer {
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    // With `Expect: 100-continue` the first response is `100 Continue`.
    if answer.starts_with(b"HTTP/1.1 100 Continue\r\n\r\n") {
        answer.drain(.."HTTP/1.1 100 Continue\r\n\r\n".len());
    }
    let end = answer.windows(4).position(|four| four == b"\r\n\r\n").expect("the head is complete");
    let head = String::from_utf8_lossy(&answer[..end]);
    let mut lines = head.lines();
    let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
    let headers = lines.map(|line| line.split_once(": ").unwrap());
    let headers = headers.map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
    Answer { status, headers, body: answer.split_off(end + 4) }
}

/// Sends an operation of CloudWatch Logs as `account`, with a signature that is not valid.
pub(crate) fn logs(address: SocketAddr, account: &str, operation: &str, body: &str) -> Answer {
    let target = format!("Logs_20140328.{operation}");
    let signed = authorization(account, "us-east-1", "logs");
    let headers = [
        ("X-Amz-Target", target.as_str()),
        ("Content-Type", "application/x-amz-json-1.1"),
        ("X-Amz-Date", "20260131T120000Z"),
        ("Authorization", &signed),
    ];
    send_with(address, "POST", "/", &headers, body.as_bytes())
}

/// Returns a well-formed signature that is not valid.
pub(crate) fn authorization(key: &str, region: &str, service: &str) -> String {
    let signature = "0".repeat(64);
    format!(
        "AWS4-HMAC-SHA256 Credential={key}/20260131/{region}/{service}/aws4_request, SignedHeaders=host;x-amz-date, \
         Signature={signature}"
    )
}
