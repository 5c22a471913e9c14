//! Policies of repositories, which let other accounts use them.

use super::{Repository, RepositoryManager, require};
use crate::{
    access::{RegistryId, run_in_registry},
    errors,
    policy::{self, CheckedPolicy},
};
use nephos_cloud::{AccessRequest, Effect, Handler, Stored, StoredResource, Tx};
use nephos_core::{Error, Result, Text, operation, record_of};

/// Row of the policy of a repository.
#[record_of(of = Repository, case = "camel", takes(repository_name), row, name = "RepositoryPolicyRow")]
pub(crate) struct PolicyRow {
    /// Policy document.
    pub(crate) policy_text: Option<Text>,
}

nephos_cloud::stored!(PolicyRow in "ecr/repository-policy" by repository_name);

/// Finds the policy of a repository.
pub(crate) fn find(cx: &Tx<'_>, repository: &str) -> Result<Option<PolicyRow>> {
    cx.get(&PolicyRow::table(cx.scope()).text(repository))
}

/// Removes the policy of a repository, if it has one.
pub(super) fn remove(cx: &mut Tx<'_>, repository: &Repository) -> Result<()> {
    cx.remove(&PolicyRow { repository_name: repository.repository_name.clone(), policy_text: None })
}

/// Policy of a repository.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct RepositoryPolicy {
    /// Policy document.
    policy_text: Option<Text>,
}

impl RepositoryPolicy {
    fn new(repository: Repository, policy_text: Option<Text>) -> Self {
        Self { policy_text, ..Self::from(repository) }
    }
}

/// Replaces the policy of a repository.
#[operation(
    of = Repository, case = "camel", call = "set_policy", needs(repository_name), include(RegistryId), effect = write,
    output = RepositoryPolicy, access = permissions
)]
pub struct SetRepositoryPolicy {
    /// Policy document.
    #[field(length(..=10_240))]
    pub policy_text: Text,
    /// True to accept a policy that denies the caller to change it afterwards.
    pub force: Option<bool>,
}

impl Handler for SetRepositoryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RepositoryPolicy> {
        run_in_registry(cx, self, |operation, cx| {
            let checked = policy::OF_REPOSITORY.check(cx, &operation.policy_text, policy::is_own_action)?;
            let repository = require(cx, &operation.repository_name)?;
            if operation.force != Some(true) && locks_out(cx, &repository, &checked)? {
                return Err(errors::policy_locks_out().with_field("policyText"));
            }
            let repository_name = repository.repository_name.clone();
            cx.put(PolicyRow { repository_name, policy_text: Some(checked.text.clone()) })?;
            Ok(RepositoryPolicy::new(repository, Some(checked.text)))
        })
    }
}

/// True if a policy denies the caller to replace it.
fn locks_out(cx: &mut Tx<'_>, repository: &Repository, checked: &CheckedPolicy) -> Result<bool> {
    let caller = cx.caller().principal();
    let mut request = AccessRequest::new(caller, "ecr:SetRepositoryPolicy", repository.own_arn());
    request.context = cx.caller_context()?;
    Ok(matches!(checked.policy.evaluate(&request), Some((Effect::Deny, _))))
}

/// Finds a repository and its policy, or refuses.
fn require_policy(cx: &Tx<'_>, name: &str) -> Result<(Repository, PolicyRow)> {
    let repository = require(cx, name)?;
    let missing = || -> Error { errors::repository_policy_not_found(name, cx.scope().account()) };
    let row = find(cx, name)?.ok_or_else(missing)?;
    Ok((repository, row))
}

/// Returns the policy of a repository.
#[operation(
    of = Repository, case = "camel", call = "get_policy", on_model, needs(repository_name), include(RegistryId), effect = read,
    output = RepositoryPolicy
)]
pub struct GetRepositoryPolicy {}

impl Handler for GetRepositoryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RepositoryPolicy> {
        run_in_registry(cx, self, |operation, cx| {
            let (repository, row) = require_policy(cx, &operation.repository_name)?;
            Ok(RepositoryPolicy::new(repository, row.policy_text))
        })
    }
}

/// Removes the policy of a repository, and returns it.
#[operation(
    of = Repository, case = "camel", call = "delete_policy", on_model, needs(repository_name), include(RegistryId), effect = write,
    output = RepositoryPolicy, access = permissions
)]
pub struct DeleteRepositoryPolicy {}

impl Handler for DeleteRepositoryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RepositoryPolicy> {
        run_in_registry(cx, self, |operation, cx| {
            let (repository, row) = require_policy(cx, &operation.repository_name)?;
            cx.remove(&row)?;
            Ok(RepositoryPolicy::new(repository, row.policy_text))
        })
    }
}
