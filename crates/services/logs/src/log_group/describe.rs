//! The operation `DescribeLogGroups`: by prefix, pattern, class or identifier, in this account and linked accounts.

use crate::{
    InheritedProperty, LogGroupClass, errors,
    log_group::{self, GROUP_NAMES, LogGroup, linked},
    policy::account,
};
use nephos_cloud::{Direction, Handler, Scope, Stored, Tx, page_size};
use nephos_core::{Arn, Operation, Record, Result, Text, field_value::FieldType, operation};
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
    /// Substring of the names; the operation then returns only names, ARNs, classes, creation times and numbers of metric filters.
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
    hot, case = "camel", include(LogGroupQuery),
    effect = read, output = LogGroups, subject = "log-group::log-stream:", access = list
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
    pub(crate) log_groups: Option<Vec<LogGroup>>,
    /// Pagination token of the next page.
    pub(crate) next_token: Option<Text>,
}

impl Handler for DescribeLogGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<LogGroups> {
        self.check_exclusive_parameters()?;
        let scopes =
            linked::searched_scopes(cx, self.include_linked_accounts, self.account_identifiers.as_deref())?;
        let mut page = match &self.log_group_identifiers {
            Some(identifiers) => self.find_by_identifiers(cx, &scopes, identifiers)?,
            None => {
                let (groups, next_token) = page_of_groups(cx, &self, &scopes, |search, scope, found| {
                    self.search_in(search, scope, found)
                })?;
                LogGroups { log_groups: Some(groups), next_token }
            }
        };
        let groups = page.log_groups.get_or_insert_default();
        set_inherited_properties(cx, &scopes, groups)?;
        Ok(page)
    }
}

impl DescribeLogGroups {
    fn check_exclusive_parameters(&self) -> Result<()> {
        if self.log_group_name_prefix.is_some() && self.log_group_name_pattern.is_some() {
            return Err(errors::prefix_and_pattern_given().with_field("logGroupNamePattern"));
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
                let hint = "only includeLinkedAccounts can be used with logGroupIdentifiers";
                Err(errors::given_with_identifiers(field).with_field(*field).with_hint(hint))
            }
            None => Ok(()),
        }
    }

    fn find_by_identifiers(&self, cx: &Tx<'_>, scopes: &[Scope], identifiers: &[Text]) -> Result<LogGroups> {
        let mut found = Vec::new();
        for identifier in identifiers {
            let arn = Arn::parts(identifier);
            if self.include_linked_accounts == Some(true) && arn.is_none() {
                let error = errors::linked_group_without_arn().with_field("logGroupIdentifiers");
                return Err(error.with_hint(identifier.as_str()));
            }
            let account = arn.map_or(cx.scope().account(), |[_, _, _, account, _]| account);
            let Some(scope) = scopes.iter().find(|scope| scope.account() == account) else { continue };
            let name = match log_group::parse_identifier(scope, identifier, "logGroupIdentifiers") {
                Err(error) if error.kind() == nephos_core::ErrorKind::NotFound => continue,
                name => name?,
            };
            found.extend(cx.get_in::<LogGroup>(scope, &LogGroup::table(scope).text(name))?);
        }
        found.sort_by(|a, b| (&a.log_group_name, &a.arn).cmp(&(&b.log_group_name, &b.arn)));
        found.dedup_by(|a, b| a.arn == b.arn);
        Ok(LogGroups { log_groups: Some(found), next_token: None })
    }

    /// Adds the groups of an account to `found`.
    fn search_in(
        &self,
        search: &GroupSearch<'_, '_>,
        scope: &Scope,
        found: &mut Vec<LogGroup>,
    ) -> Result<()> {
        let class = self.log_group_class.as_ref();
        let is_wanted = |group: &LogGroup| class.is_none() || class == group.log_group_class.as_ref();
        if let Some(pattern) = self.log_group_name_pattern.as_deref().filter(|pattern| !pattern.is_empty()) {
            let limit = found.len() + search.limit;
            return GROUP_NAMES.visit_containing(search.cx, scope, pattern, search.after.0, |name| {
                let group = search.cx.get_in::<LogGroup>(scope, &LogGroup::table(scope).text(name))?;
                let is_wanted = |group: &LogGroup| search.is_after(group) && is_wanted(group);
                found.extend(group.filter(is_wanted).map(name_fields_only));
                Ok(if found.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            });
        }
        search.gather(scope, self.log_group_name_prefix.as_deref().unwrap_or_default(), is_wanted, found)
    }
}

