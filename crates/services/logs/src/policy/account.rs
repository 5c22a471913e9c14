//! Account policies, which apply to all log groups of an account in a Region.

use crate::{errors, log_group::linked, masking::Policy};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Error, Record, Result, Text, choices, field_value::FieldType, operation};

choices! {
    /// Type of an account policy.
    pub enum PolicyType {
        /// Data protection policy.
        DataProtection = "DATA_PROTECTION_POLICY",
    }
}

choices! {
    /// Log groups that an account policy applies to.
    pub enum PolicyScope {
        /// All log groups.
        All = "ALL",
    }
}

/// Policy of an account that applies to all its log groups in a Region.
#[derive(Record)]
#[record(case = "camel")]
pub struct AccountPolicy {
    /// Name of the policy.
    #[field(length(1..=256))]
    policy_name: Option<Text>,
    /// Policy document, as JSON.
    #[field(length(1..=30720))]
    pub(crate) policy_document: Option<Text>,
    /// Time of the last change, in milliseconds since 1970.
    last_updated_time: Option<i64>,
    /// Type of the policy.
    policy_type: Option<PolicyType>,
    /// Log groups that the policy applies to.
    scope: Option<PolicyScope>,
    /// Condition on the log groups that the policy applies to; data protection policies have none.
    selection_criteria: Option<Text>,
    /// ID of the account.
    account_id: Option<Text>,
    /// Time from which events are masked, in milliseconds since 1970.
    #[field(not_on_wire)]
    pub(crate) since: Option<i64>,
}

impl Stored for AccountPolicy {
    const TABLE: &'static str = "logs/account-policy";

    fn identify(&self, key: Key) -> Key {
        key
    }

    fn strip_derived(&mut self) {
        self.account_id = None;
    }

    fn restore(&mut self, scope: &Scope, _identity: Parts<'_>) {
        self.account_id = Some(scope.account().into());
    }
}

/// Finds the data protection policy of an account; there is at most one.
pub(crate) fn find_policy(cx: &Tx<'_>, scope: &Scope) -> Result<Option<AccountPolicy>> {
    cx.get_in(scope, &AccountPolicy::table(scope))
}

/// Estimated effect of a policy on a log group.
#[derive(Record)]
#[record(case = "camel")]
pub struct LogGroupImpact {
    /// Name of the log group.
    log_group_name: Option<Text>,
    /// Retention in days that is in effect.
    current_retention: Option<Text>,
    /// Retention in days that the policy would bring about.
    proposed_retention: Option<Text>,
    /// Number of bytes stored.
    stored_bytes: Option<i64>,
}

/// Estimated effect of a policy on the log groups of an account.
#[derive(Record)]
#[record(case = "camel")]
pub struct DryRunResult {
    /// Number of log groups that the policy applies to.
    total_matched_log_groups: Option<i64>,
    /// Number of log groups whose retention would become longer.
    increased_retention_log_group_count: Option<i64>,
    /// Number of log groups whose retention would become shorter.
    decreased_retention_log_group_count: Option<i64>,
    /// Number of log groups whose retention would not change.
    unchanged_retention_log_group_count: Option<i64>,
    /// Number of log groups that could not be analyzed.
    failed_analysis_count: Option<i64>,
    /// The largest log groups that the policy applies to.
    top_log_groups_impacted: Option<Vec<LogGroupImpact>>,
}

/// Response of `PutAccountPolicy`.
#[derive(Record)]
#[record(answer, case = "camel", name = "PutAccountPolicyResponse")]
pub struct AccountPolicyResult {
    /// Policy that was created or replaced.
    account_policy: Option<AccountPolicy>,
    /// Estimated effect of the policy, of a dry run.
    dry_run_result: Option<DryRunResult>,
}

/// Refuses a dry run, which only retention policies support.
fn check_dry_run(dry_run: Option<bool>, policy_type: &PolicyType) -> Result<()> {
    if dry_run == Some(true) {
        return Err(errors::dry_run_not_supported(policy_type).with_field("dryRun"));
    }
    Ok(())
}

