//! Sessions: account, Region, credentials and transport of a caller.

use crate::{ContainerDaemon, Secret, Text, Transport};
use jiff::Timestamp;
use std::{fmt, sync::Arc};

/// Account that is used by default.
pub const DEFAULT_ACCOUNT: &str = "123456789012";

/// Region that is used by default.
pub const DEFAULT_REGION: &str = "us-east-1";

/// Credentials of a caller.
#[derive(Clone, Debug, PartialEq)]
pub struct Credentials {
    /// Access key ID, the public part.
    pub access_key_id: Text,
    /// Secret access key.
    pub secret_access_key: Secret,
    /// Session token of temporary credentials.
    pub session_token: Option<Secret>,
    /// Time at which temporary credentials expire.
    pub expiration: Option<Timestamp>,
}

/// A caller: account, Region, credentials, transport. It is immutable and cheap to clone.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    account: Text,
    region: Text,
    credentials: Option<Credentials>,
    transport: Arc<dyn Transport>,
    container_daemon: Option<Arc<dyn ContainerDaemon>>,
}

impl Session {
    /// Makes a session in the default account and Region.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        let (account, region) = (DEFAULT_ACCOUNT.into(), DEFAULT_REGION.into());
        Self(Arc::new(Inner { account, region, credentials: None, transport, container_daemon: None }))
    }

    /// Returns the same session in another account.
    #[must_use]
    pub fn with_account(&self, account: impl Into<Text>) -> Self {
        self.with(|inner| inner.account = account.into())
    }

    /// Returns the same session in another Region.
    #[must_use]
    pub fn with_region(&self, region: impl Into<Text>) -> Self {
        self.with(|inner| inner.region = region.into())
    }

    /// Returns the same session with other credentials.
    #[must_use]
    pub fn with_credentials(&self, credentials: impl Into<Option<Credentials>>) -> Self {
        self.with(|inner| inner.credentials = credentials.into())
    }

    /// Returns the same session with a container daemon, which lookups such as `Image::is_pulled` ask.
    #[must_use]
    pub fn with_container_daemon(&self, daemon: Arc<dyn ContainerDaemon>) -> Self {
        self.with(|inner| inner.container_daemon = Some(daemon))
    }

    fn with(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.0);
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// Account ID.
    pub fn account(&self) -> &str {
        &self.0.account
    }

    /// Region.
    pub fn region(&self) -> &str {
        &self.0.region
    }

    /// Credentials, if the transport needs any.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.0.credentials.as_ref()
    }

    /// Container daemon of the caller's machine, if the session has one.
    pub fn container_daemon(&self) -> Option<&dyn ContainerDaemon> {
        self.0.container_daemon.as_deref()
    }

    /// Transport that runs the workflows.
    pub fn transport(&self) -> &Arc<dyn Transport> {
        &self.0.transport
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("account", &self.0.account)
            .field("region", &self.0.region)
            .finish_non_exhaustive()
    }
}
