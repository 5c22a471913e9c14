//! The container daemon of the caller's machine, such as Docker's, which lookups of images ask.

use crate::{Result, Secret};

/// A request to a container daemon.
#[derive(Clone, Debug)]
pub struct DaemonRequest {
    /// Method, such as `GET`.
    pub method: &'static str,
    /// Path and query, such as `/images/json`.
    pub path: String,
    /// Value of the header `X-Registry-Auth`: credentials of a registry.
    pub registry_auth: Option<Secret>,
    /// Body, in JSON.
    pub body: Option<Secret>,
}

impl DaemonRequest {
    /// Makes a request without a body.
    pub fn new(method: &'static str, path: impl Into<String>) -> Self {
        Self { method, path: path.into(), registry_auth: None, body: None }
    }
}

/// Answer of a container daemon.
#[derive(Clone, Debug)]
pub struct DaemonReply {
    /// Status, such as 200.
    pub status: u16,
    /// Body.
    pub body: Vec<u8>,
}

/// A container daemon that answers Docker's HTTP API. A session gets one with
/// [`Session::with_container_daemon`](crate::Session::with_container_daemon).
pub trait ContainerDaemon: Send + Sync {
    /// Sends a request, and blocks until the whole answer is there.
    ///
    /// # Errors
    ///
    /// The kind is `DaemonDown` if the daemon cannot be reached or does not answer.
    fn send(&self, request: &DaemonRequest) -> Result<DaemonReply>;
}
