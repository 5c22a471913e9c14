//! Finding log groups: by prefix, pattern, class and identifier, in this account and those linked to it.

use super::{
    InheritedProperty, LogGroupClass, SERVICE, account_policy, errors, linked,
    log_group::{self, LogGroup, NAMES},
};
use nephos_cloud::{Handler, Scope, Stored, Tx, page_size};
use nephos_core::{Arn, Record, Result, Text, field_value::FieldType, operation};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Parameters of a listing of log groups.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct LogGroupQuery {
    /// Accounts to look in; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    account_identifiers: Option<Vec<Text>>,
    /// Beginning of the names.
    #[field(like = LogGroup::log_group_name)]
    log_group_name_prefix: Option<Text>,
    /// Text that the names contain; on the wire, only names, ARNs and creation times are returned then.
    #[field(length(..=512), pattern = r"[.\-_/#A-Za-z0-9]*")]
    log_group_name_pattern: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    limit: Option<i64>,
    /// Looks in the accounts that are linked to this one, too.
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
    /// The log groups.
    pub(super) log_groups: Option<Vec<LogGroup>>,
    /// Pagination token of the next page.
    pub(super) next_token: Option<Text>,
}

impl Handler for DescribeLogGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<LogGroups> {
        self.check_mixture()?;
        let scopes = self.scopes(cx)?;
        let mut page = match &self.log_group_identifiers {
            Some(identifiers) => self.identified(cx, &scopes, identifiers)?,
            None => self.searched(cx, &scopes)?,
        };
        let told = page.log_groups.get_or_insert_default();
        told.iter_mut().for_each(|group| group.tags = None);
        tell_inherited(cx, &scopes, told)?;
        Ok(page)
    }
}

impl DescribeLogGroups {
    fn check_mixture(&self) -> Result<()> {
        let wrong = |field: &str, why: &str| Err(errors::invalid(field, why));
        if self.log_group_name_prefix.is_some() && self.log_group_name_pattern.is_some() {
            return wrong("logGroupNamePattern", "excludes logGroupNamePrefix: say one of them");
        }
        if self.account_identifiers.is_some() && self.include_linked_accounts != Some(true) {
            return wrong("accountIdentifiers", "is only for includeLinkedAccounts");
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
        match others.iter().find(|(_, given)| *given) {
            Some((field, _)) => {
                wrong(field, "excludes logGroupIdentifiers, which go with includeLinkedAccounts only")
            }
            None => Ok(()),
        }
    }

    /// The accounts to look in, this one included.
    fn scopes(&self, cx: &Tx<'_>) -> Result<Vec<Scope>> {
        if self.include_linked_accounts != Some(true) {
            return Ok(vec![cx.scope().clone()]);
        }
        let mut accounts = linked::accounts(cx)?;
        accounts.insert(0, cx.scope().account().into());
        if let Some(mut wanted) = self.account_identifiers.clone() {
            if let Some(stranger) = wanted.iter().find(|account| !accounts.contains(account)) {
                let why = format!("account {stranger} is not linked to {}", cx.scope().account());
                return Err(errors::invalid("accountIdentifiers", why));
            }
            wanted.sort_unstable();
            wanted.dedup();
            accounts = wanted;
        }
        Ok(accounts.into_iter().map(|account| cx.scope().with_account(account)).collect())
    }

    fn identified(&self, cx: &Tx<'_>, scopes: &[Scope], identifiers: &[Text]) -> Result<LogGroups> {
        let mut found = Vec::new();
        for identifier in identifiers {
            let arn = Arn::parts(identifier);
            if self.include_linked_accounts == Some(true) && arn.is_none() {
                let why = "with includeLinkedAccounts, log groups are identified by resource names";
                return Err(errors::invalid("logGroupIdentifiers", why));
            }
            let account = arn.map_or(cx.scope().account(), |[_, _, _, account, _]| account);
            let Some(scope) = scopes.iter().find(|scope| scope.account() == account) else { continue };
            let name = match log_group::name_in(scope, identifier, "logGroupIdentifiers") {
                Err(error) if error.kind() == nephos_core::ErrorKind::NotFound => continue,
                name => name?,
            };
            found.extend(cx.get_in::<LogGroup>(scope, &log_group::key_of(scope, name))?);
        }
        found.sort_by(|a, b| (&a.log_group_name, &a.arn).cmp(&(&b.log_group_name, &b.arn)));
        found.dedup_by(|a, b| a.arn == b.arn);
        Ok(LogGroups { log_groups: Some(found), next_token: None })
    }

    fn searched(&self, cx: &Tx<'_>, scopes: &[Scope]) -> Result<LogGroups> {
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

    /// Adds the groups of an account that come after a position: as many as a page has, and one more.
    fn search_in(
        &self,
        scope: &Scope,
        cx: &Tx<'_>,
        after: Position<'_>,
        found: &mut Vec<LogGroup>,
    ) -> Result<()> {
        let most = found.len() + page_size(self) + 1;
        let class = self.log_group_class.as_ref();
        let is_after = |group: &LogGroup| {
            // Only names that are the same need a look at the account.
            let name = group.log_group_name.as_deref().unwrap_or_default();
            after.0 < name || (after.0 == name && after < position_of(group))
        };
        let is_wanted = |group: &LogGroup| {
            (after.0.is_empty() || is_after(group))
                && (class.is_none() || class == group.log_group_class.as_ref())
        };
        if let Some(pattern) = self.log_group_name_pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            return NAMES.visit_containing(cx, scope, pattern, after.0, |name| {
                let group = cx.get_in::<LogGroup>(scope, &log_group::key_of(scope, name))?;
                found.extend(group.filter(is_wanted).map(names_only));
                Ok(if found.len() == most { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
        }
        let (table, prefix) = (LogGroup::table(scope), self.log_group_name_prefix.as_deref());
        let mut range = table.clone().text_prefix(prefix.unwrap_or_default()).prefix_range();
        if !after.0.is_empty() {
            // Another account may have the name where the page before ended, so it is looked at again.
            range = range.after(table.text_prefix(after.0).as_bytes(), Direction::Ascending);
        }
        cx.gather(scope, &range, Direction::Ascending, is_wanted, most, found)
    }
}

/// Tells which groups have settings from their accounts.
fn tell_inherited(cx: &Tx<'_>, scopes: &[Scope], told: &mut [LogGroup]) -> Result<()> {
    for scope in scopes {
        if account_policy::of(cx, scope)?.is_none() {
            continue;
        }
        let own = told.iter_mut().filter(|group| group.account() == scope.account());
        own.filter(|group| group.log_group_class.is_some()).for_each(|group| {
            group.inherited_properties = Some(vec![InheritedProperty::AccountDataProtection])
        });
    }
    Ok(())
}

/// The fields of a group that a search by pattern returns.
fn names_only(group: LogGroup) -> LogGroup {
    let mut told = LogGroup::blank();
    (told.arn, told.creation_time, told.log_group_name) =
        (group.arn, group.creation_time, group.log_group_name);
    told
}

/// The position of a group among those of all accounts: its name, and the account it is in.
type Position<'a> = (&'a str, &'a str);

fn position_of(group: &LogGroup) -> Position<'_> {
    (group.log_group_name.as_deref().unwrap_or_default(), group.account())
}
