//! A server that is told to stop finishes what it accepted, and then stops.

use nephos::Cloud;
use nephos_server::{Limits, Server};
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::mpsc,
    thread,
    time::Duration,
};
use tokio::sync::oneshot;

#[test]
fn a_server_without_a_free_connection_can_be_stopped() {
    let mut limits = Limits::default();
    (limits.connections, limits.patience, limits.farewell) =
        (1, Duration::from_secs(3600), Duration::from_secs(3600));
    let ((tell, told), (stop, stopped)) = (mpsc::channel(), oneshot::channel::<()>());
    let server = thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let server = Server::new(Cloud::in_memory()).limits(limits);
            let bound = server.bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
            tell.send(bound.address()).unwrap();
            bound.run(async move { drop(stopped.await) }).await;
        });
    });
    let mut idle = TcpStream::connect(told.recv().unwrap()).unwrap();
    idle.write_all(b"GET /_nephos/health HTTP/1.1\r\nHost: a\r\n\r\n").unwrap();
    let mut read = [0; 12];
    idle.read_exact(&mut read).unwrap();
    assert_eq!(&read, b"HTTP/1.1 200");
    stop.send(()).unwrap();
    // The server hangs up once it is told, although its one connection is only idle.
    let mut rest = Vec::new();
    idle.read_to_end(&mut rest).unwrap();
    server.join().unwrap();
}
