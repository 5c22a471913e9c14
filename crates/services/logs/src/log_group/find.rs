//! The calls `get` and `list` of log groups.

use crate::{
    DescribeLogGroups, LogGroup, LogGroupManager, errors,
    log_group::{self, describe::LogGroupQuery},
    tagging::TagCalls,
};
use nephos_cloud::Scope;
use nephos_core::{
    Arn, ErrorKind, Listing, Lookup, ManagerOperation, Page, PageRequest, Record, Result, TagOperations,
    Text, WorkflowContext, operation,
};

/// Gets a log group with its tags; `None` if it does not exist.
#[operation(kind = LogGroup, call = "get", case = "camel", effect = read, output = Option<LogGroup>)]
pub struct LogGroupGet {
    /// Name or ARN of the log group.
    #[field(from_field = "logGroupName")]
    pub log_group_identifier: Text,
    /// IDs of the accounts to search; only with `includeLinkedAccounts`.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    pub account_identifiers: Option<Vec<Text>>,
    /// Substring of the name.
    #[field(length(..=512))]
    pub log_group_name_pattern: Option<Text>,
    /// Maximum number of results; without effect, as there is at most one.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
    /// Also searches the linked accounts.
    pub include_linked_accounts: Option<bool>,
}

impl ManagerOperation for LogGroupGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<LogGroup>> {
        let linked = self.include_linked_accounts == Some(true);
        if self.account_identifiers.is_some() && !linked {
            return Err(errors::linked_accounts_not_included().with_field("accountIdentifiers"));
        }
        let scope = Scope::new(context.session().account(), context.session().region());
        let identifier = match (
            linked,
            log_group::parse_identifier(&scope, &self.log_group_identifier, "logGroupIdentifier"),
        ) {
            (true, _) => self.log_group_identifier.as_str(),
            (false, Ok(name)) => name,
            (false, Err(error)) if error.kind() == ErrorKind::NotFound => return Ok(None),
            (false, Err(error)) => return Err(error),
        };
        let found = find_identified(context, identifier, linked).await?;
        let in_account = |group: &LogGroup| {
            let accounts = self.account_identifiers.as_ref();
            accounts.is_none_or(|accounts| accounts.iter().any(|account| account == group.account()))
        };
        let matches_pattern = |group: &LogGroup| {
            let name = group.log_group_name.as_deref().unwrap_or_default();
            self.log_group_name_pattern.as_deref().is_none_or(|pattern| name.contains(pattern))
        };
        let Some(mut group) = found.filter(|group| in_account(group) && matches_pattern(group)) else {
            return Ok(None);
        };
        let arn = group.log_group_arn.clone().unwrap_or_default();
        // Tags of groups in linked accounts are not readable.
        let is_own =
            |account: &str| if scope.account().is_empty() { !linked } else { account == scope.account() };
        if Arn::parts(&arn).is_some_and(|[_, _, _, account, _]| is_own(account)) {
            group.tags = Some(TagCalls::list(context, &arn).await?);
        }
        Ok(Some(group))
    }
}

/// Finds a group by its name or, among linked accounts, by its ARN.
async fn find_identified(
    context: &WorkflowContext,
    identifier: &str,
    linked: bool,
) -> Result<Option<LogGroup>> {
    let is_same_arn = |arn: &str| {
        arn.strip_suffix(":*").unwrap_or(arn) == identifier.strip_suffix(":*").unwrap_or(identifier)
    };
    let is_match = |group: &LogGroup| {
        group.log_group_name.as_deref() == Some(identifier) || group.arn.as_deref().is_some_and(is_same_arn)
    };
    let describe = DescribeLogGroups::new().log_group_identifiers(vec![Text::new(identifier)]);
    let found = context.call(describe.include_linked_accounts(linked.then_some(true))).await?;
    let groups = found.log_groups.unwrap_or_default();
    if linked || groups.is_empty() || groups.iter().any(is_match) {
        return Ok(groups.into_iter().find(is_match));
    }
    // Some servers ignore identifiers and return all groups. The exact name sorts before longer names with this prefix.
    let describe = DescribeLogGroups::new().log_group_name_prefix(Text::new(identifier)).limit(1);
    Ok(context.call(describe).await?.log_groups.and_then(|groups| groups.into_iter().find(is_match)))
}

/// Lists log groups, in ASCII order of their names.
#[operation(
    kind = LogGroup, call = "list", pages, case = "camel", include(LogGroupQuery), effect = read, output = Page<LogGroup>
)]
pub struct LogGroupList {}

impl Listing for LogGroupList {
    type Model = LogGroup;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<LogGroup>> {
        let mut describe = DescribeLogGroups::from_given(self.clone()).next_token(request.token.clone());
        push_down_filter(&mut describe, request);
        let found = context.call(describe.clone()).await?;
        let (mut items, next_token) = (found.log_groups.unwrap_or_default(), found.next_token);
        // A search by pattern returns only some of the fields.
        if describe.log_group_name_pattern.is_some() && !items.is_empty() {
            let linked = self.include_linked_accounts;
            let identifiers = items.iter().map(|group| match (linked, &group.arn) {
                (Some(true), Some(arn)) => Text::new(arn.strip_suffix(":*").unwrap_or(arn)),
                _ => group.log_group_name.clone().unwrap_or_default(),
            });
            let again = DescribeLogGroups::new().log_group_identifiers(identifiers.collect::<Vec<_>>());
            items = context.call(again.include_linked_accounts(linked)).await?.log_groups.unwrap_or_default();
        }
        Ok(Page { items, next_token })
    }
}

/// Translates the filter of the results into parameters of the service where possible.
fn push_down_filter(describe: &mut DescribeLogGroups, request: &PageRequest) {
    let is_plain = |text: &str| {
        let is_name_byte = |byte: u8| byte.is_ascii_alphanumeric() || b".-_/#".contains(&byte);
        (1..=512).contains(&text.len()) && text.bytes().all(is_name_byte)
    };
    for test in request.filter.required_tests() {
        let is_free = describe.log_group_name_prefix.is_none()
            && describe.log_group_name_pattern.is_none()
            && describe.log_group_identifiers.is_none();
        let is_name = matches!(test.path(), [name] if name == "logGroupName");
        let text = test.value().as_text().filter(|text| is_free && is_name && is_plain(text)).map(Text::new);
        match test.lookup() {
            _ if text.is_none() => {}
            Lookup::StartsWith | Lookup::Exact => describe.log_group_name_prefix = text,
            Lookup::Contains => describe.log_group_name_pattern = text,
            _ => {}
        }
    }
}
