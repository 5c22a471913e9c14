//! Limits that hold before any work is done for a request.

use crate::{
    served::{noon, read_answer, send, send_raw, send_with, serve, serve_cloud},
    signing::{Wire, serve_strict},
};
use nephos::{Cloud, SignedDuration};
use nephos_server::{Limits, Server};
use std::{
    io::{Read, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::mpsc,
    thread,
};

/// Sends the head of a request whose body would have `length` bytes, and nothing of the body; returns the start of the
/// response.
fn send_head(address: SocketAddr, wire: &Wire, length: u64) -> String {
    let mut head = format!("{} {} HTTP/1.1\r\nContent-Length: {length}\r\n", wire.method, wire.path);
    if wire.header("host").is_empty() {
        head += &format!("Host: {address}\r\n");
    }
    for (name, value) in &wire.headers {
        head += &format!("{name}: {value}\r\n");
    }
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(format!("{head}\r\n").as_bytes()).unwrap();
    // The response must come while the body is missing.
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    while !answer.windows(4).any(|four| four == b"\r\n\r\n") {
        let read = stream.read(&mut part).unwrap();
        assert_ne!(read, 0, "the connection was closed without a response");
        answer.extend_from_slice(&part[..read]);
    }
    stream.shutdown(Shutdown::Both).unwrap();
    String::from_utf8(answer).unwrap()
}

#[test]
fn strict_server_checks_the_signature_before_it_reads_the_body() {
    let (address, signer) = serve_strict(&Cloud::options().clock(noon()).seed(1).in_memory());
    let put = || Wire::logs("PutLogEvents", "{}");
    let mut unknown = signer.clone();
    unknown.key = "AKIAUNKNOWN".into();
    let late = signer.clone().after(SignedDuration::from_mins(-16));
    let form = Wire::new("POST", "/", "Action=DescribeVpcs&Version=2016-11-15")
        .with("content-type", "application/x-www-form-urlencoded");
    for (what, wire, length, code) in [
        ("no signature", put(), 10, "MissingAuthenticationTokenException"),
        ("unknown key", put().signed(address, &unknown), 10, "UnrecognizedClientException"),
        ("late", put().signed(address, &late), 10, "InvalidSignatureException"),
        (
            "another service",
            put().signed(address, &signer.clone().for_service("ec2")),
            10,
            "InvalidSignatureException",
        ),
        ("rest", Wire::new("POST", "/v1/registries/name/a", ""), 10, "MissingAuthenticationTokenException"),
        ("large form", form.clone(), 30 << 20, "403"),
        ("large form, unknown key", form.signed(address, &unknown.for_service("ec2")), 30 << 20, "401"),
        ("no content type", Wire::new("POST", "/", ""), 10, "403"),
        ("text", Wire::new("POST", "/", "").with("content-type", "text/plain"), 10, "403"),
        ("control", Wire::new("POST", "/_nephos/restore", ""), 10, "403"),
        ("health", Wire::new("POST", "/_nephos/health", ""), 1 << 20, "413"),
    ] {
        let answer = send_head(address, &wire, length);
        assert!(answer.contains(code), "{what}: {answer}");
    }
}

#[test]
fn announced_body_that_is_too_large_is_refused_at_once() {
    let (_, address) = serve_cloud();
    let wire = Wire::logs("PutLogEvents", "{}");
    for length in [(32 << 20) + 1, 1 << 62] {
        assert!(send_head(address, &wire, length).starts_with("HTTP/1.1 413 "), "{length}");
    }
    // A client that sends the whole body before it reads gets the response, too.
    let limits = small_limits(|limits| limits.body_bytes = 1 << 20);
    let address = serve(Server::new(Cloud::in_memory()).limits(limits));
    let answer = send(address, "POST", "/v1/registries/name/a", &"x".repeat((1 << 20) + 1));
    assert_eq!(answer.status, 413, "{}", answer.text());
    let chunked = format!(
        "POST / HTTP/1.1\r\nHost: a.localhost\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{}\r\n0\r\n\r\n",
        (1 << 20) + 1,
        "x".repeat((1 << 20) + 1)
    );
    assert_eq!(send_raw(address, chunked.as_bytes()).status, 413);
}

fn small_limits(change: impl FnOnce(&mut Limits)) -> Limits {
    let mut limits = Limits::default();
    change(&mut limits);
    limits
}

#[test]
fn bodies_beyond_the_budget_are_refused_and_small_ones_are_not() {
    let limits = small_limits(|limits| limits.all_bodies_bytes = 1 << 20);
    let address = serve(Server::new(Cloud::in_memory()).limits(limits));
    let target = [("X-Amz-Target", "Logs_20140328.DescribeLogGroups")];
    let body = |size: usize| format!("{{\"logGroupNamePrefix\":\"{}\"}}", "x".repeat(size));
    let large = send_with(address, "POST", "/", &target, body(2 << 20).as_bytes());
    assert_eq!((large.status, large.header("x-amzn-errortype")), (503, Some("ServiceUnavailable")));
    for _ in 0..3 {
        let fits = send_with(address, "POST", "/", &target, body(900 << 10).as_bytes());
        assert_eq!(fits.status, 400, "it is read, and then the prefix is too long: {}", fits.text());
    }
    assert_eq!(send_with(address, "POST", "/", &target, b"{}").status, 200);
}

#[test]
fn large_requests_are_answered_on_other_threads() {
    // A request is logged on the thread that answers it. The test server has one thread for connections.
    let (logged, threads) = mpsc::channel();
    let server = Server::new(Cloud::in_memory()).log(move |_| logged.send(thread::current().id()).unwrap());
    let address = serve(server);
    let thread_of = |size: usize| {
        send(address, "POST", "/v1/registries/name/a", &" ".repeat(size));
        threads.recv().unwrap()
    };
    let small = thread_of(10);
    assert_eq!(thread_of(30 << 10), small);
    assert_ne!(thread_of(33 << 10), small);
}

#[test]
fn large_requests_are_answered_like_small_ones() {
    let (cloud, address) = serve_cloud();
    let spaces = " ".repeat(600 << 10);
    let target = [("X-Amz-Target", "Logs_20140328.CreateLogGroup")];
    let body = format!("{{\"logGroupName\":\"/large\"{spaces}}}");
    let answer = send_with(address, "POST", "/", &target, body.as_bytes());
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert!(nephos::LogGroup::objects(&cloud.session()).get("/large").wait().unwrap().is_some());
    let pairs = "&A.1=x".repeat(100_000);
    let form = format!("Action=DescribeVpcs&Version=2016-11-15{pairs}");
    let answer = send(address, "POST", "/", &form);
    assert_eq!(answer.status, 400);
    assert!(answer.text().contains("at most 100000 parameters"), "{}", answer.text());
    let members: Vec<_> = (0..100_001).map(|n| format!("\"x{n}\":1")).collect();
    let members = format!("{{{}}}", members.join(","));
    let service = send_with(address, "POST", "/", &target, members.as_bytes());
    assert_eq!((service.status, service.header("x-amzn-errortype")), (400, Some("SerializationException")));
    for path in ["/_nephos/clock", "/_nephos/snapshot", "/_nephos/functions"] {
        let control = send(address, "POST", path, &members);
        assert_eq!(control.status, 400);
        assert!(control.text().contains("at most 100000 members"), "{path}: {}", control.text());
    }
}

#[test]
fn ambiguous_requests_are_refused() {
    let (_, address) = serve_cloud();
    let get = |lines: &str| {
        send_raw(
            address,
            format!("GET /v1/registries HTTP/1.1\r\nConnection: close\r\n{lines}\r\n").as_bytes(),
        )
    };
    assert_eq!(get("Host: localhost\r\n").status, 200);
    for lines in ["", "Host: localhost\r\nHost: localhost\r\n"] {
        let answer = get(lines);
        assert_eq!(
            (answer.status, answer.field("Code")),
            (400, "MalformedHttpRequestException".into()),
            "{lines}"
        );
    }
    let chunked = |coding: &str, body: &str| {
        let head = "POST /v1/registries/name/a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
        send_raw(address, format!("{head}Transfer-Encoding: {coding}\r\n\r\n{body}").as_bytes())
    };
    assert_eq!(chunked("gzip, chunked", "2\r\n{}\r\n0\r\n\r\n").status, 400);
    for malformed in ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}xx0\r\n\r\n", "-1\r\n{}\r\n"] {
        let answer = chunked("chunked", malformed);
        let code = answer.header("x-amzn-errortype").map(str::to_owned);
        assert_eq!(
            (answer.status, code.as_deref()),
            (400, Some("MalformedHttpRequestException")),
            "{malformed:?}"
        );
    }
    assert_eq!(chunked("chunked", "2\r\n{}\r\n0\r\n\r\n").status, 201);
}