/// Creates or replaces the policy of the account: it masks sensitive values in events that are ingested from now on.
#[operation(case = "camel", effect = write, output = AccountPolicyResult, subject = "*")]
pub struct PutAccountPolicy {
    /// Name of the policy.
    #[field(like = AccountPolicy::policy_name)]
    pub policy_name: Text,
    /// Policy document, as JSON.
    #[field(like = AccountPolicy::policy_document)]
    pub policy_document: Text,
    /// Type of the policy.
    pub policy_type: PolicyType,
    /// Log groups that the policy applies to; all by default.
    pub scope: Option<PolicyScope>,
    /// Condition on the log groups that the policy applies to; not allowed for data protection policies.
    pub selection_criteria: Option<Text>,
    /// Estimates the effect and changes nothing; not allowed for data protection policies.
    pub dry_run: Option<bool>,
}

impl Handler for PutAccountPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountPolicyResult> {
        check_dry_run(self.dry_run, &self.policy_type)?;
        if self.selection_criteria.is_some() {
            let error = errors::selection_criteria_not_supported(&self.policy_type);
            return Err(error.with_field("selectionCriteria"));
        }
        Policy::parse(&self.policy_document)?;
        let before = find_policy(cx, cx.scope())?;
        if let Some(name) = before.as_ref().and_then(|before| before.policy_name.as_ref())
            && *name != self.policy_name
        {
            let hint = format!("an account can have only one data protection policy, and has {name}");
            return Err(errors::limit_exceeded().with_hint(hint));
        }
        let now = cx.now().as_millisecond();
        let mut policy = AccountPolicy::from_given(self);
        policy.last_updated_time = Some(now);
        policy.scope.get_or_insert(PolicyScope::All);
        policy.account_id = Some(cx.scope().account().into());
        policy.since = before.and_then(|before| before.since).or(Some(now));
        cx.put(policy.clone())?;
        Ok(AccountPolicyResult { account_policy: Some(policy), dry_run_result: None })
    }
}

/// Describes the policies of the account, or of a linked account.
#[operation(
    case = "camel", page(account_policies: AccountPolicy, next_token), effect = read, subject = "*", access = list
)]
pub struct DescribeAccountPolicies {
    /// Type of the policies.
    pub policy_type: PolicyType,
    /// Name of the policy.
    #[field(like = AccountPolicy::policy_name)]
    pub policy_name: Option<Text>,
    /// ID of the account, or of a linked account; at most one.
    #[field(length(..=20), each(length(12..=12), pattern = "[0-9]+"))]
    pub account_identifiers: Option<Vec<Text>>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
}

impl Handler for DescribeAccountPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let scope = match self.account_identifiers.as_deref().unwrap_or_default() {
            [] => cx.scope().clone(),
            [account] => linked::readable_scope(cx, account)?,
            _ => return Err(errors::several_accounts_given().with_field("accountIdentifiers")),
        };
        let has_name =
            |policy: &AccountPolicy| self.policy_name.is_none() || policy.policy_name == self.policy_name;
        let found = find_policy(cx, &scope)?.filter(has_name);
        let name_of = |policy: &AccountPolicy| policy.policy_name.clone().unwrap_or_default();
        Ok(cx.page_items(&self, found, name_of)?.into())
    }
}

/// Deletes a policy of the account.
#[operation(
    case = "camel", wraps(dry_run_result: DryRunResult), effect = write, subject = "*"
)]
pub struct DeleteAccountPolicy {
    /// Name of the policy.
    #[field(like = AccountPolicy::policy_name)]
    pub policy_name: Text,
    /// Type of the policy.
    pub policy_type: PolicyType,
    /// Estimates the effect and changes nothing; not allowed for data protection policies.
    pub dry_run: Option<bool>,
}

impl Handler for DeleteAccountPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        check_dry_run(self.dry_run, &self.policy_type)?;
        let found = find_policy(cx, cx.scope())?
            .filter(|policy| policy.policy_name.as_ref() == Some(&self.policy_name));
        let not_found = || -> Error { errors::policy_not_found(&self.policy_name) };
        cx.remove(&found.ok_or_else(not_found)?)?;
        Ok(Self::Output::blank())
    }
}
