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

mod control;
mod fallback;
mod forks;
mod front;
mod functions;
mod gate;
mod listen;
mod log;
mod origin;
mod timeouts;

pub use gate::Auth;
pub use listen::{Bound, Limits};
pub use log::Line;
pub use nephos::RootKey;
pub use nephos_wire::sigv4::{Key, Keys};

use fallback::Fallback;
use forks::Forks;
use front::Front;
use gate::Gate;
use log::Log;
use nephos::{Clock, Cloud, Error, Ids, Result};
use origin::OriginPolicy;
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
        let gate = Gate::new(Clock::system());
        let (forks, log, limits) = (Forks::default(), Log::default(), Limits::default());
        let timeouts = limits.fallback;
        let origins = OriginPolicy::default();
        let cloud = cloud.into();
        let front = Front { cloud, ids: Ids::system(), gate, origins, forks, log, fallback: None, timeouts };
        Self { front, limits, insecure: false }
    }

    /// Request ids come from `ids`.
    pub fn ids(mut self, ids: Ids) -> Self {
        self.front.ids = ids;
        self
    }

    /// Whether callers have to prove who they are. If they have to, there must be a [`root`](Self::root) key.
    pub fn auth(mut self, auth: Auth) -> Self {
        self.front.gate.auth = auth;
        self
    }

    /// Knows this key, whose owner may use the control endpoint, too.
    pub fn root(mut self, key: RootKey) -> Self {
        self.front.gate.set_root(key);
        self
    }

    /// Looks for access keys there, after the root key and whatever was said before. What is looked up is not kept: a key
    /// that is not told of any more is not good any more.
    pub fn keys(mut self, keys: impl Keys + 'static) -> Self {
        self.front.gate.add_keys(Arc::new(keys));
        self
    }

    /// The time of day, which clients sign with and the log tells, comes from `clock`. It is not the cloud's time, which its user moves.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.front.gate.clock = clock;
        self
    }

    /// Passes requests for services that are not known here to the endpoint at `address`, as they come, and its answers
    /// back.
    pub fn fallback(mut self, address: &str) -> Result<Self> {
        self.front.fallback = Some(Fallback::new(address)?);
        Ok(self)
    }

    /// Tells `sink` of each request once it is answered. It is called by the thread that answers, which waits for it.
    pub fn log(mut self, sink: impl Fn(&Line<'_>) + Send + Sync + 'static) -> Self {
        self.front.log = Log::to(Box::new(sink));
        self
    }

    /// Answers for the host `name`, too. On a loopback address a server otherwise answers only for loopback addresses,
    /// `localhost` and names that end in `.localhost`, so that no web page can pass for it.
    pub fn host(mut self, name: &str) -> Result<Self> {
        self.front.origins.add_host(name)?;
        Ok(self)
    }

    /// Answers requests of web pages of `origin`, such as `http://localhost:3000`. Those of other pages are refused.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self> {
        self.front.origins.add_origin(origin)?;
        Ok(self)
    }

    /// Bounds what clients may ask for.
    pub fn limits(mut self, limits: Limits) -> Self {
        (self.limits, self.front.timeouts) = (limits, limits.fallback);
        self
    }

    /// Listens beyond this machine, although anybody who reaches it may do anything.
    pub fn insecure(mut self, insecure: bool) -> Self {
        self.insecure = insecure;
        self
    }

    /// Listens at `address`; at a free port if it names port 0.
    pub async fn bind(self, address: SocketAddr) -> Result<Bound> {
        let gate = &self.front.gate;
        if gate.auth == Auth::Strict && !gate.has_root() {
            return Err(Error::invalid("auth", "signatures can only be checked once there is a root key"));
        }
        if gate.auth == Auth::Open && !address.ip().to_canonical().is_loopback() && !self.insecure {
            let why = format!(
                "{address} can be reached from other machines, and nobody's credentials are checked; listen at 127.0.0.1, \
                 have them checked, or say that this is meant"
            );
            return Err(Error::invalid("listen", why));
        }
        let mut front = self.front;
        front.origins.check_host = address.ip().to_canonical().is_loopback();
        Bound::new(Arc::new(front), self.limits, address).await
    }
}
