//! Rotation of secrets by a function at a loopback address.

use crate::served::{send, serve_cloud};
use nephos::{
    Result, Secret, Session, SignedDuration, Value,
    prelude::*,
    services::secrets::{CURRENT, PENDING},
};
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
    time::Duration,
};

fn session(address: SocketAddr) -> Session {
    Session::remote()
        .endpoint(format!("http://{address}"))
        .region("us-east-1")
        .keys("123456789012", "x")
        .build()
        .unwrap()
}

/// Reads one request; returns its body.
fn read_body(stream: &TcpStream) -> String {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        reader.read_line(&mut line).unwrap();
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    String::from_utf8(body).unwrap()
}

/// Executes a rotation step over the wire, as a function written in any language would.
fn execute_step(session: &Session, event: &Value) -> Result<()> {
    let Value::Map(event) = event else { panic!("{event:?}") };
    let text = |name: &str| event.get(name).and_then(Value::as_text).unwrap().to_owned();
    let (secrets, id, token) = (Secret::objects(session), text("SecretId"), text("ClientRequestToken"));
    assert_eq!(text("RotationToken").len(), 36);
    match text("Step").as_str() {
        "createSecret" => {
            let put = secrets.set_value(id).client_request_token(token).version_stages([PENDING]);
            put.rotation_token(text("RotationToken")).secret_string("new").wait()?;
        }
        "finishSecret" => {
            let current = secrets.get_value(id.as_str()).wait()?;
            let moved = secrets.update_version_stage(id, CURRENT).move_to_version_id(token);
            moved.remove_from_version_id(current.version_id().unwrap()).wait()?;
        }
        _ => {}
    }
    Ok(())
}

/// Starts a function; returns its address and the steps it receives. It answers its first request with 500.
fn function(server: SocketAddr) -> (SocketAddr, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (received, steps): (Sender<String>, _) = channel();
    thread::spawn(move || {
        let session = session(server);
        for (n, stream) in listener.incoming().enumerate() {
            let mut stream = stream.unwrap();
            let body = read_body(&stream);
            let event = nephos_core::json::parse(body.as_bytes()).unwrap();
            let done = n > 0 && execute_step(&session, &event).is_ok();
            let Value::Map(event) = event else { panic!("{body}") };
            if received.send(event["Step"].as_text().unwrap().to_owned()).is_err() {
                return;
            }
            let status = if done { "200 OK" } else { "500 Internal Server Error" };
            let _ = write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");
        }
    });
    (address, steps)
}

#[test]
fn loopback_function_rotates_secrets() {
    let (cloud, address) = serve_cloud();
    let (function, steps) = function(address);
    let register = |body: &str| send(address, "POST", "/_nephos/functions", body);
    let arn = "arn:aws:lambda:us-east-1:123456789012:function:renew";
    let answer = register(&format!("{{\"name\": \"renew\", \"url\": \"http://{function}/rotate\"}}"));
    assert_eq!(answer.status, 200, "{}", answer.text());

    let session = session(address);
    let secrets = Secret::objects(&session);
    secrets.create(&Secret::builder().name("web").build().unwrap()).secret_string("old").wait().unwrap();
    secrets.rotate("web").rotation_function_arn(arn).wait().unwrap();
    let value = || secrets.get_value("web").wait().unwrap().secret_string().unwrap().expose().to_owned();
    assert_eq!(value(), "old", "the first answer of the function is an error");
    let mut received = vec![steps.recv().unwrap()];
    // The server calls the function by itself, beside its calls.
    while received.last().is_some_and(|step| step != "finishSecret") {
        cloud.clock().advance(SignedDuration::from_mins(1)).unwrap();
        received.extend(steps.recv_timeout(Duration::from_millis(50)));
    }
    assert_eq!(value(), "new");
    assert_eq!(received, ["createSecret", "createSecret", "setSecret", "testSecret", "finishSecret"]);
}

#[test]
fn invalid_function_is_rejected() {
    let (_, address) = serve_cloud();
    for (body, field) in [
        ("{\"name\": \"renew\", \"url\": \"http://example.com/\"}", "url"),
        ("{\"name\": \"renew\", \"url\": \"https://127.0.0.1/\"}", "url"),
        ("{\"name\": \"\", \"url\": \"http://127.0.0.1/\"}", "name"),
        ("{\"name\": \"renew\"}", "url"),
    ] {
        let answer = send(address, "POST", "/_nephos/functions", body);
        assert_eq!(answer.status, 400, "{}", answer.text());
        assert!(answer.text().contains(&format!("{field}:")), "{}", answer.text());
    }
}
