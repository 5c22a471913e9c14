//! A server for the in-process cloud with the AWS wire protocols, so that every AWS client works against it.
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

mod auth;
mod body;
mod client_timeout;
mod connections;
mod head;
mod http_client;
mod in_process;
mod listen;
mod log;
mod metrics;
mod origin;
mod outgoing;
mod paths;
mod service_front;
mod tls;
mod uploads;

pub use auth::Auth;
pub use control::control_access;
pub use in_process::InProcess;
pub use listen::{BoundServer, Limits};
pub use log::LogLine;
pub use nephos::RootKey;
pub use nephos_wire::sigv4::{Key, Keys};
pub use tls::{SelfSignedFiles, Tls};

use auth::Authenticator;
use control::Snapshots;
use fallback::Fallback;
use forks::Forks;
use front::Front;
use http_client::LocalClient;
use log::Log;
use metrics::Metrics;
use nephos::{Clock, Cloud, Error, Ids, Kernel, Result, SignedDuration};
use origin::OriginPolicy;
use outgoing::Outgoing;
use std::{net::SocketAddr, path::PathBuf, sync::Arc};

/// A server of a cloud, not yet listening.
#[derive(Debug)]
#[must_use = "a server answers nothing until it is bound and run"]
pub struct Server {
    front: Front,
    limits: Limits,
    tls: Option<Tls>,
    insecure: bool,
}

impl Server {
    /// Creates a server of `cloud` that accepts any well-formed credentials, on this machine only.
    pub fn new(cloud: Cloud) -> Self {
        let authenticator = Authenticator::new(Clock::system());
        let (forks, log, limits) = (Forks::default(), Log::default(), Limits::default());
        let fallback_timeout = limits.fallback_timeout;
        let origins = OriginPolicy::default();
        let cloud: Kernel = cloud.into();
        let ids = Ids::system();
        let outgoing = Outgoing::new(&ids);
        cloud.register_http(LocalClient::new(outgoing.clone()));
        let front = Front {
            cloud,
            ids,
            outgoing: Some(outgoing),
            control_needs_root: false,
            metrics: Metrics::default(),
            authenticator,
            origins,
            forks,
            snapshots: Snapshots::default(),
            log,
            fallback: None,
            fallback_timeout,
        };
        Self { front, limits, tls: None, insecure: false }
    }

    /// Sets the source of request IDs.
    pub fn ids(mut self, ids: Ids) -> Self {
        self.front.ids = ids;
        self
    }

    /// Sets whether signatures are verified. `Auth::Strict` requires a [`root`](Self::root) key.
    pub fn auth(mut self, auth: Auth) -> Self {
        self.front.authenticator.auth = auth;
        self
    }

    /// Adds the root key, which may also use the control endpoint.
    pub fn root(mut self, key: RootKey) -> Self {
        self.front.authenticator.set_root(key);
        self
    }

    /// Adds a source of access keys, which is asked after the root key and the sources added before. Keys are not
    /// cached: a key that the source no longer returns is no longer valid.
    pub fn keys(mut self, keys: impl Keys + 'static) -> Self {
        self.front.authenticator.add_keys(Arc::new(keys));
        self
    }

