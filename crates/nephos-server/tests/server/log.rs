//! Contents of the request log.

use crate::{
    served::{authorization, noon, send, send_with, serve},
    signing::{Signer, Wire},
};
use nephos::{Clock, Cloud, Ids, SignedDuration};
use nephos_server::{Auth, Limits, Server};
use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

/// Starts a server on whose clock a request takes a millisecond, and one about a fork two; returns its address and log lines.
fn serve_with_log(with: impl FnOnce(Server) -> Server) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let lines = Arc::new(Mutex::new(Vec::new()));
    let log = lines.clone();
    let clock = Clock::stepped(noon().now(), SignedDuration::from_millis(1));
    let cloud = Cloud::options().clock(noon()).seed(1).in_memory();
    let server = Server::new(cloud).ids(Ids::seeded(1)).clock(clock);
    let server = server.log(move |line| log.lock().unwrap().push(line.to_string()));
    (serve(with(server)), lines)
}

#[test]
fn each_request_is_logged_without_content() {
    let mut limits = Limits::default();
    limits.body_bytes = 1000;
    let (address, lines) = serve_with_log(|server| server.limits(limits));
    let target = ("X-Amz-Target", "Logs_20140328.CreateLogGroup");
    let signed = authorization("111111111111", "eu-west-1", "logs");
    let headers = [target, ("X-Amz-Date", "20260131T120000Z"), ("Authorization", &signed)];
    let create = || send_with(address, "POST", "/", &headers, b"{\"logGroupName\":\"hidden\"}");
    let answers = [
        create(),
        create(),
        send(address, "GET", "/_nephos/health?hidden=1", ""),
        send(address, "GET", "/_nephos/nothing", ""),
        send(address, "GET", "/nothing?X-Amz-Security-Token=hidden", ""),
        send(address, "POST", "/_nephos/fork", "{\"name\":\"try\"}"),
        send(address, "GET", "/_nephos/forks/try/v1/registries", ""),
        send_with(address, "POST", "/", &[target, ("Authorization", "hidden")], b"{}"),
        send_with(address, "POST", "/", &[target], &[b' '; 1001]),
    ];
    let ids = answers.map(|answer| answer.header("x-amzn-requestid").unwrap().to_owned());
    let lines = lines.lock().unwrap();
    let expected = [
        "POST logs.CreateLogGroup 111111111111/eu-west-1 200 1000us ID",
        "POST logs.CreateLogGroup 111111111111/eu-west-1 400 1000us ID ResourceAlreadyExistsException",
        "GET /_nephos/health - 200 1000us ID",
        "GET /_nephos/nothing - 404 1000us ID Unsupported",
        "GET /nothing 123456789012/us-east-1 404 1000us ID UnknownOperationException",
        "POST /_nephos/fork - 200 2000us ID",
        "GET schemas.ListRegistries 123456789012/us-east-1 200 2000us ID fork=try",
        "POST logs.CreateLogGroup - 400 1000us ID IncompleteSignatureException",
        "POST / - 413 1000us ID RequestEntityTooLarge",
    ];
    assert_eq!(lines.len(), expected.len(), "{lines:?}");
    for ((line, expected), id) in lines.iter().zip(expected).zip(ids) {
        let (time, rest) = line.split_once(' ').unwrap();
        assert_eq!(rest, expected.replace("ID", &id));
        assert!(time.starts_with("2026-01-31T12:00:00.") && time.ends_with('Z'), "{time}");
        assert!(!line.contains("hidden"), "{line}");
    }
}

#[test]
fn ignored_members_are_logged_by_name() {
    let (address, lines) = serve_with_log(|server| server);
    let target = ("X-Amz-Target", "Logs_20140328.CreateLogGroup");
    let body = b"{\"logGroupName\":\"/web\",\"logGroupColour\":\"hidden\"}";
    assert_eq!(send_with(address, "POST", "/", &[target], body).status, 200);
    let line = lines.lock().unwrap().concat();
    assert!(line.ends_with(" ignored=logGroupColour") && !line.contains("hidden"), "{line}");
}

#[test]
fn credentials_are_not_logged() {
    let (root, signer) = Signer::root();
    let signer = Signer { token: Some("hidden-token".into()), ..signer };
    let (address, lines) = serve_with_log(|server| server.auth(Auth::Strict).root(root));
    let list = || Wire::logs("DescribeLogGroups", "{}");
    list().presigned(address, &signer).send(address);
    list().signed(address, &signer).send(address);
    list().presigned(address, &Signer { token: None, ..signer.clone() }).send(address);
    let lines = lines.lock().unwrap().join("\n");
    assert_eq!(lines.matches("UnrecognizedClientException").count(), 2, "{lines}");
    assert_eq!(lines.matches(" 200 ").count(), 1, "{lines}");
    for hidden in [signer.secret.as_str(), "hidden-token", "Signature", &signer.key] {
        assert!(!lines.contains(hidden), "{lines}");
    }
}
