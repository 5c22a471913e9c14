//! The cloud in the process served over the AWS wire protocols, so that every client of the real one works against it.
//!
//! ```no_run
//! use nephos::Cloud;
//! use nephos_server::Server;
//!
//! # async fn serve() -> nephos::Result<()> {
//! let server = Server::new(Cloud::in_memory()).bind("127.0.0.1:4566".parse().expect("an address")).await?;
//! println!("http://{}", server.address());
//! server.run(std::future::pending()).await;
//! # Ok(())
//! # }
//! ```

mod caller;
mod control;
mod front;
mod listen;

pub use caller::Caller;
pub use listen::{Bound, Limits};

use front::Front;
use nephos::{Cloud, Error, Ids, Result};
use std::{net::SocketAddr, sync::Arc};

/// A server of a cloud, not yet listening.
#[derive(Debug)]
#[must_use = "a server answers nothing until it is bound and run"]
pub struct Server {
    front: Front,
    limits: Limits,
    insecure: bool,
}

impl Server {
    /// A server of `cloud` that takes any well-formed credentials, for this machine only.
    pub fn new(cloud: Cloud) -> Self {
        Self { front: Front::new(cloud, Ids::system()), limits: Limits::default(), insecure: false }
    }

    /// Request ids come from `ids`.
    pub fn ids(mut self, ids: Ids) -> Self {
        self.front.ids = ids;
        self
    }

    /// Bounds what clients may ask for.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Listens beyond this machine, although anybody who reaches it may do anything.
    pub fn insecure(mut self, insecure: bool) -> Self {
        self.insecure = insecure;
        self
    }

    /// Listens at `address`; at a free port if it names port 0.
    pub async fn bind(self, address: SocketAddr) -> Result<Bound> {
        if !address.ip().is_loopback() && !self.insecure {
            let why = format!(
                "{address} can be reached from other machines, and nobody's credentials are checked; listen at 127.0.0.1, or \
                 say that this is meant"
            );
            return Err(Error::invalid("listen", why));
        }
        Bound::new(Arc::new(self.front), self.limits, address).await
    }
}