    /// Sets the wall clock, for signatures and the log. It is not the clock of the cloud, which users can advance.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.front.authenticator.clock = clock;
        self
    }

    /// Forwards requests for services that are not implemented here to the endpoint at `address`, unchanged, and
    /// returns its responses.
    pub fn fallback(mut self, address: &str) -> Result<Self> {
        self.front.fallback = Some(Fallback::new(address)?);
        Ok(self)
    }

    /// Calls `sink` for each request once it is answered, on the thread that answers, which waits for it.
    pub fn log(mut self, sink: impl Fn(&LogLine<'_>) + Send + Sync + 'static) -> Self {
        self.front.log = Log::new(Box::new(sink));
        self
    }

    /// Accepts the host `name`, too. On a loopback address a server otherwise accepts only loopback addresses,
    /// `localhost` and names that end in `.localhost`, as a protection against DNS rebinding.
    pub fn host(mut self, name: &str) -> Result<Self> {
        self.front.origins.add_host(name)?;
        Ok(self)
    }

    /// Accepts cross-origin requests of web pages of `origin`, such as `http://localhost:3000`. Those of other origins
    /// are rejected.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self> {
        self.front.origins.add_origin(origin)?;
        Ok(self)
    }

    /// Drops a fork that was not used for this long; an hour by default.
    pub fn fork_idle(mut self, duration: SignedDuration) -> Result<Self> {
        if duration <= SignedDuration::ZERO {
            return Err(Error::invalid("fork-idle", format!("must be more than 0, got {duration:#}")));
        }
        self.front.forks.idle = duration;
        Ok(self)
    }

    /// Sets the folder of snapshots that clients save and restore by name. It is created when it is needed.
    pub fn snapshot_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.front.snapshots.folder = Some(folder.into());
        self
    }

    /// Lets clients also save and restore snapshots at any path that the user of the server can write and read.
    pub fn allow_snapshot_paths(mut self, allowed: bool) -> Self {
        self.front.snapshots.any_path = allowed;
        self
    }

    /// Lets the cloud call functions and API destinations on this machine; true by default. Otherwise no function can be registered,
    /// and events for API destinations stay in the outbox.
    pub fn outgoing(mut self, is_allowed: bool) -> Self {
        if !is_allowed {
            self.front.outgoing = None;
            self.front.cloud.unregister_http();
        }
        self
    }

    /// Encrypts connections.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.tls = Some(tls);
        self
    }

    /// Sets the limits for clients.
    pub fn limits(mut self, limits: Limits) -> Self {
        (self.limits, self.front.fallback_timeout) = (limits, limits.fallback_timeout);
        self
    }

    /// Allows listening on a non-loopback address without authentication: anybody who can connect has full access to the cloud. The
    /// control endpoint then requires a signature with the [`root`](Self::root) key: clients of other machines may look like those
    /// of this one.
    pub fn insecure(mut self, insecure: bool) -> Self {
        self.insecure = insecure;
        self
    }

    /// Returns the server without a socket, for requests of this process. It has no fallback.
    pub fn in_process(self) -> Result<InProcess> {
        if self.front.fallback.is_some() {
            return Err(Error::invalid("fallback", "is not possible without a socket"));
        }
        self.check_auth()?;
        Ok(InProcess::new(self.front, self.limits))
    }

    /// Checks that signatures can be verified if they have to be.
    fn check_auth(&self) -> Result<()> {
        let authenticator = &self.front.authenticator;
        if authenticator.auth == Auth::Strict && !authenticator.has_root() {
            return Err(Error::invalid("auth", "verifying signatures requires a root key"));
        }
        Ok(())
    }

    /// Checks that a server with these options may listen on `address`, and that nothing else does.
    pub fn check_address(&self, address: SocketAddr) -> Result<()> {
        self.check_reach(address)?;
        std::net::TcpListener::bind(address).map(drop).map_err(|error| listen::cannot_listen(address, error))
    }

    /// Listens on `address`; port 0 selects a free port.
    pub async fn bind(self, address: SocketAddr) -> Result<BoundServer> {
        self.check_auth()?;
        self.check_reach(address)?;
        let mut front = self.front;
        let is_reachable = !address.ip().to_canonical().is_loopback();
        if is_reachable && !front.authenticator.has_root() {
            return Err(Error::invalid("insecure", "the control endpoint requires a root key"));
        }
        front.control_needs_root = is_reachable || front.authenticator.auth == Auth::Strict;
        front.origins.check_host = address.ip().to_canonical().is_loopback();
        BoundServer::new(Arc::new(front), self.limits, self.tls, address).await
    }

    /// Checks that other machines cannot reach a server that verifies nothing.
    fn check_reach(&self, address: SocketAddr) -> Result<()> {
        if self.front.authenticator.auth == Auth::Open
            && !address.ip().to_canonical().is_loopback()
            && !self.insecure
        {
            let message = format!(
                "{address} can be reached from other machines, and credentials are not verified; use 127.0.0.1, verify \
                 signatures (auth strict), or allow it (insecure)"
            );
            return Err(Error::invalid("listen", message));
        }
        Ok(())
    }
}
