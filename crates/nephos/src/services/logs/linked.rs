//! Accounts that are linked to a monitoring account, which may look at their log groups.

use crate::cloud::{Cloud, Key, Part, Scope, Tx, read_key};
use nephos_core::{Error, Result, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// The table of links, by monitoring account.
fn table(monitoring: &str) -> Key {
    Key::table("logs/link").text(monitoring)
}

/// The accounts that are linked to the caller's.
pub(super) fn accounts(cx: &Tx<'_>) -> Result<Vec<Text>> {
    let mut accounts = Vec::new();
    cx.scan_keys(&table(cx.scope().account()).within(), Direction::Ascending, |key, _| {
        if let Some(Part::Text(account)) = read_key(key).and_then(|(_, mut parts)| parts.pop()) {
            accounts.push(account);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(accounts)
}

impl Cloud {
    /// Links the account `source` to `monitoring`, which from then on sees its log groups where it asks for linked
    /// accounts.
    pub fn link_accounts(&self, monitoring: &str, source: &str) -> Result<()> {
        for account in [monitoring, source] {
            Scope::check_account(account)?;
        }
        if monitoring == source {
            return Err(Error::invalid("account", "an account cannot be linked to itself"));
        }
        self.put_meta(&table(monitoring).text(source), Vec::new())
    }
}
