//! The operation `DescribeLogGroups`: by prefix, pattern, class or identifier, in this account and linked accounts.

use super::{
    InheritedProperty, LogGroupClass, SERVICE, account_policy, errors, linked,
    log_group::{self, GROUP_NAMES, LogGroup},
};
use nephos_cloud::{Handler, Scope, Stored, Tx, page_size};
use nephos_core::{Arn, Record, Result, Text, field_value::FieldType, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Parameters of a listing of log groups.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct LogGroupQuery {
    /// IDs of the accounts to search; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    account_identifiers: Option<Vec<Text>>,
    /// Prefix of the names.
    #[field(like = LogGroup::log_group_name)]
    log_group_name_prefix: Option<Text>,
    /// Substring of the names; the operation then returns only names, ARNs and creation times.
    #[field(length(..=512), pattern = r"[.\-_/#A-Za-z0-9]*")]
    log_group_name_pattern: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    limit: Option<i64>,
    /// Also searches the linked accounts.
    include_linked_accounts: Option<bool>,
    /// Class of the log groups.
    log_group_class: Option<LogGroupClass>,
    /// Names or ARNs of the log groups.
    #[field(length(1..=50), each(length(1..=2048)))]
    log_group_identifiers: Option<Vec<Text>>,
}

/// Describes log groups, in ASCII order of their names.
#[operation(
    service = SERVICE, hot, case = "camel", also(LogGroupQuery),
    effect = read, output = LogGroups, subject = "log-group:*"
)]
pub struct DescribeLogGroups {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
}

/// A page of log groups.
#[derive(Record)]
#[record(answer, hot, case = "camel", name = "DescribeLogGroupsResponse")]
pub struct LogGroups {
    /// Log groups of the page.
    pub(super) log_groups: Option<Vec<LogGroup>>,
    /// Pagination token of the next page.
    pub(super) next_token: Option<Text>,
}

impl Handler for DescribeLogGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<LogGroups> {
        self.check_exclusive_parameters()?;
        let scopes = self.scopes(cx)?;
        let mut page = match &self.log_group_identifiers {
            Some(identifiers) => self.find_by_identifiers(cx, &scopes, identifiers)?,
            None => self.search(cx, &scopes)?,
        };
        let groups = page.log_groups.get_or_insert_default();
        groups.iter_mut().for_each(|group| group.tags = None);
        set_inherited_properties(cx, &scopes, groups)?;
        Ok(page)
    }
}

impl DescribeLogGroups {
    fn check_exclusive_parameters(&self) -> Result<()> {
        let invalid = |field: &str, message: &str| Err(errors::invalid(field, message));
        if self.log_group_name_prefix.is_some() && self.log_group_name_pattern.is_some() {
            let message = "LogGroup name prefix and LogGroup name pattern are mutually exclusive parameters.";
            return invalid("logGroupNamePattern", message);
        }
        if self.account_identifiers.is_some() && self.include_linked_accounts != Some(true) {
            return invalid("accountIdentifiers", "can only be used with includeLinkedAccounts");
        }
        if self.log_group_identifiers.is_none() {
            return Ok(());
        }
        let others = [
            ("accountIdentifiers", self.account_identifiers.is_some()),
            ("logGroupNamePrefix", self.log_group_name_prefix.is_some()),
            ("logGroupNamePattern", self.log_group_name_pattern.is_some()),
            ("logGroupClass", self.log_group_class.is_some()),
            ("limit", self.limit.is_some()),
            ("nextToken", self.next_token.is_some()),
        ];
        match others.iter().find(|(_, is_set)| *is_set) {
            Some((field, _)) => {
                invalid(field, "cannot be used with logGroupIdentifiers; only includeLinkedAccounts can")
            }
            None => Ok(()),
        }
    }

    /// Returns the scopes to search: this account and, if requested, the linked accounts.
    fn scopes(&self, cx: &Tx<'_>) -> Result<Vec<Scope>> {
        if self.include_linked_accounts != Some(true) {
            return Ok(vec![cx.scope().clone()]);
        }
        let mut accounts = linked::linked_accounts(cx)?;
        accounts.insert(0, cx.scope().account().into());
        if let Some(mut wanted) = self.account_identifiers.clone() {
            if let Some(unlinked) = wanted.iter().find(|account| !accounts.contains(account)) {
                let message = format!("account {unlinked} is not linked to account {}", cx.scope().account());
                return Err(errors::invalid("accountIdentifiers", message));
            }
            wanted.sort_unstable();
            wanted.dedup();
            accounts = wanted;
        }
        Ok(accounts.into_iter().map(|account| cx.scope().with_account(account)).collect())
    }