#[test]
fn connections_of_one_address_are_limited() {
    let limits = small_limits(|limits| limits.connections_per_address = 2);
    let address = serve(Server::new(Cloud::in_memory()).limits(limits));
    let request = b"GET /_nephos/health HTTP/1.1\r\nHost: localhost\r\n\r\n";
    let mut open: Vec<TcpStream> = (0..2).map(|_| TcpStream::connect(address).unwrap()).collect();
    for stream in &mut open {
        stream.write_all(request).unwrap();
        let mut read = [0; 12];
        stream.read_exact(&mut read).unwrap();
        assert_eq!(&read, b"HTTP/1.1 200");
    }
    // Idle connections make room: nobody on this machine is locked out.
    let last_request = b"GET /_nephos/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    let mut third = TcpStream::connect(address).unwrap();
    third.write_all(last_request).unwrap();
    assert_eq!(read_answer(&mut third).status, 200);
    let mut rest = String::new();
    open[0].read_to_string(&mut rest).unwrap();
    assert!(!rest.contains("HTTP/1.1"), "the connection that waited longest was closed: {rest}");
    open[1].write_all(last_request).unwrap();
    open[1].read_to_string(&mut rest).unwrap();
    assert!(rest.contains("HTTP/1.1 200"), "the other one is still answered: {rest}");
}
