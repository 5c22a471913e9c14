//! Every behaviour case through a server: the session is a remote one.

use nephos::{Cloud, Kernel, Session, prelude::*};
use nephos_server::Server;
use nephos_testing::{Case, TestCloud, World};
use std::{net::SocketAddr, sync::mpsc, thread};
use tokio::sync::oneshot;

nephos_cases::each_case!(crate::cases::run_served);

/// Runs a case on a served cloud.
fn run_served(cases: &[Case], name: &str) {
    nephos_testing::run(cases, name, || World::new(Served::new()));
}

/// A served cloud; its sessions use the wire, everything else accesses the cloud directly. The server stops when it is dropped.
struct Served {
    cloud: Cloud,
    endpoint: String,
    _stop: oneshot::Sender<()>,
}

impl Served {
    fn new() -> Self {
        let cloud: Cloud = nephos_testing::options().in_memory();
        let (stop, stopped) = oneshot::channel();
        let endpoint = format!("http://{}", serve(Server::new(cloud.clone()), stopped));
        Self { cloud, endpoint, _stop: stop }
    }
}

/// Starts `server`, until the other end of `stopped` is dropped; returns its address.
fn serve(server: Server, stopped: oneshot::Receiver<()>) -> SocketAddr {
    let (bound, address) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let server = server.bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a free port");
            bound.send(server.address()).expect("the test waits for the address");
            server.run(async { drop(stopped.await) }).await;
        });
    });
    address.recv().expect("the server starts")
}

impl TestCloud for Served {
    fn cloud(&self) -> &Kernel {
        &self.cloud
    }

    fn session_in(&self, account: &str, region: &str) -> Session {
        let session = Session::remote().endpoint(self.endpoint.as_str()).region(region).account(account);
        session.keys(account, "secret").build().expect("a session")
    }
}
