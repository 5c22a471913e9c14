//! Operations on lifecycle policies.

use super::{document::LifecyclePolicy, expiry, preview::PreviewRow};
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors,
    repository::require,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx};
use nephos_core::{
    Result, Text, Timestamp,
    json::{self, Writing},
    operation, record_of,
};

/// Row of the lifecycle policy of a repository.
#[record_of(of = Repository, case = "camel", takes(repository_name), row)]
pub(crate) struct LifecyclePolicyRow {
    /// Document of the policy.
    pub(super) lifecycle_policy_text: Option<Text>,
    /// Time of the last evaluation.
    pub(super) last_evaluated_at: Option<Timestamp>,
    /// Time of the next evaluation.
    pub(super) next_evaluation_at: Option<Timestamp>,
}

nephos_cloud::stored!(LifecyclePolicyRow in "ecr/lifecycle-policy" by repository_name);

impl LifecyclePolicyRow {
    pub(super) fn find(cx: &Tx<'_>, repository: &str) -> Result<Option<Self>> {
        cx.get(&Self::table(cx.scope()).text(repository))
    }

    /// Finds the lifecycle policy of a repository, or refuses.
    pub(super) fn require(cx: &Tx<'_>, repository: &str) -> Result<Self> {
        let missing = || errors::lifecycle_policy_not_found(repository, cx.scope().account());
        Self::find(cx, repository)?.ok_or_else(missing)
    }
}

/// Removes the lifecycle policy of a repository, and its preview, if it has them.
pub(crate) fn remove(cx: &mut Tx<'_>, repository: &Repository) -> Result<()> {
    let name = repository.own_name();
    if let Some(row) = LifecyclePolicyRow::find(cx, name)? {
        cx.remove(&row)?;
    }
    match PreviewRow::find(cx, name)? {
        Some(row) => cx.remove(&row),
        None => Ok(()),
    }
}

/// Lifecycle policy of a repository.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct RepositoryLifecyclePolicy {
    /// Document of the policy.
    lifecycle_policy_text: Option<Text>,
    /// Time of the last evaluation; 1970 if the policy was never evaluated.
    last_evaluated_at: Option<Timestamp>,
}

/// Replaces the lifecycle policy of a repository.
#[operation(
    of = Repository, case = "camel", call = "set_lifecycle_policy", needs(repository_name), include(RegistryId),
    effect = write, output = PutLifecyclePolicyResponse
)]
pub struct PutLifecyclePolicy {
    /// Document of the policy.
    #[field(length(100..=30_720))]
    pub lifecycle_policy_text: Text,
}

/// Lifecycle policy that a repository has now.
#[record_of(of = Repository, case = "camel", takes(registry_id, repository_name), answer)]
pub struct PutLifecyclePolicyResponse {
    /// Document of the policy.
    lifecycle_policy_text: Option<Text>,
}

impl Handler for PutLifecyclePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<PutLifecyclePolicyResponse> {
        run_in_registry(cx, self, |operation, cx| {
            let (_, document) = LifecyclePolicy::read(&operation.lifecycle_policy_text)?;
            let repository = require(cx, &operation.repository_name)?;
            let text: Text = json::write(document.view(), Writing::EXPOSED).into();
            let last = LifecyclePolicyRow::find(cx, repository.own_name())?;
            let mut row = LifecyclePolicyRow {
                repository_name: repository.repository_name.clone(),
                lifecycle_policy_text: Some(text.clone()),
                last_evaluated_at: None,
                next_evaluation_at: last.and_then(|last| last.next_evaluation_at),
            };
            expiry::schedule(cx, &mut row)?;
            cx.put(row)?;
            Ok(PutLifecyclePolicyResponse { lifecycle_policy_text: Some(text), ..repository.into() })
        })
    }
}

/// Finds the lifecycle policy of a repository, or refuses.
fn require_policy(cx: &Tx<'_>, name: &str) -> Result<(LifecyclePolicyRow, RepositoryLifecyclePolicy)> {
    let repository = require(cx, name)?;
    let row = LifecyclePolicyRow::require(cx, name)?;
    let policy = RepositoryLifecyclePolicy {
        lifecycle_policy_text: row.lifecycle_policy_text.clone(),
        last_evaluated_at: Some(row.last_evaluated_at.unwrap_or(Timestamp::UNIX_EPOCH)),
        ..repository.into()
    };
    Ok((row, policy))
}

/// Returns the lifecycle policy of a repository.
#[operation(
    of = Repository, case = "camel", call = "get_lifecycle_policy", on_model, needs(repository_name), include(RegistryId),
    effect = read, output = RepositoryLifecyclePolicy
)]
pub struct GetLifecyclePolicy {}

impl Handler for GetLifecyclePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RepositoryLifecyclePolicy> {
        run_in_registry(cx, self, |operation, cx| Ok(require_policy(cx, &operation.repository_name)?.1))
    }
}

/// Removes the lifecycle policy of a repository, and returns it.
#[operation(
    of = Repository, case = "camel", call = "delete_lifecycle_policy", on_model, needs(repository_name),
    include(RegistryId), effect = write, output = RepositoryLifecyclePolicy
)]
pub struct DeleteLifecyclePolicy {}

impl Handler for DeleteLifecyclePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RepositoryLifecyclePolicy> {
        run_in_registry(cx, self, |operation, cx| {
            let (row, policy) = require_policy(cx, &operation.repository_name)?;
            cx.remove(&row)?;
            Ok(policy)
        })
    }
}
