//! Account and Region of test controls.

use nephos_cloud::{Scope, Tx};
use nephos_core::{Record, Result, Text};

/// Account and Region that a test control is about.
#[derive(Record)]
#[record(shared)]
pub struct OfAccount {
    /// Account ID; the default account if it is not given.
    account: Option<Text>,
    /// Region; the default Region if it is not given.
    region: Option<Text>,
}

/// Returns the account and Region that are given, or else those of the transaction.
pub(crate) fn read(cx: &Tx<'_>, account: Option<&str>, region: Option<&str>) -> Result<Scope> {
    let own = cx.scope();
    Scope::parse(account.unwrap_or(own.account()), region.unwrap_or(own.region()))
}
