//! Graceful shutdown: accepted requests are finished, and then the server stops.

use nephos::Cloud;
use nephos_server::{Limits, Server};
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::mpsc,
    thread,
    time::Duration,
};
use tokio::sync::oneshot;

/// A running server, and the signal that stops it.
struct Stoppable {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    server: thread::JoinHandle<()>,
}

/// Starts a server with at most `connections` connections, and without timeouts.
fn serve_stoppable(connections: usize) -> Stoppable {
    let mut limits = Limits::default();
    (limits.connections, limits.client_timeout, limits.shutdown_timeout) =
        (connections, Duration::from_secs(3600), Duration::from_secs(3600));
    let ((address, bound_address), (stop, stopped)) = (mpsc::channel(), oneshot::channel::<()>());
    let server = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::new(Cloud::in_memory()).limits(limits);
            let bound = server.bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
            address.send(bound.address()).unwrap();
            bound.run(async move { drop(stopped.await) }).await;
        });
    });
    Stoppable { address: bound_address.recv().unwrap(), stop, server }
}

#[test]
fn server_without_free_connection_can_be_stopped() {
    let Stoppable { address, stop, server } = serve_stoppable(1);
    let mut idle = TcpStream::connect(address).unwrap();
    idle.write_all(b"GET /_nephos/health HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut read = [0; 12];
    idle.read_exact(&mut read).unwrap();
    assert_eq!(&read, b"HTTP/1.1 200");
    stop.send(()).unwrap();
    // The server closes its only connection, which is idle.
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).unwrap();
    server.join().unwrap();
}

#[test]
fn graceful_shutdown_answers_accepted_request_and_closes() {
    let Stoppable { address, stop, server } = serve_stoppable(8);
    let mut idle = TcpStream::connect(address).unwrap();
    let mut busy = TcpStream::connect(address).unwrap();
    let body = "{\"logGroupName\":\"/late\"}";
    let head = "POST / HTTP/1.1\r\nHost: localhost\r\nX-Amz-Target: Logs_20140328.CreateLogGroup\r\nExpect: 100-continue\r\n";
    busy.write_all(format!("{head}Content-Length: {}\r\n\r\n", body.len()).as_bytes()).unwrap();
    let mut go_on = [0; 25];
    busy.read_exact(&mut go_on).unwrap();
    assert_eq!(&go_on, b"HTTP/1.1 100 Continue\r\n\r\n");
    stop.send(()).unwrap();
    // An idle connection is closed at once; one with a request is not.
    assert_eq!(idle.read(&mut [0]).unwrap(), 0);
    busy.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    busy.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("connection: close"), "{answer}");
    server.join().unwrap();
}
