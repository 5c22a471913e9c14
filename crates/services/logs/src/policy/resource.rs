//! Resource policies, which allow other services to write log events: of an account, or of one log group.

use crate::{
    Empty, errors,
    log_group::{self, LogGroup, LogGroupManager},
};
use nephos_cloud::{
    Addressed, Handler, Key, Parts, PolicyRules, PolicyService, Resources, Scope, Stored, StoredResource, Tx,
};
use nephos_core::{Choice, Record, Result, Text, choices, field_value::FieldType, operation};

choices! {
    /// Scope of a resource policy.
    pub enum ResourcePolicyScope {
        /// All log groups of the account.
        Account = "ACCOUNT",
        /// One log group.
        Resource = "RESOURCE",
    }
}

/// Maximum number of resource policies of an account in a Region, without those of log groups.
const MAX_ACCOUNT_POLICIES: usize = 10;

/// Rules for the documents. The provider does not look at their resources.
const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    resources: Resources::Any,
    service: Some(PolicyService {
        name: "logs",
        resource: "log group",
        action: "logs:PutLogEvents",
        narrowing: &[],
    }),
    ..PolicyRules::new("policyDocument", |reason| {
        errors::invalid_resource_policy().with_hint(reason.to_string())
    })
};

/// A policy that allows other services to write log events.
#[derive(Record)]
#[record(case = "camel")]
pub struct ResourcePolicy {
    /// Name of the policy.
    policy_name: Option<Text>,
    /// Policy document, as JSON.
    policy_document: Option<Text>,
    /// Time of the last change, in milliseconds since 1970.
    last_updated_time: Option<i64>,
    /// Scope of the policy.
    policy_scope: Option<ResourcePolicyScope>,
    /// ARN of the log group that the policy is for; absent for policies of an account.
    resource_arn: Option<Text>,
    /// Revision of the policy; absent for policies of an account.
    revision_id: Option<Text>,
}

impl Stored for ResourcePolicy {
    const TABLE: &'static str = "logs/resource-policy";

    fn identify(&self, key: Key) -> Key {
        let group = self.resource_arn.as_deref().and_then(|arn| arn.split_once(":log-group:"));
        match group {
            Some((_, group)) => key.text(ResourcePolicyScope::Resource.as_str()).text(group),
            None => {
                let name = self.policy_name.as_deref().unwrap_or_default();
                key.text(ResourcePolicyScope::Account.as_str()).text(name)
            }
        }
    }

    fn strip_derived(&mut self) {
        if self.resource_arn.take().is_none() {
            self.policy_name = None;
        }
        self.policy_scope = None;
    }

    fn restore(&mut self, scope: &Scope, mut identity: Parts<'_>) {
        let is_of_account = identity.text().as_deref() == Some(ResourcePolicyScope::Account.as_str());
        let name = identity.text().unwrap_or_default();
        if is_of_account {
            self.policy_scope = Some(ResourcePolicyScope::Account);
            self.policy_name = Some(name);
        } else {
            self.policy_scope = Some(ResourcePolicyScope::Resource);
            self.resource_arn = Some(log_group::arn_of(scope, &name).into());
        }
    }
}

fn table_of(scope: &Scope, policy_scope: &ResourcePolicyScope) -> Key {
    ResourcePolicy::table(scope).text(policy_scope.as_str())
}

/// Returns the row key of the policy of a log group.
pub(crate) fn group_key(scope: &Scope, group: &str) -> Key {
    table_of(scope, &ResourcePolicyScope::Resource).text(group)
}

/// Returns the documents of the policies of the account and of a log group.
pub(crate) fn documents(cx: &Tx<'_>, group: &str) -> Result<Vec<Text>> {
    let mut found = cx.all::<ResourcePolicy>(&table_of(cx.scope(), &ResourcePolicyScope::Account))?;
    found.extend(cx.get(&group_key(cx.scope(), group))?);
    Ok(found.into_iter().filter_map(|policy| policy.policy_document).collect())
}

/// Returns the log group that a policy is for, or a not-found error.
fn require_group(cx: &Tx<'_>, arn: &str) -> Result<LogGroup> {
    if !arn.starts_with("arn:") {
        return Err(errors::not_a_log_group_arn().with_field("resourceArn").with_hint(arn));
    }
    LogGroup::require(cx, log_group::parse_identifier(cx.scope(), arn, "resourceArn")?, "resourceArn")
}

/// Compares the revision that the caller expects with that of the policy of a log group.
fn check_revision(policy: &ResourcePolicy, expected: Option<&Text>) -> Result<()> {
    match expected {
        None => Err(errors::revision_missing().with_field("expectedRevisionId")),
        expected if expected == policy.revision_id.as_ref() => Ok(()),
        Some(_) => Err(errors::revision_mismatch().with_field("expectedRevisionId")),
    }
}

/// Parameters that identify a resource policy.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct ResourcePolicyIdentity {
    /// Name of the policy.
    #[field(required, length(1..=256))]
    policy_name: Option<Text>,
    /// ARN of the log group that the policy is for; without one, the policy is of the account.
    resource_arn: Option<Text>,
    /// Revision of the policy of a log group that is replaced or deleted.
    #[field(length(1..))]
    expected_revision_id: Option<Text>,
}

