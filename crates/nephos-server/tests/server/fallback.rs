//! Requests for unknown services are forwarded to another endpoint unchanged.

use crate::{
    served::{logs, noon, send_with, serve, session},
    signing::{Signer, Wire},
};
use nephos::{Cloud, Ids, LogGroup};
use nephos_server::{Auth, RootKey, Server};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
    sync::{Arc, Mutex, mpsc},
    thread,
};

/// Starts an endpoint that always sends `answer`; returns its address and the requests it receives.
fn fallback_endpoint(answer: impl Into<Vec<u8>>) -> (SocketAddr, mpsc::Receiver<Vec<u8>>) {
    let (listener, answer) = (TcpListener::bind("127.0.0.1:0").unwrap(), answer.into());
    let (address, (received, requests)) = (listener.local_addr().unwrap(), mpsc::channel());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (mut stream, mut read, mut chunk) = (stream.unwrap(), Vec::new(), [0; 4096]);
            while !is_complete(&read) {
                let n = stream.read(&mut chunk).unwrap();
                read.extend_from_slice(&chunk[..n]);
            }
            stream.write_all(&answer).unwrap();
            if received.send(read).is_err() {
                return;
            }
        }
    });
    (address, requests)
}

fn is_complete(request: &[u8]) -> bool {
    let Some(end) = request.windows(4).position(|four| four == b"\r\n\r\n") else { return false };
    let head = String::from_utf8_lossy(&request[..end]).to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    request.len() >= end + 4 + length.parse::<usize>().unwrap()
}

/// Starts a server with the fallback endpoint at `behind`; returns its cloud, address and log lines.
fn serve_with_fallback(
    behind: SocketAddr,
    with: impl FnOnce(Server) -> Server,
) -> (Cloud, SocketAddr, Arc<Mutex<Vec<String>>>) {
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let server = Server::new(cloud.clone()).clock(noon()).fallback(&format!("http://{behind}")).unwrap();
    let server = server.log(move |line| log.lock().unwrap().push(line.to_string()));
    (cloud, serve(with(server)), lines)
}

fn signer(service: &'static str) -> Signer {
    let root = RootKey::new(&Ids::seeded(3));
    let secret = root.secret_access_key.expose().to_owned();
    let (key, time) = (root.access_key_id.to_string(), noon().now());
    Signer { key, secret, token: None, region: "eu-west-1", service, time }
}

#[test]
fn request_and_response_are_forwarded_unchanged() {
    let body = b"\x00\xff<odd>".repeat(1000);
    let answer = [
        b"HTTP/1.1 207 Multi\r\nX-Odd: \xfc\r\nx-twice: 1\r\nx-twice: 2\r\nKeep-Alive: 5\r\nContent-Length: 7000\r\n\r\n",
        body.as_slice(),
    ];
    let (behind, requests) = fallback_endpoint(answer.concat());
    let (_, address, lines) = serve_with_fallback(behind, |server| server);
    let odd = "/bucket/a%2fb%20c//../d;e?x-id=PutObject&a=%7E~&empty&q=a+b";
    let wire = Wire { body: body.clone(), ..Wire::new("PUT", odd, "") }
        .with("x-amz-meta-odd", "two  spaces")
        .with("host", "bucket.s3.localhost:4566")
        .with("connection", "x-mine")
        .with("x-mine", "of the connection")
        .with("te", "trailers")
        .with("expect", "100-continue");
    let wire = wire.signed(address, &signer("s3"));
    let given = wire.send(address);

    assert_eq!((given.status, given.header("keep-alive")), (207, None));
    assert_eq!(given.body, body);
    let twice: Vec<_> =
        given.headers.iter().filter(|(name, _)| name == "x-twice").map(|(_, value)| value).collect();
    assert_eq!(twice, ["1", "2"]);
    let sent = requests.recv().unwrap();
    let end = sent.windows(4).position(|four| four == b"\r\n\r\n").unwrap();
    let head = String::from_utf8(sent[..end].to_vec()).unwrap();
    assert_eq!(head.lines().next(), Some(&*format!("PUT {odd} HTTP/1.1")));
    assert_eq!(&sent[end + 4..], body);
    let header = |name: &str| {
        let mut found = head.lines().filter_map(|line| line.split_once(": ")).filter(|(key, _)| *key == name);
        let value = found.next().map(|(_, value)| value.to_owned());
        assert!(found.next().is_none(), "{head}");
        value
    };
    for name in ["host", "authorization", "x-amz-date", "x-amz-meta-odd"] {
        assert_eq!(header(name).as_deref(), Some(wire.header(name)), "{name}");
    }
    assert_eq!(header("content-length").as_deref(), Some("7000"));
    for name in ["te", "expect", "x-mine", "connection", "x-nephos-fork"] {
        assert_eq!(header(name), None, "{name}");
    }
    let lines = lines.lock().unwrap();
    let line = format!(" s3 -> http://{behind}");
    assert!(lines.len() == 1 && lines[0].ends_with(&line), "{lines:?}");
    assert!(
        lines[0].contains("PUT /bucket/") && lines[0].contains(" 123456789012/eu-west-1 207 "),
        "{lines:?}"
    );
}

