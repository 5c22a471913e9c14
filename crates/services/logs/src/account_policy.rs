//! Account policies, which apply to all log groups of an account in a Region.

use super::{Empty, SERVICE, errors, masking::Policy};
use nephos_cloud::{Handler, Key, Parts, Scope, Stored, Tx};
use nephos_core::{Record, Result, Text, choices, operation};

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
    policy_name: Option<Text>,
    /// Policy document, as JSON.
    pub(super) policy_document: Option<Text>,
    /// Time of the last change, in milliseconds since 1970.
    last_updated_time: Option<i64>,
    /// Type of the policy.
    policy_type: Option<PolicyType>,
    /// Log groups that the policy applies to.
    scope: Option<PolicyScope>,
    /// ID of the account.
    account_id: Option<Text>,
    /// Time from which events are masked, in milliseconds since 1970.
    #[field(not_on_wire)]
    pub(super) since: Option<i64>,
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
pub(super) fn find_policy(cx: &Tx<'_>, scope: &Scope) -> Result<Option<AccountPolicy>> {
    cx.get_in(scope, &AccountPolicy::table(scope))
}

/// Response of `PutAccountPolicy`.
#[derive(Record)]
#[record(answer, case = "camel", name = "PutAccountPolicyResponse")]
pub struct AccountPolicyResult {
    /// Policy that was created or replaced.
    account_policy: Option<AccountPolicy>,
}

/// Policies of an account.
#[derive(Record)]
#[record(answer, case = "camel", name = "DescribeAccountPoliciesResponse")]
pub struct AccountPolicies {
    /// Policies of the account.
    account_policies: Option<Vec<AccountPolicy>>,
    /// Pagination token of the next page; there is only one page.
    next_token: Option<Text>,
}

/// Creates or replaces the policy of the account: it masks sensitive values in events that are ingested from now on.
#[operation(service = SERVICE, case = "camel", effect = write, output = AccountPolicyResult, subject = "log-group:*")]
pub struct PutAccountPolicy {
    /// Name of the policy.
    #[field(length(1..=256))]
    pub policy_name: Text,
    /// Policy document, as JSON.
    #[field(length(1..=30720))]
    pub policy_document: Text,
    /// Type of the policy.
    pub policy_type: PolicyType,
    /// Log groups that the policy applies to; all by default.
    pub scope: Option<PolicyScope>,
}

impl Handler for PutAccountPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountPolicyResult> {
        Policy::parse(&self.policy_document)?;
        let before = find_policy(cx, cx.scope())?;
        if let Some(name) = before.as_ref().and_then(|before| before.policy_name.as_ref())
            && *name != self.policy_name
        {
            return Err(errors::LIMIT_EXCEEDED.with_message("Resource limit exceeded."));
        }
        let now = cx.now().as_millisecond();
        let mut policy = AccountPolicy::from_given(self);
        policy.last_updated_time = Some(now);
        policy.scope.get_or_insert(PolicyScope::All);
        policy.account_id = Some(cx.scope().account().into());
        policy.since = before.and_then(|before| before.since).or(Some(now));
        cx.put(policy.clone())?;
        Ok(AccountPolicyResult { account_policy: Some(policy) })
    }
}

/// Describes the policies of the account.
#[operation(service = SERVICE, case = "camel", effect = read, output = AccountPolicies, subject = "log-group:*")]
pub struct DescribeAccountPolicies {
    /// Type of the policies.
    pub policy_type: PolicyType,
    /// Name of the policy.
    #[field(length(1..=256))]
    pub policy_name: Option<Text>,
}

impl Handler for DescribeAccountPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountPolicies> {
        let has_name =
            |policy: &AccountPolicy| self.policy_name.is_none() || policy.policy_name == self.policy_name;
        let found = find_policy(cx, cx.scope())?.filter(has_name);
        Ok(AccountPolicies { account_policies: Some(found.into_iter().collect()), next_token: None })
    }
}

/// Deletes a policy of the account.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty, subject = "log-group:*")]
pub struct DeleteAccountPolicy {
    /// Name of the policy.
    #[field(length(1..=256))]
    pub policy_name: Text,
    /// Type of the policy.
    pub policy_type: PolicyType,
}

impl Handler for DeleteAccountPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let found = find_policy(cx, cx.scope())?
            .filter(|policy| policy.policy_name.as_ref() == Some(&self.policy_name));
        let Some(policy) = found else {
            let message = format!("Policy with name [{}] does not exist.", self.policy_name);
            return Err(errors::NOT_FOUND.with_message(message));
        };
        cx.remove(&policy)?;
        Ok(Empty {})
    }
}
