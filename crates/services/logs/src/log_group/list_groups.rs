//! The operation `ListLogGroups`: by patterns, class and tags, in this account and linked accounts.

use crate::{
    LogGroup, LogGroupClass,
    log_group::{describe::page_of_groups, linked},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation, record_of, tags};

/// A filter by the data source of log groups.
#[derive(Record)]
#[record(case = "camel")]
pub struct DataSourceFilter {
    /// Name of the data source.
    #[field(required)]
    name: Option<Text>,
    /// Type of the data source.
    r#type: Option<Text>,
}

/// A filter by a tag of log groups.
#[derive(Record)]
#[record(case = "camel")]
pub struct TagFilter {
    /// Key of the tag.
    #[field(required, length(1..=128))]
    key: Option<Text>,
    /// Values of the tag, of which one must match; any value if absent or empty. `*` at the start and end matches any
    /// text, in any letter case; `!` at the start negates.
    #[field(length(..=5), each(length(..=259)))]
    values: Option<Vec<Text>>,
}

impl TagFilter {
    fn matches(&self, group: &LogGroup) -> bool {
        let tags = tags::known(group);
        let Some(value) = self.key.as_ref().and_then(|key| tags.get(key)) else { return false };
        let wanted = self.values.as_deref().unwrap_or_default();
        wanted.is_empty() || wanted.iter().any(|wanted| matches_value(wanted, value))
    }
}

/// True if the value of a tag matches: `prod`, `prod*`, `*prod`, `*prod*`, each negated by a leading `!`.
pub fn matches_value(wanted: &str, value: &str) -> bool {
    if let Some(rejected) = wanted.strip_prefix('!') {
        return !matches_value(rejected, value);
    }
    let starts_open = wanted.starts_with('*');
    let text = wanted.strip_prefix('*').unwrap_or(wanted);
    let ends_open = text.ends_with('*') || wanted == "*";
    let text = text.strip_suffix('*').unwrap_or(text);
    if !starts_open && !ends_open {
        return value == text;
    }
    let (text, value) = (text.to_lowercase(), value.to_lowercase());
    match (starts_open, ends_open) {
        (true, true) => value.contains(&text),
        (true, false) => value.ends_with(&text),
        _ => value.starts_with(&text),
    }
}

/// Lists log groups with their names, ARNs and classes, in ASCII order of their names.
#[operation(
    case = "camel", page(log_groups: LogGroupSummary, next_token), effect = read, subject = "log-group::log-stream:"
)]
pub struct ListLogGroups {
    /// Up to five parts of names, separated by `|`; a part that begins with `^` must be at the start of the name.
    #[field(length(3..=129), pattern = r"(\^?[.\-_/#A-Za-z0-9]{3,24})(\|\^?[.\-_/#A-Za-z0-9]{3,24}){0,4}")]
    pub log_group_name_pattern: Option<Text>,
    /// Class of the log groups.
    pub log_group_class: Option<LogGroupClass>,
    /// Also searches the linked accounts.
    pub include_linked_accounts: Option<bool>,
    /// IDs of the accounts to search; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    pub account_identifiers: Option<Vec<Text>>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size = 50, range(1..=1000))]
    pub limit: Option<i64>,
    /// Data sources of the log groups. Log groups here have none, so that no group matches.
    #[field(length(1..=5))]
    pub data_sources: Option<Vec<DataSourceFilter>>,
    /// Names of the field indexes of the log groups. Log groups here have none, so that no group matches.
    #[field(length(1..=20), each(length(1..=512), pattern = r"[.\-_/#A-Za-z0-9]+"))]
    pub field_index_names: Option<Vec<Text>>,
    /// Tags of the log groups, of which all must match.
    #[field(length(1..=5))]
    pub log_group_tags: Option<Vec<TagFilter>>,
}

/// Name, ARN and class of a log group.
#[record_of(of = LogGroup, answer, case = "camel", takes(log_group_name, log_group_arn, log_group_class))]
pub struct LogGroupSummary {}

impl ListLogGroups {
    fn matches(&self, group: &LogGroup) -> bool {
        let name = group.log_group_name.as_deref().unwrap_or_default();
        let matches_part = |part: &str| match part.strip_prefix('^') {
            Some(prefix) => name.starts_with(prefix),
            None => name.contains(part),
        };
        self.data_sources.is_none()
            && self.field_index_names.is_none()
            && self.log_group_name_pattern.as_deref().is_none_or(|parts| parts.split('|').any(matches_part))
            && (self.log_group_class.is_none() || self.log_group_class == group.log_group_class)
            && self.log_group_tags.iter().flatten().all(|filter| filter.matches(group))
    }
}

impl Handler for ListLogGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let accounts = self.account_identifiers.as_deref();
        let scopes = linked::searched_scopes(cx, self.include_linked_accounts, accounts)?;
        let (groups, next_token) = page_of_groups(cx, &self, &scopes, |search, scope, found| {
            search.gather(scope, "", |group| self.matches(group), found)
        })?;
        let summaries: Vec<_> = groups.into_iter().map(LogGroupSummary::from).collect();
        Ok((summaries, next_token).into())
    }
}
