//! Pushes and pulls of a large blob, compared with a minimal endpoint of hyper that copies the same bytes to and from a file; and the
//! peak of the memory of client and servers together. `--quick` uses 64 MiB.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use bytes::Bytes;
use http::{Method, Response};
use http_body_util::{BodyExt, Full, StreamBody, combinators::BoxBody};
use hyper::{
    body::{Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use nephos::{
    BlobDigest, Cloud, Repository,
    ecr::{ImageScanningConfiguration, ImageTagMutability},
};
use nephos_server::Server;
use sha2::{Digest as _, Sha256};
use std::{
    convert::Infallible,
    fs::File,
    future::pending,
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Instant,
};

/// Allocator of the program that uses this crate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const PIECE: usize = 256 << 10;

fn main() {
    let quick = std::env::args().any(|argument| argument == "--quick");
    let size: u64 = if quick { 64 << 20 } else { 1 << 30 };
    let rounds = 3;
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let cloud = Cloud::open(folder.path().join("cloud")).expect("the state is new");
    let repository = Repository::builder()
        .repository_name("web")
        .image_tag_mutability(ImageTagMutability::Mutable)
        .image_scanning_configuration(ImageScanningConfiguration::builder().build().expect("it has no rules"))
        .build()
        .expect("the repository is valid");
    Repository::objects(&cloud.session()).create(&repository).wait().expect("the repository is new");
    let ours = serve(cloud);
    let bare = serve_bare(folder.path().join("copy"));
    let mut ratios = [Vec::new(), Vec::new()];
    let mut rates = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        let digest = digest_of(size, round);
        let upload = begin(ours);
        let pushed = time(|| {
            send(ours, "PATCH", &upload, size, round);
            request(ours, "PUT", &format!("{upload}?digest={digest}"), b"");
        });
        let copied = time(|| send(bare, "PATCH", "/", size, round));
        let pulled = time(|| receive(ours, &format!("/v2/web/blobs/{digest}"), size));
        let read = time(|| receive(bare, "/", size));
        for (n, (own, other)) in [(pushed, copied), (pulled, read)].into_iter().enumerate() {
            ratios[n].push(other / own);
            rates[n].push(size as f64 / own / f64::from(1 << 20));
        }
    }
    for (n, what) in ["push", "pull"].into_iter().enumerate() {
        let (rate, ratio) = (median(&mut rates[n]), median(&mut ratios[n]));
        println!("{what} of {} MiB: {rate:.0} MiB/s, {ratio:.2} of bare hyper", size >> 20);
    }
    println!("peak memory of client and both servers: {} MiB", peak_memory() >> 10);
}

fn time(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Peak of the memory of this process, in KiB.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// The piece of a blob at a number, which differs from all others.
fn piece(round: u64, number: u64, buffer: &mut [u8]) {
    buffer[..8].copy_from_slice(&number.to_le_bytes());
    buffer[8..16].copy_from_slice(&round.to_le_bytes());
}

fn digest_of(size: u64, round: u64) -> BlobDigest {
    let mut hash = Sha256::new();
    let mut buffer = vec![7; PIECE];
    for number in 0..size / PIECE as u64 {
        piece(round, number, &mut buffer);
        hash.update(&buffer);
    }
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    BlobDigest::parse(&format!("sha256:{digits}")).expect("it is a digest")
}

fn connect(address: SocketAddr, method: &str, path: &str, length: u64) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let head = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).expect("the server reads");
    stream
}

/// Sends a blob.
fn send(address: SocketAddr, method: &str, path: &str, size: u64, round: u64) {
    let mut stream = connect(address, method, path, size);
    let mut buffer = vec![7; PIECE];
    for number in 0..size / PIECE as u64 {
        piece(round, number, &mut buffer);
        stream.write_all(&buffer).expect("the server reads");
    }
    finish(stream);
}

