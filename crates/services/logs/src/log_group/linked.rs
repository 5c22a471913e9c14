//! Source accounts linked to a monitoring account, which can read their log groups.

use crate::{Empty, errors};
use nephos_cloud::{Direction, Handler, Key, Part, Scope, Tx, read_key};
use nephos_core::{Error, Result, Text, operation};
use std::ops::ControlFlow;

/// Returns the key prefix of the links of a monitoring account.
fn links_key(monitoring: &str) -> Key {
    Key::table("logs/link").text(monitoring)
}

/// Returns the IDs of the accounts linked to the caller's account.
fn linked_accounts(cx: &Tx<'_>) -> Result<Vec<Text>> {
    let mut accounts = Vec::new();
    cx.scan_keys(&links_key(cx.scope().account()).prefix_range(), Direction::Ascending, |key, _| {
        if let Some(Part::Text(account)) = read_key(key).and_then(|(_, mut parts)| parts.pop()) {
            accounts.push(account);
        }
        Ok(ControlFlow::Continue(()))
    })?;
    Ok(accounts)
}

/// Returns the scopes that a listing searches: this account and, if requested, the linked accounts or some of them.
pub(crate) fn searched_scopes(
    cx: &Tx<'_>,
    include_linked_accounts: Option<bool>,
    wanted: Option<&[Text]>,
) -> Result<Vec<Scope>> {
    if include_linked_accounts != Some(true) {
        return match wanted {
            Some(_) => Err(errors::linked_accounts_not_included().with_field("accountIdentifiers")),
            None => Ok(vec![cx.scope().clone()]),
        };
    }
    let Some(wanted) = wanted else {
        let mut accounts = linked_accounts(cx)?;
        accounts.insert(0, cx.scope().account().into());
        return Ok(accounts.into_iter().map(|account| cx.scope().with_account(account)).collect());
    };
    let mut wanted = wanted.to_vec();
    wanted.sort_unstable();
    wanted.dedup();
    wanted.iter().map(|account| readable_scope(cx, account)).collect()
}

/// Returns the scope of this account or of a linked one; any other account is an error.
pub(crate) fn readable_scope(cx: &Tx<'_>, account: &str) -> Result<Scope> {
    let is_linked = || Ok(linked_accounts(cx)?.iter().any(|linked| linked == account));
    if account != cx.scope().account() && !is_linked()? {
        return Err(errors::account_not_linked(account).with_field("accountIdentifiers"));
    }
    Ok(cx.scope().with_account(account))
}

/// Links a source account to a monitoring account, which then finds its log groups with `includeLinkedAccounts`. A test
/// control.
#[operation(case = "camel", effect = write, subject = "*")]
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