    fn find_by_identifiers(&self, cx: &Tx<'_>, scopes: &[Scope], identifiers: &[Text]) -> Result<LogGroups> {
        let mut found = Vec::new();
        for identifier in identifiers {
            let arn = Arn::parts(identifier);
            if self.include_linked_accounts == Some(true) && arn.is_none() {
                let message = format!("{identifier:?} is not an ARN; includeLinkedAccounts requires ARNs");
                return Err(errors::invalid("logGroupIdentifiers", message));
            }
            let account = arn.map_or(cx.scope().account(), |[_, _, _, account, _]| account);
            let Some(scope) = scopes.iter().find(|scope| scope.account() == account) else { continue };
            let name = match log_group::parse_identifier(scope, identifier, "logGroupIdentifiers") {
                Err(error) if error.kind() == nephos_core::ErrorKind::NotFound => continue,
                name => name?,
            };
            found.extend(cx.get_in::<LogGroup>(scope, &log_group::key_of(scope, name))?);
        }
        found.sort_by(|a, b| (&a.log_group_name, &a.arn).cmp(&(&b.log_group_name, &b.arn)));
        found.dedup_by(|a, b| a.arn == b.arn);
        Ok(LogGroups { log_groups: Some(found), next_token: None })
    }

    fn search(&self, cx: &Tx<'_>, scopes: &[Scope]) -> Result<LogGroups> {
        let limit = page_size(self);
        let position = cx.page_after(self)?;
        let after = position.as_deref().and_then(|position| position.split_once(' '));
        let after = after.map(|(account, name)| (name, account)).unwrap_or_default();
        let mut found = Vec::with_capacity(limit + 1);
        for scope in scopes {
            self.search_in(scope, cx, after, &mut found)?;
        }
        if scopes.len() > 1 {
            found.sort_by(|a, b| position_of(a).cmp(&position_of(b)));
        }
        let more = found.len() > limit;
        found.truncate(limit);
        let next_token = found.last().filter(|_| more).map(|last| {
            let (name, account) = position_of(last);
            cx.page_token(self, &format!("{account} {name}"))
        });
        Ok(LogGroups { log_groups: Some(found), next_token })
    }

    /// Adds the groups of an account after a position to `found`: up to the page size and one more.
    fn search_in(
        &self,
        scope: &Scope,
        cx: &Tx<'_>,
        after: Position<'_>,
        found: &mut Vec<LogGroup>,
    ) -> Result<()> {
        let limit = found.len() + page_size(self) + 1;
        let class = self.log_group_class.as_ref();
        let is_after = |group: &LogGroup| {
            // The account decides only between equal names.
            let name = group.log_group_name.as_deref().unwrap_or_default();
            after.0 < name || (after.0 == name && after < position_of(group))
        };
        let is_wanted = |group: &LogGroup| {
            (after.0.is_empty() || is_after(group))
                && (class.is_none() || class == group.log_group_class.as_ref())
        };
        if let Some(pattern) = self.log_group_name_pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            return GROUP_NAMES.visit_containing(cx, scope, pattern, after.0, |name| {
                let group = cx.get_in::<LogGroup>(scope, &log_group::key_of(scope, name))?;
                found.extend(group.filter(is_wanted).map(name_fields_only));
                Ok(if found.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
        }
        let (table, prefix) = (LogGroup::table(scope), self.log_group_name_prefix.as_deref());
        let mut range = table.clone().text_prefix(prefix.unwrap_or_default()).prefix_range();
        if !after.0.is_empty() {
            // Another account may have a group with the last name of the previous page, so that name is included.
            range = range.after(table.text_prefix(after.0).as_bytes(), Direction::Ascending);
        }
        cx.gather(scope, &range, Direction::Ascending, is_wanted, limit, found)
    }
}

/// Sets the inherited properties of groups whose account has a data protection policy.
fn set_inherited_properties(cx: &Tx<'_>, scopes: &[Scope], groups: &mut [LogGroup]) -> Result<()> {
    for scope in scopes {
        if account_policy::find_policy(cx, scope)?.is_none() {
            continue;
        }
        let own = groups.iter_mut().filter(|group| group.account() == scope.account());
        own.filter(|group| group.log_group_class.is_some()).for_each(|group| {
            group.inherited_properties = Some(vec![InheritedProperty::AccountDataProtection])
        });
    }
    Ok(())
}

/// Returns the group with the fields that a search by pattern returns.
fn name_fields_only(group: LogGroup) -> LogGroup {
    let mut named = LogGroup::blank();
    (named.arn, named.creation_time, named.log_group_name) =
        (group.arn, group.creation_time, group.log_group_name);
    named
}

/// Position of a group among those of all accounts: its name and account ID.
type Position<'a> = (&'a str, &'a str);

fn position_of(group: &LogGroup) -> Position<'_> {
    (group.log_group_name.as_deref().unwrap_or_default(), group.account())
}
