//! Source accounts linked to a monitoring account, which can read their log groups.

use crate::{Empty, SERVICE};
use nephos_cloud::{Handler, Key, Part, Scope, Tx, read_key};
use nephos_core::{Error, Result, Text, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Returns the key prefix of the links of a monitoring account.
fn links_key(monitoring: &str) -> Key {
    Key::table("logs/link").text(monitoring)
}

/// Returns the IDs of the accounts linked to the caller's account.
pub(super) fn linked_accounts(cx: &Tx<'_>) -> Result<Vec<Text>> {
    let mut accounts = Vec::new();
    cx.scan_keys(&links_key(cx.scope().account()).prefix_range(), Direction::Ascending, |key, _| {
        if let Some(Part::Text(account)) = read_key(key).and_then(|(_, mut parts)| parts.pop()) {
            accounts.push(account);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(accounts)
}

/// Links a source account to a monitoring account, which then finds its log groups with `includeLinkedAccounts`. A test
/// control.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "*")]
pub struct LinkAccounts {
    /// ID of the monitoring account.
    pub monitoring: Text,
    /// ID of the source account.
    pub source: Text,
}

impl Handler for LinkAccounts {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        for account in [&self.monitoring, &self.source] {
            Scope::check_account(account)?;
        }
        if self.monitoring == self.source {
            return Err(Error::invalid("account", "an account cannot be linked to itself"));
        }
        cx.put_row(&links_key(&self.monitoring).text(&self.source), &[])?;
        Ok(Empty {})
    }
}
