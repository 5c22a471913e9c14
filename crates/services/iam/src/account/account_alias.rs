//! The alias of an account, which replaces the account in the address of its sign-in page.

use crate::{
    AccountSummary, AccountSummaryManager, errors, identity::shared_rows::in_shared_scope, paging::Page,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Row of the alias of an account.
#[derive(Record)]
#[record(row)]
pub(crate) struct AccountAliasRow {
    /// Alias.
    alias: Option<Text>,
}

nephos_cloud::stored!(AccountAliasRow in "iam/account-alias" by alias);

/// Row of a taken alias, in the scope that all accounts share.
#[derive(Record)]
#[record(row)]
pub(crate) struct TakenAliasRow {
    /// Alias.
    alias: Option<Text>,
    /// Account that has the alias.
    account: Option<Text>,
}

nephos_cloud::stored!(TakenAliasRow in "iam/taken-alias" by alias);

/// Alias of an account.
#[derive(Record)]
#[record(shared)]
pub struct Alias {
    /// Alias: lowercase letters, digits and single hyphens between them.
    #[field(required, length(3..=63), pattern = "[a-z0-9](-?[a-z0-9])*")]
    account_alias: Option<Text>,
}

/// Returns the alias of the account, if it has one.
pub(crate) fn find(cx: &Tx<'_>) -> Result<Option<Text>> {
    let rows: Vec<AccountAliasRow> = cx.all(&AccountAliasRow::table(cx.scope()))?;
    Ok(rows.into_iter().find_map(|row| row.alias))
}

fn remove(cx: &mut Tx<'_>, alias: Text) -> Result<()> {
    cx.remove(&AccountAliasRow { alias: Some(alias.clone()) })?;
    in_shared_scope(cx, |cx| cx.remove(&TakenAliasRow { alias: Some(alias), account: None }))
}

/// Sets the alias of the account, which is unique over all accounts; it replaces another one.
#[operation(of = AccountSummary, call = "create_alias", include(Alias), effect = write, subject = "*")]
pub struct CreateAccountAlias {}

impl Handler for CreateAccountAlias {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let alias = &self.account_alias;
        if in_shared_scope(cx, |cx| cx.exists(&TakenAliasRow::table(cx.scope()).text(alias)))? {
            return Err(errors::alias_exists(&self.account_alias));
        }
        let previous: Vec<AccountAliasRow> = cx.all(&AccountAliasRow::table(cx.scope()))?;
        previous.into_iter().filter_map(|row| row.alias).try_for_each(|alias| remove(cx, alias))?;
        let row = TakenAliasRow {
            alias: Some(self.account_alias.clone()),
            account: Some(cx.scope().account().into()),
        };
        in_shared_scope(cx, |cx| cx.put(row))?;
        cx.put(AccountAliasRow { alias: Some(self.account_alias) })?;
        Ok(Empty {})
    }
}

/// Removes the alias of the account.
#[operation(of = AccountSummary, call = "delete_alias", include(Alias), effect = write, subject = "*")]
pub struct DeleteAccountAlias {}

impl Handler for DeleteAccountAlias {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if !cx.exists(&AccountAliasRow::table(cx.scope()).text(&self.account_alias))? {
            return Err(errors::alias_not_found(&self.account_alias));
        }
        remove(cx, self.account_alias)?;
        Ok(Empty {})
    }
}

/// Lists the aliases of the account: none, or one.
#[operation(
    of = AccountSummary, call = "list_aliases", include(Page),
    page(account_aliases: Text, marker, is_truncated), effect = read, subject = "*"
)]
pub struct ListAccountAliases {}

impl Handler for ListAccountAliases {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(cx.page_items(&self, find(cx)?, Text::clone)?.into())
    }
}
