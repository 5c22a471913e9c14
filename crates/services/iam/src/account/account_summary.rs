//! Summary of an account: numbers of its entities, and quotas.

use crate::{
    certificate::{server_certificate, signing_certificate},
    group::{self, membership},
    policy::{self, attachment, inline_policy, policy_version},
    provider::{open_id_provider, saml_provider},
    role::{self, instance_profile},
    user::{
        self, access_key, login_profile,
        mfa_device::{self, user_mfa_devices},
    },
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Map, Resource, Result, Slot, Text, field_value::FieldType, operation};

/// Maximum number of versions of all policies of an account.
const VERSIONS_IN_USE_QUOTA: i64 = 10_000;

/// A summary of an account: numbers of its entities, and quotas.
#[derive(Resource)]
#[resource(frozen)]
pub struct AccountSummary {
    /// Numbers and quotas by their names: `Users`, `UsersQuota`.
    summary_map: Option<Map<i64>>,
    slot: Slot,
}

/// Returns the numbers of entities of the account, and its quotas.
#[operation(
    of = AccountSummary, call = "get", effect = read, output = AccountSummary, subject = "*", access = list
)]
pub struct GetAccountSummary {}

impl Handler for GetAccountSummary {
    fn run(self, cx: &mut Tx<'_>) -> Result<AccountSummary> {
        // Credentials of the root user belong to the account.
        let root = cx.scope().account();
        let entries = [
            ("Users", cx.count(user::USERS.counter)?),
            ("UsersQuota", user::USERS.max),
            ("Groups", cx.count(group::GROUPS.counter)?),
            ("GroupsQuota", group::GROUPS.max),
            ("Roles", cx.count(role::ROLES.counter)?),
            ("RolesQuota", role::ROLES.max),
            ("InstanceProfiles", cx.count(instance_profile::PROFILES.counter)?),
            ("InstanceProfilesQuota", instance_profile::PROFILES.max),
            ("Policies", cx.count(policy::POLICIES.counter)?),
            ("PoliciesQuota", policy::POLICIES.max),
            ("PolicyVersionsInUse", cx.count(policy_version::COUNTER)?),
            ("PolicyVersionsInUseQuota", VERSIONS_IN_USE_QUOTA),
            ("VersionsPerPolicyQuota", policy_version::MAX_VERSIONS as i64),
            ("PolicySizeQuota", policy_version::MAX_SIZE as i64),
            ("UserPolicySizeQuota", inline_policy::MAX_USER_SIZE as i64),
            ("GroupPolicySizeQuota", inline_policy::MAX_GROUP_SIZE as i64),
            ("RolePolicySizeQuota", inline_policy::MAX_ROLE_SIZE as i64),
            ("AssumeRolePolicySizeQuota", role::MAX_TRUST_POLICY_SIZE as i64),
            ("AttachedPoliciesPerUserQuota", attachment::MAX_POLICIES as i64),
            ("AttachedPoliciesPerGroupQuota", attachment::MAX_POLICIES as i64),
            ("AttachedPoliciesPerRoleQuota", attachment::MAX_POLICIES as i64),
            ("GroupsPerUserQuota", membership::MAX_GROUPS as i64),
            ("AccessKeysPerUserQuota", access_key::MAX_KEYS as i64),
            ("SigningCertificatesPerUserQuota", signing_certificate::MAX_CERTIFICATES as i64),
            ("ServerCertificates", cx.count(server_certificate::CERTIFICATES.counter)?),
            ("ServerCertificatesQuota", server_certificate::CERTIFICATES.max),
            ("MFADevices", cx.count(mfa_device::COUNTER)?),
            ("MFADevicesInUse", cx.count(mfa_device::IN_USE_COUNTER)?),
            (
                "Providers",
                cx.count(open_id_provider::PROVIDERS.counter)?
                    + cx.count(saml_provider::PROVIDERS.counter)?,
            ),
            ("AccountMFAEnabled", i64::from(user_mfa_devices::has_devices(cx, root)?)),
            ("AccountAccessKeysPresent", i64::from(access_key::has_keys(cx, root)?)),
            ("AccountPasswordPresent", i64::from(login_profile::find(cx, root)?.is_some())),
            (
                "AccountSigningCertificatesPresent",
                i64::from(!signing_certificate::certificates_of(cx, root)?.is_empty()),
            ),
            ("GlobalEndpointTokenVersion", 1),
        ];
        let mut summary = AccountSummary::blank();
        summary.summary_map =
            Some(entries.into_iter().map(|(name, number)| (Text::new(name), number)).collect());
        Ok(summary)
    }
}