/// Sends a request with a short body, and returns the answer.
fn request(address: SocketAddr, method: &str, path: &str, body: &[u8]) -> String {
    let mut stream = connect(address, method, path, body.len() as u64);
    stream.write_all(body).expect("the server reads");
    finish(stream)
}

fn finish(mut stream: TcpStream) -> String {
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("the answer is text");
    assert!(answer.starts_with("HTTP/1.1 2"), "{answer}");
    answer
}

/// Reads a blob and drops it.
fn receive(address: SocketAddr, path: &str, size: u64) {
    let mut stream = connect(address, "GET", path, 0);
    let mut buffer = vec![0; PIECE];
    let mut received = 0;
    loop {
        match stream.read(&mut buffer).expect("the server sends") {
            0 => break,
            length => received += length as u64,
        }
    }
    assert!(received > size, "{received} bytes with the head");
}

/// Begins an upload, and returns its address.
fn begin(address: SocketAddr) -> String {
    let answer = request(address, "POST", "/v2/web/blobs/uploads/", b"");
    let line = answer.lines().find(|line| line.to_ascii_lowercase().starts_with("location: "));
    line.and_then(|line| line.split_once(": ")).expect("the answer has an address").1.trim().to_owned()
}

fn serve(cloud: Cloud) -> SocketAddr {
    let (sender, address) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
        runtime.block_on(async {
            let bound = Server::new(cloud).bind("127.0.0.1:0".parse().expect("an address")).await;
            let bound = bound.expect("a port is free");
            sender.send(bound.address()).expect("the address is awaited");
            bound.run(pending()).await;
        });
    });
    address.recv().expect("the server starts")
}

/// Serves an endpoint that copies bodies to a file, and sends the file.
fn serve_bare(path: PathBuf) -> SocketAddr {
    let (sender, address) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().expect("the runtime starts");
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
            sender.send(listener.local_addr().expect("it listens")).expect("the address is awaited");
            loop {
                let (stream, _) = listener.accept().await.expect("a client connects");
                let path = path.clone();
                tokio::spawn(async move {
                    let service = service_fn(|request| copy(path.clone(), request));
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
    });
    address.recv().expect("the server starts")
}

async fn copy(
    path: PathBuf,
    request: http::Request<Incoming>,
) -> Result<Response<BoxBody<Bytes, Infallible>>, Infallible> {
    if request.method() == Method::GET {
        return Ok(Response::new(send_file(&path)));
    }
    let (sender, mut pieces) = tokio::sync::mpsc::channel::<Bytes>(4);
    let writer = tokio::task::spawn_blocking(move || {
        let mut file = File::create(&path).expect("the file can be written");
        while let Some(piece) = pieces.blocking_recv() {
            file.write_all(&piece).expect("the file can be written");
        }
    });
    let mut body = request.into_body();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            sender.send(data).await.expect("the writer runs");
        }
    }
    drop(sender);
    writer.await.expect("the file is written");
    Ok(Response::new(Full::default().boxed()))
}

fn send_file(path: &Path) -> BoxBody<Bytes, Infallible> {
    let (sender, pieces) = tokio::sync::mpsc::channel(4);
    let mut file = File::open(path).expect("the file was written");
    tokio::task::spawn_blocking(move || {
        loop {
            let mut piece = vec![0; PIECE];
            match file.read(&mut piece).expect("the file can be read") {
                0 => return,
                length => piece.truncate(length),
            }
            if sender.blocking_send(Ok(Frame::data(Bytes::from(piece)))).is_err() {
                return;
            }
        }
    });
    let stream = Pieces(pieces);
    BodyExt::boxed(StreamBody::new(stream))
}

/// Pieces of a file as a stream.
struct Pieces(tokio::sync::mpsc::Receiver<Result<Frame<Bytes>, Infallible>>);

impl futures_core::Stream for Pieces {
    type Item = Result<Frame<Bytes>, Infallible>;

    fn poll_next(
        mut self: std::pin::Pin<&mut Self>,
        cx: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Self::Item>> {
        self.0.poll_recv(cx)
    }
}