/// Creates or replaces a resource policy of the account or of a log group.
#[operation(
    of = LogGroup, call = "put_resource_policy", case = "camel", include(ResourcePolicyIdentity),
    effect = write, output = PutResourcePolicyResult, subject = "*", access = permissions
)]
pub struct PutResourcePolicy {
    /// Policy document, as JSON.
    #[field(length(1..=51200))]
    pub policy_document: Text,
}

/// Response of `PutResourcePolicy`.
#[derive(Record)]
#[record(answer, case = "camel", name = "PutResourcePolicyResponse")]
pub struct PutResourcePolicyResult {
    /// Policy that was created or replaced.
    resource_policy: Option<ResourcePolicy>,
    /// Revision of the policy of a log group.
    revision_id: Option<Text>,
}

impl Handler for PutResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<PutResourcePolicyResult> {
        RULES.parse(&self.policy_document)?;
        let mut policy = ResourcePolicy::blank();
        policy.last_updated_time = Some(cx.now().as_millisecond());
        policy.policy_scope = Some(ResourcePolicyScope::Account);
        let expected = self.expected_revision_id.as_ref();
        if let Some(arn) = &self.resource_arn {
            let group = require_group(cx, arn)?;
            match cx.get::<ResourcePolicy>(&group_key(cx.scope(), group.own_name()))? {
                Some(before) => check_revision(&before, expected)?,
                None if expected.is_some() => return Err(errors::policy_not_found(&self.policy_name)),
                None => {}
            }
            policy.policy_scope = Some(ResourcePolicyScope::Resource);
            policy.resource_arn = group.log_group_arn;
            policy.revision_id = Some(cx.ids().uuid());
        } else if expected.is_some() {
            return Err(errors::revision_without_resource().with_field("expectedRevisionId"));
        } else {
            check_quota(cx, &self.policy_name)?;
        }
        policy.policy_name = Some(self.policy_name);
        policy.policy_document = Some(self.policy_document);
        cx.put(policy.clone())?;
        Ok(PutResourcePolicyResult { revision_id: policy.revision_id.clone(), resource_policy: Some(policy) })
    }
}

/// Refuses a new policy of an account that has the maximum number.
fn check_quota(cx: &Tx<'_>, name: &str) -> Result<()> {
    let others = cx.all::<ResourcePolicy>(&table_of(cx.scope(), &ResourcePolicyScope::Account))?;
    let is_new = others.iter().all(|other| other.policy_name.as_deref() != Some(name));
    if is_new && others.len() >= MAX_ACCOUNT_POLICIES {
        let hint =
            format!("an account can have at most {MAX_ACCOUNT_POLICIES} resource policies in a Region");
        return Err(errors::limit_exceeded().with_hint(hint));
    }
    Ok(())
}

/// Describes the resource policies of the account or of log groups, in ASCII order of their names or log groups.
#[operation(
    of = LogGroup, call = "resource_policies", page(resource_policies: ResourcePolicy, next_token), case = "camel",
    effect = read, subject = "*", access = list
)]
pub struct DescribeResourcePolicies {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    pub next_token: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    pub limit: Option<i64>,
    /// ARN of the log group whose policy is described.
    pub resource_arn: Option<Text>,
    /// Scope of the policies; `ACCOUNT` by default, `RESOURCE` with a `resourceArn`.
    pub policy_scope: Option<ResourcePolicyScope>,
}

impl Handler for DescribeResourcePolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let rows = match (&self.resource_arn, &self.policy_scope) {
            (Some(_), Some(ResourcePolicyScope::Account)) => {
                return Err(errors::resource_arn_with_account_scope().with_field("resourceArn"));
            }
            (Some(arn), _) => group_key(cx.scope(), require_group(cx, arn)?.own_name()),
            (None, Some(scope)) => table_of(cx.scope(), scope),
            (None, None) => table_of(cx.scope(), &ResourcePolicyScope::Account),
        };
        Ok(cx.page_rows(&self, &rows, |policy| Ok(Some(policy)))?.into())
    }
}

/// Deletes a resource policy of the account or of a log group.
#[operation(
    of = LogGroup, call = "delete_resource_policy", case = "camel", include(ResourcePolicyIdentity),
    effect = write, subject = "*", access = permissions
)]
pub struct DeleteResourcePolicy {}

impl Handler for DeleteResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let expected = self.expected_revision_id.as_ref();
        let key = match &self.resource_arn {
            Some(arn) => group_key(cx.scope(), require_group(cx, arn)?.own_name()),
            None => table_of(cx.scope(), &ResourcePolicyScope::Account).text(&self.policy_name),
        };
        let has_name = |policy: &ResourcePolicy| policy.policy_name.as_ref() == Some(&self.policy_name);
        let found = cx.get::<ResourcePolicy>(&key)?.filter(has_name);
        let policy = found.ok_or_else(|| errors::policy_not_found(&self.policy_name))?;
        if self.resource_arn.is_some() {
            check_revision(&policy, expected)?;
        } else if expected.is_some() {
            return Err(errors::revision_without_resource().with_field("expectedRevisionId"));
        }
        cx.remove(&policy)?;
        Ok(Empty {})
    }
}
