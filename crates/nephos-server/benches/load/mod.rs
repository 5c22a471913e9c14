//! Load on a server: requests of the protocols, connections that send them one after another, and a minimal endpoint of hyper to
//! compare with.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, header};
use http_body_util::Full;
use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use std::{
    convert::Infallible,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

/// Returns the middle one of some values.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Returns a request of the JSON protocol.
pub(crate) fn signed_request(service: &str, key: &str, target: &str, body: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: {target}\r\nContent-Type: \
         application/x-amz-json-1.1\r\nX-Amz-Date: 20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential={key}/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host;x-amz-date;x-amz-target, \
         Signature={:064}\r\nContent-Length: {}\r\n\r\n{body}",
        0,
        body.len()
    )
    .into_bytes()
}

/// Returns a request of the query protocol.
pub(crate) fn form_request(service: &str, key: &str, body: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\nX-Amz-Date: \
         20260101T000000Z\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential={key}/20260101/us-east-1/{service}/aws4_request, SignedHeaders=host;x-amz-date, Signature={:064}\r\nContent-Length: {}\r\n\r\n{body}",
        0,
        body.len()
    )
    .into_bytes()
}

/// Returns the requests per second over several connections, each with one request at a time.
pub(crate) fn load(
    address: SocketAddr,
    connections: usize,
    round: Duration,
    make: &(dyn Fn() -> Vec<u8> + Sync),
) -> f64 {
    let (stop, done) = (AtomicBool::new(false), AtomicU64::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..connections {
            scope.spawn(|| {
                let mut stream = connect(address);
                let mut buffer = Vec::with_capacity(64 << 10);
                while !stop.load(Ordering::Relaxed) {
                    let is_open = send(&mut stream, &make(), &mut buffer);
                    done.fetch_add(1, Ordering::Relaxed);
                    // moto closes the connection after each request.
                    if !is_open {
                        stream = connect(address);
                    }
                }
            });
        }
        thread::sleep(round);
        stop.store(true, Ordering::Relaxed);
    });
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// Sends a request and reads its response, which must be a success; returns true if the connection stays open.
pub(crate) fn send(stream: &mut TcpStream, request: &[u8], buffer: &mut Vec<u8>) -> bool {
    stream.write_all(request).expect("the server reads");
    let is_open = read_answer(stream, buffer);
    let status = buffer.get(8..12).unwrap_or_default();
    assert_eq!(status, b" 200", "{}", String::from_utf8_lossy(buffer));
    is_open
}

pub(crate) fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).expect("the server listens");
    stream.set_nodelay(true).expect("the option can be set");
    stream
}

/// Reads one response, head and body; returns true if the connection stays open.
pub(crate) fn read_answer(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> bool {
    buffer.clear();
    let mut chunk = [0; 4 << 10];
    let head = loop {
        let read = stream.read(&mut chunk).expect("the server answers");
        assert!(read > 0, "the server closed the connection");
        buffer.extend_from_slice(&chunk[..read]);
        if let Some(head) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            break head;
        }
    };
    let text = String::from_utf8_lossy(&buffer[..head]).to_ascii_lowercase();
    let length = text.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length: usize = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    let rest = (head + 4 + length).saturating_sub(buffer.len());
    // Straight into the buffer: the client shares the processor with the server that is measured.
    let read = stream.take(rest as u64).read_to_end(buffer).expect("the server answers");
    assert_eq!(read, rest, "the server closed the connection");
    text.starts_with("http/1.1") && !text.contains("connection: close")
}

/// Returns the body of the response to one request.
pub(crate) fn answer(address: SocketAddr, request: &[u8]) -> Vec<u8> {
    let (mut stream, mut buffer) = (connect(address), Vec::new());
    stream.write_all(request).expect("the server reads");
    read_answer(&mut stream, &mut buffer);
    let head = buffer.windows(4).position(|window| window == b"\r\n\r\n").expect("the head is complete");
    buffer.split_off(head + 4)
}

/// Runs `run` on a thread with a runtime of `threads`; returns the address that it sends.
pub(crate) fn runtime(
    threads: usize,
    run: impl FnOnce(mpsc::Sender<SocketAddr>, &tokio::runtime::Runtime) + Send + 'static,
) -> SocketAddr {
    let (address, bound_address) = mpsc::channel();
    thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        run(address, &runtime.expect("a runtime"));
    });
    bound_address.recv().expect("the server starts")
}

/// Headers of the responses of nephos; hyper adds the date and the length.
pub(crate) const HEADERS: [(HeaderName, HeaderValue); 2] = [
    (header::CONTENT_TYPE, HeaderValue::from_static("application/x-amz-json-1.1")),
    (
        HeaderName::from_static("x-amzn-requestid"),
        HeaderValue::from_static("01234567-89ab-4cde-8f01-23456789abcd"),
    ),
];

/// Starts an endpoint of hyper that always sends `body`, with the headers of nephos.
pub(crate) fn bare_hyper(threads: usize, body: Bytes) -> SocketAddr {
    let body = Arc::new(body);
    runtime(threads, move |address, runtime| {
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
            address.send(listener.local_addr().expect("it listens")).expect("the benchmark waits");
            loop {
                let (stream, _) = listener.accept().await.expect("a connection");
                let _ = stream.set_nodelay(true);
                let body = body.clone();
                let service = service_fn(move |request: http::Request<hyper::body::Incoming>| {
                    let body = Bytes::clone(&body);
                    async move {
                        let _ = http_body_util::BodyExt::collect(request.into_body()).await;
                        let mut response = http::Response::new(Full::new(body));
                        response.headers_mut().extend(HEADERS);
                        Ok::<_, Infallible>(response)
                    }
                });
                tokio::spawn(async move {
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
    })
}
