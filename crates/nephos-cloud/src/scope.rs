//! Where a caller acts: an account and a Region.

use crate::Key;
use nephos_core::{
    Arn, Error, ErrorKind, Place, Result, Session, global_region, is_global_region, shape::ServiceShape,
};

/// An account and a Region: part of the key of every row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope(Place);

impl Scope {
    /// A Region of an account.
    pub fn new(account: impl AsRef<str>, region: impl AsRef<str>) -> Self {
        Self(Place::new(region.as_ref(), account.as_ref()))
    }

    /// Where `session` acts; an error if its account or Region is none.
    pub(crate) fn from_session(session: &Session) -> Result<Self> {
        Self::parse(session.account(), session.region())
    }

    /// The same from outside: an error if the account or the Region is none.
    pub(crate) fn parse(account: &str, region: &str) -> Result<Self> {
        Self::check_account(account)?;
        let is_region = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_region = |text: &str| text.bytes().all(is_region) && !is_global_region(text);
        if region.is_empty() || region.len() > 32 || !is_region(region) {
            let why = format!("{region:?} is not a Region: it is written like us-east-1");
            return Err(Error::new(ErrorKind::Invalid, why).with_field("region"));
        }
        Ok(Self::new(account, region))
    }

    /// Refuses what is no account.
    pub fn check_account(account: &str) -> Result<()> {
        if account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        Err(Error::invalid("account", format!("{account:?} is not an account: it has twelve digits")))
    }

    /// Where the rows of `service` stand for a caller of this scope.
    pub(crate) fn for_service(&self, service: &ServiceShape) -> Self {
        if service.global { Self::new(self.account(), global_region(self.region())) } else { self.clone() }
    }

    /// The account.
    pub fn account(&self) -> &str {
        self.0.account()
    }

    /// The Region.
    pub fn region(&self) -> &str {
        self.0.region()
    }

    /// The same Region of another account.
    #[must_use]
    pub fn with_account(&self, account: impl AsRef<str>) -> Self {
        Self::new(account, self.region())
    }

    /// The beginning of the keys of a table in this scope.
    pub fn key(&self, table: &str) -> Key {
        Key::table(table).text(self.account()).text(self.region())
    }

    /// The name of a resource here, which is made of these parts.
    pub fn arn(&self, service: &str, resource: &[&str]) -> Arn {
        self.0.arn(service, resource)
    }
}