#[test]
fn requests_for_known_services_are_not_forwarded() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    let (behind, requests) = fallback_endpoint(answer);
    let (cloud, address, _) = serve_with_fallback(behind, |server| server);
    let group = LogGroup::builder().log_group_name("/web").build().unwrap();
    LogGroup::objects(&session(address, "test")).create(&group).wait().unwrap();
    assert!(LogGroup::objects(&cloud.session()).get("/web").wait().unwrap().is_some());
    let unknown = logs(address, "test", "NoSuchThing", "{}");
    assert_eq!(unknown.header("x-amzn-errortype"), Some("UnknownOperationException"));
    assert_eq!(send_with(address, "GET", "/_nephos/nothing", &[], b"").status, 404);
    assert_eq!(send_with(address, "POST", "/_nephos/fork", &[], b"{\"name\":\"try\"}").status, 200);
    let target = ("X-Amz-Target", "AmazonSQS.SendMessage");
    let forked = send_with(address, "POST", "/", &[target, ("X-Nephos-Fork", "try")], b"{}");
    assert_eq!(
        forked.header("x-amzn-errortype"),
        Some("UnknownOperationException"),
        "a fork has no fallback"
    );
    assert!(requests.try_recv().is_err());
    // A signature of another scheme is passed to the fallback, which may know it.
    for authorization in ["Bearer abc", "AWS key:signature"] {
        let headers = [target, ("Authorization", authorization)];
        assert_eq!(send_with(address, "POST", "/", &headers, b"{}").status, 200);
        assert!(String::from_utf8(requests.recv().unwrap()).unwrap().contains(authorization));
    }
}

#[test]
fn unreachable_fallback_returns_bad_gateway() {
    let unused = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (_, address, lines) = serve_with_fallback(unused, |server| server);
    let target = [("X-Amz-Target", "AmazonSQS.SendMessage")];
    let json = send_with(address, "POST", "/", &target, b"{}");
    assert_eq!((json.status, json.header("x-amzn-errortype")), (502, Some("BadGateway")));
    let message = json.field("message");
    assert!(message.starts_with(&format!("http://{unused} does not answer: ")), "{message}");
    assert_eq!(message.lines().count(), 1);
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let query = send_with(address, "POST", "/", &form, b"Action=Publish&Version=1999-01-01");
    assert!(query.status == 502 && query.text().contains("<Code>BadGateway</Code>"), "{}", query.text());
    assert!(lines.lock().unwrap().iter().all(|line| line.ends_with("BadGateway")));
}

#[test]
fn unauthenticated_request_is_not_forwarded() {
    let (behind, requests) = fallback_endpoint("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    let root = RootKey::new(&Ids::seeded(3));
    let (_, address, lines) = serve_with_fallback(behind, |server| server.auth(Auth::Strict).root(root));
    let wire = || Wire::new("GET", "/bucket", "");
    assert_eq!(wire().send(address).status, 403);
    let guessed = Signer { secret: "guessed".into(), ..signer("s3") };
    assert_eq!(wire().signed(address, &guessed).send(address).status, 403);
    assert!(requests.try_recv().is_err());
    assert!(lines.lock().unwrap().iter().all(|line| !line.contains("->")), "{lines:?}");
    assert_eq!(wire().signed(address, &signer("s3")).send(address).status, 200);
    assert!(requests.recv().is_ok());
}
