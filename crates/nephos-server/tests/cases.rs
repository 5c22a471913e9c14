//! Every behaviour case through a server: the session is a remote one.

use nephos::{
    Cloud, Kernel, Session,
    prelude::*,
    testing::{self, TestCloud, World},
};
use nephos_server::Server;
use std::{future::pending, net::SocketAddr, sync::mpsc, thread};

/// A served cloud; its sessions use the wire, everything else accesses the cloud directly.
struct Served {
    cloud: Cloud,
    endpoint: String,
}

impl Served {
    fn new() -> Self {
        let cloud: Cloud = testing::options().in_memory();
        let endpoint = format!("http://{}", serve(Server::new(cloud.clone())));
        Self { cloud, endpoint }
    }
}

/// Starts `server`, until the program ends; returns its address.
fn serve(server: Server) -> SocketAddr {
    let (bound, address) = mpsc::channel();
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.expect("a runtime").block_on(async {
            let server = server.bind(SocketAddr::from(([127, 0, 0, 1], 0))).await.expect("a free port");
            bound.send(server.address()).expect("the test waits for the address");
            server.run(pending()).await;
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

fn main() {
    let everywhere = testing::cases().filter(|case| !case.in_process);
    testing::run(
        everywhere.map(|case| testing::trial(case, "served", || World::new(Served::new()))).collect(),
    );
}
