//! Managed policies.

pub(crate) mod attachment;
pub(crate) mod boundary;
pub(crate) mod document;
pub(crate) mod inline_policy;
pub(crate) mod managed;
mod operations;
pub(crate) mod policy_entities;
pub(crate) mod policy_use;
pub(crate) mod policy_version;

pub use attachment::*;
pub use boundary::*;
pub use document::malformed_policy;
pub use inline_policy::*;
pub use operations::*;
pub use policy_entities::*;
pub use policy_use::*;
pub use policy_version::*;

use crate::{
    entity::{self, Entity, arns},
    errors,
};
use nephos_cloud::{Addressed as _, Quota, Tx};
use nephos_core::{Arn, Error, Record, Resource, Result, Slot, Tag, Text, Timestamp};

/// Quota of policies in an account.
pub(crate) const POLICIES: Quota = Quota { counter: "iam/policies", max: 1500, what: "policies" };

/// A managed policy: permissions that are attached to users, groups and roles, in versions.
#[derive(Resource)]
#[resource(
    arn("Arn", "policy{Path: /=/}{PolicyName}"), name = "PolicyName", pk = "Arn", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::policy_not_found(name)
)]
pub struct Policy {
    /// Name of the policy, unique within the account, ignoring case.
    #[field(required, fixed, length(1..=128), pattern = r"[\w+=,.@-]+")]
    pub(crate) policy_name: Option<Text>,
    /// Unique ID of the policy.
    #[field(service_set)]
    pub(crate) policy_id: Option<Text>,
    /// ARN of the policy.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Path of the policy: `/` or `/team/web/`.
    #[field(fixed, length(1..=512), pattern = r"((/[A-Za-z0-9\.,\+@=_-]+)*)/")]
    pub(crate) path: Option<Text>,
    /// ID of the default version.
    #[field(service_set)]
    pub(crate) default_version_id: Option<Text>,
    /// Number of users, groups and roles that the policy is attached to.
    #[field(service_set)]
    pub(crate) attachment_count: Option<i64>,
    /// Number of users and roles whose permissions boundary the policy is.
    #[field(service_set)]
    pub(crate) permissions_boundary_usage_count: Option<i64>,
    /// True if the policy can be attached.
    #[field(service_set)]
    pub(crate) is_attachable: Option<bool>,
    /// Description.
    #[field(not_in_list, fixed, length(..=1000))]
    pub(crate) description: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    /// Time of the creation of the default version.
    #[field(service_set)]
    pub(crate) update_date: Option<Timestamp>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored!(Policy in "iam/policy" by policy_name ignoring case; arn arn);

impl Entity for Policy {
    const ID: &'static str = "PolicyId";
    const ID_PREFIX: &'static str = "ANPA";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::policy_exists(name);
}

/// Finds the policy with this ARN.
///
/// # Errors
///
/// Refused if the text is not the ARN of a policy.
pub(crate) fn find(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Option<Policy>> {
    let parts = Arn::parts(arn)
        .filter(|[_, service, .., resource]| *service == "iam" && resource.starts_with("policy/"));
    if parts.is_none() {
        return Err(arns::invalid_arn(arn).with_field(field));
    }
    if managed::is_managed_arn(arn) { managed::find(cx, arn) } else { entity::find_by_arn(cx, arn) }
}

/// Finds the policy with this unique ID, of the account or of the provider.
pub(crate) fn find_by_id(cx: &Tx<'_>, id: Option<&Text>) -> Result<Option<Policy>> {
    let id = id.map(Text::as_str).unwrap_or_default();
    let own = entity::find_by_id(cx, id)?;
    if own.is_some() { Ok(own) } else { managed::find_by_id(cx, id) }
}

/// Refuses to change a policy of the provider.
pub(crate) fn check_own(cx: &Tx<'_>, policy: &Policy, action: &str) -> Result<()> {
    let arn = policy.arn.as_deref().unwrap_or_default();
    if !managed::is_managed_arn(arn) {
        return Ok(());
    }
    let refused = errors::managed_policy_denied(cx.caller().principal().arn, action, arn);
    Err(refused.with_hint("policies of the provider cannot be changed"))
}

/// Finds the policy with this ARN, or refuses.
pub(crate) fn require(cx: &Tx<'_>, arn: &str) -> Result<Policy> {
    find(cx, arn, "PolicyArn")?.ok_or_else(|| Policy::not_found(arn))
}

/// ARN of an existing policy.
#[derive(Record)]
#[record(shared)]
pub struct ExistingPolicy {
    /// ARN of the policy.
    #[field(required, from_field = "Arn", length(20..=2048))]
    policy_arn: Option<Text>,
}
