//! The policy of a registry, which counts for all of its repositories.

use super::{RegistryRow, settings};
use crate::{Repository, RepositoryManager, errors, policy};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Actions that a policy with the older scope can have; it has no effect on others.
const OLDER_ACTIONS: [&str; 3] =
    ["ecr:ReplicateImage", "ecr:BatchImportUpstreamImage", "ecr:CreateRepository"];

/// Returns the policy of the registry for decisions, if it has one.
pub(crate) fn find(cx: &Tx<'_>) -> Result<Option<Text>> {
    let registry = RegistryRow::find(cx)?;
    let is_older = settings::has_older_policy_scope(&registry);
    let Some(text) = registry.policy_text else { return Ok(None) };
    if is_older { Ok(policy::narrowed(&text, &OLDER_ACTIONS)) } else { Ok(Some(text)) }
}

/// Policy of a registry.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct RegistryPolicy {
    /// Account of the registry.
    registry_id: Option<Text>,
    /// Policy document.
    policy_text: Option<Text>,
}

impl RegistryPolicy {
    fn new(cx: &Tx<'_>, policy_text: Text) -> Self {
        Self { registry_id: Some(cx.scope().account().into()), policy_text: Some(policy_text) }
    }
}

/// Replaces the policy of the registry.
#[operation(
    of = Repository, case = "camel", call = "set_registry_policy", effect = write, output = RegistryPolicy,
    access = permissions, subject = "*"
)]
pub struct PutRegistryPolicy {
    /// Policy document.
    #[field(length(..=10_240))]
    pub policy_text: Text,
}

impl Handler for PutRegistryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryPolicy> {
        let is_older = settings::has_older_policy_scope(&RegistryRow::find(cx)?);
        let is_allowed = |action: &str| {
            let is_listed = || OLDER_ACTIONS.iter().any(|listed| listed.eq_ignore_ascii_case(action));
            policy::is_own_action(action) && (!is_older || policy::is_any_action(action) || is_listed())
        };
        let checked = policy::OF_REGISTRY.check(cx, &self.policy_text, is_allowed)?;
        RegistryRow::change(cx, |registry| registry.policy_text = Some(checked.text.clone()))?;
        Ok(RegistryPolicy::new(cx, checked.text))
    }
}

fn require(cx: &Tx<'_>) -> Result<Text> {
    let missing = || errors::registry_policy_not_found(cx.scope().account());
    RegistryRow::find(cx)?.policy_text.ok_or_else(missing)
}

/// Returns the policy of the registry.
#[operation(
    of = Repository, case = "camel", call = "get_registry_policy", effect = read, output = RegistryPolicy, subject = "*"
)]
pub struct GetRegistryPolicy {}

impl Handler for GetRegistryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryPolicy> {
        Ok(RegistryPolicy::new(cx, require(cx)?))
    }
}

/// Removes the policy of the registry, and returns it.
#[operation(
    of = Repository, case = "camel", call = "delete_registry_policy", effect = write, output = RegistryPolicy,
    access = permissions, subject = "*"
)]
pub struct DeleteRegistryPolicy {}

impl Handler for DeleteRegistryPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryPolicy> {
        let removed = require(cx)?;
        RegistryRow::change(cx, |registry| registry.policy_text = None)?;
        Ok(RegistryPolicy::new(cx, removed))
    }
}
