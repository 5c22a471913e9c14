//! Operations on key policies.

use crate::{
    CryptoKey, CryptoKeyManager, errors,
    key::{KeyIdOrArn, find, policy},
    paging::Page,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, operation};

/// Name of the only policy of a key.
const NAME: &str = "default";

/// Name of a policy of a key.
#[derive(Record)]
#[record(shared)]
pub struct KeyPolicyName {
    /// Name of the policy; the only one is `default`.
    #[field(length(1..=128), pattern = r"[\w]+")]
    policy_name: Option<Text>,
}

/// Refuses the name of a policy that keys cannot have.
fn check_policy_name(name: Option<&str>) -> Result<()> {
    match name {
        None | Some(NAME) => Ok(()),
        Some(_) => Err(errors::policy_not_found().with_field("PolicyName").with_hint(NAME)),
    }
}

/// Replaces the policy of a key.
#[operation(
    of = CryptoKey, include(KeyIdOrArn, KeyPolicyName), call = "set_policy", effect = write, access = permissions
)]
pub struct PutKeyPolicy {
    /// Policy document.
    #[field(length(1..=131_072), pattern = r"[\u0009\u000A\u000D\u0020-\u00FF]+")]
    pub policy: Text,
    /// True to accept a policy that does not let the caller change it afterwards.
    #[field(condition = "kms:BypassPolicyLockoutSafetyCheck")]
    pub bypass_policy_lockout_safety_check: Option<bool>,
}

impl Handler for PutKeyPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check_policy_name(self.policy_name.as_deref())?;
        let key = find::require_own(cx, &self.key_id)?;
        key.check_not_managed(cx)?;
        policy::check(cx, &self.policy, self.bypass_policy_lockout_safety_check == Some(true))?;
        policy::put(cx, key.id(), self.policy)?;
        Ok(Empty {})
    }
}

/// Returns the policy of a key.
#[operation(
    of = CryptoKey, include(KeyIdOrArn, KeyPolicyName), call = "get_policy", on_model, returns(policy: Text),
    effect = read, output = GetKeyPolicyResponse
)]
pub struct GetKeyPolicy {}

/// Policy of a key.
#[derive(Record)]
#[record(answer)]
pub struct GetKeyPolicyResponse {
    /// Policy document.
    policy: Option<Text>,
    /// Name of the policy.
    policy_name: Option<Text>,
}

impl Handler for GetKeyPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetKeyPolicyResponse> {
        check_policy_name(self.policy_name.as_deref())?;
        let key = find::require_own(cx, &self.key_id)?;
        let policy = policy::find(cx, key.id())?;
        Ok(GetKeyPolicyResponse { policy: Some(policy), policy_name: Some(NAME.into()) })
    }
}

/// Lists the names of the policies of a key. Every key has exactly one, `default`.
#[operation(
    of = CryptoKey, include(KeyIdOrArn, Page), call = "list_policies", on_model,
    page(policy_names: Text, next_marker, truncated), effect = read
)]
pub struct ListKeyPolicies {}

impl Handler for ListKeyPolicies {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        find::require_own(cx, &self.key_id)?;
        Ok(cx.page_list(&self, [Text::const_new(NAME)])?.into())
    }
}
