//! Scopes: the account and Region that a handler works in.

use crate::Key;
use nephos_core::{
    Arn, Error, ErrorKind, Place, Result, Session, global_region, is_global_region, shape::ServiceShape,
};

/// An account and a Region. They are part of the key of every row.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Scope(Place);

impl Scope {
    /// Creates the scope of a Region of an account.
    pub fn new(account: impl AsRef<str>, region: impl AsRef<str>) -> Self {
        Self(Place::new(region.as_ref(), account.as_ref()))
    }

    /// Returns the scope of `session`; an error if its account or Region is malformed.
    pub(crate) fn from_session(session: &Session) -> Result<Self> {
        Self::parse(session.account(), session.region())
    }

    /// Validates an account and a Region that a caller passes.
    pub fn parse(account: &str, region: &str) -> Result<Self> {
        Self::check_account(account)?;
        let is_region = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        let is_region = |text: &str| text.bytes().all(is_region) && !is_global_region(text);
        if region.is_empty() || region.len() > 32 || !is_region(region) {
            let message = format!("{region:?} is not a Region: expected a name like us-east-1");
            return Err(Error::new(ErrorKind::Invalid, message).with_field("region"));
        }
        Ok(Self::new(account, region))
    }

    /// Refuses an account that does not have twelve digits.
    pub fn check_account(account: &str) -> Result<()> {
        if account.len() == 12 && account.bytes().all(|byte| byte.is_ascii_digit()) {
            return Ok(());
        }
        Err(Error::invalid("account", format!("{account:?} is not an account: expected twelve digits")))
    }

    /// Scope of the rows of `service` for a caller in this scope: the global Region for a global service.
    pub(crate) fn for_service(&self, service: &ServiceShape) -> Self {
        if service.global { Self::new(self.account(), global_region(self.region())) } else { self.clone() }
    }

    /// Account of the scope.
    pub fn account(&self) -> &str {
        self.0.account()
    }

    /// Region of the scope.
    pub fn region(&self) -> &str {
        self.0.region()
    }

    /// Returns the scope of the same Region in another account.
    #[must_use]
    pub fn with_account(&self, account: impl AsRef<str>) -> Self {
        Self::new(account, self.region())
    }

    /// Prefix of the keys of a table in this scope.
    pub fn key(&self, table: &str) -> Key {
        Key::table(table).text(self.account()).text(self.region())
    }

    /// True if the ARN belongs to this account and Region.
    pub fn owns(&self, arn: &str) -> bool {
        let region = if is_global_region(self.region()) { "" } else { self.region() };
        Arn::parts(arn).is_some_and(|parts| (parts[2], parts[3]) == (region, self.account()))
    }

    /// Returns the part of host names that is the same for all resources of a service of the account in the Region: letters and digits.
    pub fn host_part(&self, characters: usize) -> String {
        // A number of the account in letters and digits; it only has to look alike and stay the same.
        let bytes = self.account().bytes().chain(self.region().bytes());
        let mut number = bytes.fold(7_u64, |number, byte| number.wrapping_mul(131).wrapping_add(byte.into()));
        let digit = |number: u64| char::from(b"abcdefghijklmnopqrstuvwxyz0123456789"[(number % 36) as usize]);
        let mut next = || {
            let digit = digit(number);
            number /= 36;
            digit
        };
        (0..characters).map(|_| next()).collect()
    }

    /// Builds the ARN of a resource in this scope from the parts of its last section.
    pub fn arn(&self, service: &str, resource: &[&str]) -> Arn {
        self.0.arn(service, resource)
    }
}
