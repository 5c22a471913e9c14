//! Sessions: one caller, with the way its operations are carried out.

use crate::{Secret, Text, Transport};
use jiff::Timestamp;
use std::{fmt, sync::Arc};

/// The account that is used when none is named.
pub const DEFAULT_ACCOUNT: &str = "123456789012";

/// The Region that is used when none is named.
pub const DEFAULT_REGION: &str = "us-east-1";

/// What a caller proves who they are with.
#[derive(Clone, Debug, PartialEq)]
pub struct Credentials {
    /// The public part.
    pub access_key_id: Text,
    /// The secret part.
    pub secret_access_key: Secret,
    /// What temporary credentials have beside.
    pub session_token: Option<Secret>,
    /// When they run out.
    pub expiration: Option<Timestamp>,
}

/// One caller: account, Region, credentials, transport. It never changes and is cheap to clone.
#[derive(Clone)]
pub struct Session(Arc<Inner>);

#[derive(Clone)]
struct Inner {
    account: Text,
    region: Text,
    credentials: Option<Credentials>,
    transport: Arc<dyn Transport>,
}

impl Session {
    /// A caller in the default account and Region.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        let (account, region) = (DEFAULT_ACCOUNT.into(), DEFAULT_REGION.into());
        Self(Arc::new(Inner { account, region, credentials: None, transport }))
    }

    /// The same caller in another account.
    #[must_use]
    pub fn with_account(&self, account: impl Into<Text>) -> Self {
        self.with(|inner| inner.account = account.into())
    }

    /// The same caller in another Region.
    #[must_use]
    pub fn with_region(&self, region: impl Into<Text>) -> Self {
        self.with(|inner| inner.region = region.into())
    }

    /// The same caller with other credentials.
    #[must_use]
    pub fn with_credentials(&self, credentials: impl Into<Option<Credentials>>) -> Self {
        self.with(|inner| inner.credentials = credentials.into())
    }

    fn with(&self, change: impl FnOnce(&mut Inner)) -> Self {
        let mut inner = Inner::clone(&self.0);
        change(&mut inner);
        Self(Arc::new(inner))
    }

    /// The account.
    pub fn account(&self) -> &str {
        &self.0.account
    }

    /// The Region.
    pub fn region(&self) -> &str {
        &self.0.region
    }

    /// The credentials, where the transport needs any.
    pub fn credentials(&self) -> Option<&Credentials> {
        self.0.credentials.as_ref()
    }

    /// What carries out the operations.
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
