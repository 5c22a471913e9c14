//! Resource policies of registries.

use crate::{
    Empty, Registry, RegistryManager, errors,
    registry::{self, RegistryPath},
};
use nephos_cloud::{Handler, Key, PolicyRules, PolicyService, Scope, Stored, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Row of the resource policy of a registry.
#[derive(Record)]
#[record(row, name = "RegistryPolicy")]
pub(crate) struct PolicyRow {
    /// Name of the registry.
    registry_name: Option<Text>,
    /// Policy document.
    policy: Option<Text>,
    /// ID of the revision; every change of the policy creates a new one.
    revision_id: Option<Text>,
}

nephos_cloud::stored!(PolicyRow in "schemas/policy" by registry_name);

/// Rules for resource policies of registries.
const RULES: PolicyRules = PolicyRules {
    has_principals: true,
    service: Some(PolicyService {
        name: "schemas",
        resource: "registry",
        action: "schemas:DescribeSchema",
        narrowing: &[],
    }),
    ..PolicyRules::new("Policy", |reason| errors::policy_malformed().with_hint(reason.to_string()))
};

/// Returns the key of the policy of a registry.
pub(crate) fn key(scope: &Scope, registry: &str) -> Key {
    PolicyRow::table(scope).text(registry)
}

/// Finds the document of the policy of a registry.
pub(crate) fn find_document(cx: &Tx<'_>, registry: &str) -> Result<Option<Text>> {
    Ok(cx.get::<PolicyRow>(&key(cx.scope(), registry))?.and_then(|found| found.policy))
}

/// Parameter of requests for the policy of a registry.
#[derive(Record)]
#[record(shared)]
pub struct PolicyQuery {
    /// Name of the registry.
    #[field(wire = "registryName", in_query, like = Registry::registry_name)]
    registry_name: Option<Text>,
}

/// Returns the name of the registry, which is required although the provider's model has it as optional.
fn required_name(name: Option<&Text>) -> Result<&Text> {
    name.ok_or_else(|| errors::registry_name_missing().with_field("RegistryName"))
}

/// Returns the policy of a registry, or an error if there is none.
fn require(cx: &Tx<'_>, name: &str) -> Result<PolicyRow> {
    registry::require(cx, name)?;
    cx.get(&key(cx.scope(), name))?.ok_or_else(|| errors::policy_not_found(name))
}

/// Resource policy of a registry.
#[derive(Record)]
#[record(answer, name = "GetResourcePolicyResponse")]
pub struct RegistryPolicy {
    /// Policy document.
    policy: Option<Text>,
    /// ID of the revision of the policy.
    revision_id: Option<Text>,
}

/// Returns the resource policy of a registry.
#[operation(
    of = Registry, include(PolicyQuery),
    effect = read, output = RegistryPolicy, http("GET", "/v1/policy", 200)
)]
pub struct GetResourcePolicy {}

impl Handler for GetResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryPolicy> {
        Ok(RegistryPolicy::from_given(require(cx, required_name(self.registry_name.as_ref())?)?))
    }
}

/// Attaches a resource policy to a registry, or replaces the attached one.
///
/// The policy is checked and returned; access is not decided by it.
#[operation(
    of = Registry, include(PolicyQuery),
    effect = write, output = RegistryPolicy, http("PUT", "/v1/policy", 200)
)]
pub struct PutResourcePolicy {
    /// Policy document.
    pub policy: Text,
    /// ID of the revision to replace. The call is refused if the policy has another one.
    pub revision_id: Option<Text>,
}

impl Handler for PutResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<RegistryPolicy> {
        RULES.parse(&self.policy)?;
        let name = required_name(self.registry_name.as_ref())?;
        registry::require_changeable(cx, name)?;
        if let Some(expected) = &self.revision_id {
            let attached: Option<PolicyRow> = cx.get(&key(cx.scope(), name))?;
            let current = attached.and_then(|attached| attached.revision_id);
            if current.as_ref() != Some(expected) {
                let hint = current.map(|id| format!("the current revision is {id}"));
                let refused = errors::revision_mismatch(expected).with_field("RevisionId");
                return Err(
                    refused.with_hint(hint.unwrap_or_else(|| "the registry has no policy".to_owned()))
                );
            }
        }
        let row = PolicyRow {
            registry_name: self.registry_name,
            policy: Some(self.policy),
            revision_id: Some(cx.ids().uuid()),
        };
        cx.put(row.clone())?;
        Ok(RegistryPolicy::from_given(row))
    }
}

/// Removes the resource policy of a registry.
#[operation(
    of = Registry, include(PolicyQuery),
    effect = write, http("DELETE", "/v1/policy", 204)
)]
pub struct DeleteResourcePolicy {}

impl Handler for DeleteResourcePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let name = required_name(self.registry_name.as_ref())?;
        let policy = require(cx, name)?;
        cx.remove(&policy)?;
        Ok(Empty {})
    }
}

/// Returns the resource policy of a registry, if it has one.
#[operation(
    kind = Registry, of = Registry, call = "get_resource_policy", on_model, none_if_missing, include(RegistryPath),
    effect = read, runs = GetResourcePolicy, output = RegistryPolicy
)]
pub struct RegistryGetPolicy {}

/// Attaches a resource policy to a registry, or replaces the attached one.
///
/// The policy is checked and returned; access is not decided by it.
#[operation(
    kind = Registry, of = Registry, call = "set_resource_policy", include(RegistryPath),
    effect = write, runs = PutResourcePolicy, output = RegistryPolicy
)]
pub struct RegistrySetPolicy {
    /// Policy document.
    pub policy: Text,
    /// ID of the revision to replace. The call is refused if the policy has another one.
    pub revision_id: Option<Text>,
}

/// Removes the resource policy of a registry.
#[operation(
    kind = Registry, of = Registry, call = "delete_resource_policy", on_model, include(RegistryPath),
    effect = write, runs = DeleteResourcePolicy
)]
pub struct RegistryDeletePolicy {}