/// A search for a page of groups in several accounts.
pub(crate) struct GroupSearch<'t, 'x> {
    cx: &'t Tx<'x>,
    /// Position of the last group of the previous page.
    after: Position<'t>,
    /// Maximum number of groups to find in an account: the page size and one more.
    limit: usize,
}

impl GroupSearch<'_, '_> {
    fn is_after(&self, group: &LogGroup) -> bool {
        // The account decides only between equal names.
        let name = group.log_group_name.as_deref().unwrap_or_default();
        self.after.0.is_empty()
            || self.after.0 < name
            || (self.after.0 == name && self.after < position_of(group))
    }

    /// Adds the groups of an account whose names have the prefix, and that `is_wanted` accepts, to `found`.
    pub(crate) fn gather(
        &self,
        scope: &Scope,
        prefix: &str,
        is_wanted: impl Fn(&LogGroup) -> bool,
        found: &mut Vec<LogGroup>,
    ) -> Result<()> {
        let table = LogGroup::table(scope);
        let mut range = table.clone().text_prefix(prefix).prefix_range();
        if !self.after.0.is_empty() {
            // Another account may have a group with the last name of the previous page, so that name is included.
            range = range.after(table.text_prefix(self.after.0).as_bytes(), Direction::Ascending);
        }
        let is_wanted = |group: &LogGroup| self.is_after(group) && is_wanted(group);
        self.cx.gather(scope, &range, Direction::Ascending, is_wanted, found.len() + self.limit, found)
    }
}

/// Returns a page of the groups of several accounts, ordered by name and account, and the token of the next page.
/// `search_in` adds the groups of one account.
pub(crate) fn page_of_groups<O: Operation>(
    cx: &Tx<'_>,
    query: &O,
    scopes: &[Scope],
    search_in: impl Fn(&GroupSearch<'_, '_>, &Scope, &mut Vec<LogGroup>) -> Result<()>,
) -> Result<(Vec<LogGroup>, Option<Text>)> {
    let limit = page_size(query);
    let position = cx.page_after(query)?;
    let after = position.as_deref().and_then(|position| position.split_once(' '));
    let after = after.map(|(account, name)| (name, account)).unwrap_or_default();
    let search = GroupSearch { cx, after, limit: limit + 1 };
    let mut found = Vec::with_capacity(limit + 1);
    scopes.iter().try_for_each(|scope| search_in(&search, scope, &mut found))?;
    if scopes.len() > 1 {
        found.sort_by(|a, b| position_of(a).cmp(&position_of(b)));
    }
    let more = found.len() > limit;
    found.truncate(limit);
    let next_token = found.last().filter(|_| more).map(|last| {
        let (name, account) = position_of(last);
        cx.page_token(query, &format!("{account} {name}"))
    });
    Ok((found, next_token))
}

/// Sets the inherited properties of groups whose account has a data protection policy.
fn set_inherited_properties(cx: &Tx<'_>, scopes: &[Scope], groups: &mut [LogGroup]) -> Result<()> {
    for scope in scopes {
        if account::find_policy(cx, scope)?.is_none() {
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
    named.arn = group.arn;
    named.log_group_arn = group.log_group_arn;
    named.log_group_class = group.log_group_class;
    named.creation_time = group.creation_time;
    named.log_group_name = group.log_group_name;
    named.metric_filter_count = group.metric_filter_count;
    named
}

/// Position of a group among those of all accounts: its name and account ID.
type Position<'a> = (&'a str, &'a str);

fn position_of(group: &LogGroup) -> Position<'_> {
    (group.log_group_name.as_deref().unwrap_or_default(), group.account())
}
