//! Roles: identities that principals assume, as their trust policies allow.

pub(crate) mod instance_profile;
pub(crate) mod linked_services;
mod operations;
pub(crate) mod service_linked_role;

pub use instance_profile::*;
pub use operations::*;
pub use service_linked_role::*;

use crate::{
    User,
    entity::{self, Entity},
    errors,
    identity::{AssumableRole, last_use},
    policy::{
        boundary::AttachedPermissionsBoundary,
        document::{self, Document},
    },
};
use nephos_cloud::{Quota, StoredResource as _, Tx};
use nephos_core::{Error, Record, Resource, Result, Slot, Tag, Text, Timestamp, field_value::FieldType};

/// Quota of roles in an account.
pub(crate) const ROLES: Quota = Quota { counter: "iam/roles", max: 1000, what: "roles" };

/// Maximum number of characters of a trust policy, without whitespace.
pub(crate) const MAX_TRUST_POLICY_SIZE: usize = 2048;

/// Maximum duration of sessions of roles that are created without one, in seconds.
const SESSION_DURATION: i64 = 3600;

/// A role: an identity that principals assume, as its trust policy allows.
#[derive(Resource)]
#[resource(
    arn("Arn", "role{Path: /=/}{RoleName}"), name = "RoleName", pk = "RoleName", exists_if = "Arn", tags = "Tags",
    not_found = |name| errors::role_not_found(name)
)]
pub struct Role {
    /// Path of the role: `/` or `/team/web/`.
    #[field(fixed, like = User::path)]
    pub(crate) path: Option<Text>,
    /// Name of the role, unique within the account, ignoring case.
    #[field(required, fixed, length(1..=64), pattern = r"[\w+=,.@-]+")]
    pub(crate) role_name: Option<Text>,
    /// Unique ID of the role.
    #[field(service_set)]
    pub(crate) role_id: Option<Text>,
    /// ARN of the role.
    #[field(service_set)]
    pub(crate) arn: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) create_date: Option<Timestamp>,
    /// Trust policy in JSON: the principals that can assume the role.
    #[field(required, like = Document::policy_document)]
    pub(crate) assume_role_policy_document: Option<Text>,
    /// Description.
    #[field(length(..=1000), clear = "")]
    description: Option<Text>,
    /// Maximum duration of sessions, in seconds; one hour by default.
    #[field(range(3600..=43_200), clear = 3600)]
    pub(crate) max_session_duration: Option<i64>,
    /// Permissions boundary.
    #[field(not_in_list, service_set)]
    pub(crate) permissions_boundary: Option<AttachedPermissionsBoundary>,
    /// Tags.
    #[field(not_in_list, length(..=50))]
    pub(crate) tags: Option<Vec<Tag>>,
    /// Last use of the role, if it was used.
    #[field(not_in_list, service_set)]
    role_last_used: Option<RoleLastUsed>,
    /// Template that the role was created from. Roles here have none.
    #[field(service_set)]
    source_role_template: Option<SourceRoleTemplate>,
    slot: Slot,
}

/// Last use of a role.
#[derive(Record)]
#[record(answer)]
pub struct RoleLastUsed {
    /// Time of the last request.
    pub(crate) last_used_date: Option<Timestamp>,
    /// Region of the last request.
    pub(crate) region: Option<Text>,
}

/// Template that a role was created from.
#[derive(Record)]
#[record(answer)]
pub struct SourceRoleTemplate {
    /// ARN of the template.
    template_arn: Option<Text>,
    /// Minor version of the template.
    template_minor_version: Option<i64>,
}

nephos_cloud::stored!(Role in "iam/role" by role_name ignoring case; arn arn);

impl Entity for Role {
    const ID: &'static str = "RoleId";
    const ID_PREFIX: &'static str = "AROA";
    const NAME_TAKEN: fn(&str) -> Error = |name| errors::role_exists(name);

    fn check_modifiable(&self) -> Result<()> {
        if service_linked_role::is_linked(self) {
            Err(errors::role_protected(self.own_name()))
        } else {
            Ok(())
        }
    }

    fn boundary(&self) -> Option<&Text> {
        self.permissions_boundary.as_ref().and_then(|boundary| boundary.arn())
    }
}

impl Role {
    /// Creates a service-linked role.
    pub(crate) fn new_linked(name: Text, path: Text, trust: Text, description: Option<Text>) -> Self {
        let mut role = Self::blank();
        role.path = Some(path);
        role.role_name = Some(name);
        role.assume_role_policy_document = Some(trust);
        role.description = description;
        role.max_session_duration = Some(SESSION_DURATION);
        role
    }

    /// Returns what a caller who wants to assume the role needs to know about it.
    pub(crate) fn into_assumable(self, account: Text) -> AssumableRole {
        AssumableRole {
            account,
            arn: self.arn.unwrap_or_default(),
            id: self.role_id.unwrap_or_default(),
            name: self.role_name.unwrap_or_default(),
            trust_policy: self.assume_role_policy_document.unwrap_or_default(),
            max_session_duration: self.max_session_duration.unwrap_or(SESSION_DURATION),
            tags: self.tags.unwrap_or_default(),
        }
    }

    /// Percent-encodes the trust policy, as the service returns it.
    pub(crate) fn with_encoded_policy(mut self) -> Self {
        self.assume_role_policy_document = self.assume_role_policy_document.as_deref().map(document::encode);
        self
    }

    /// Decodes the trust policy of an answer.
    fn with_decoded_policy(mut self) -> Self {
        self.assume_role_policy_document = self.assume_role_policy_document.as_deref().map(document::decode);
        self
    }
}

/// Decodes the trust policies of listed roles.
pub(crate) fn decode_policies(roles: Vec<Role>) -> Vec<Role> {
    roles.into_iter().map(Role::with_decoded_policy).collect()
}

/// Refuses a trust policy that is malformed or too long.
fn check_trust_policy(policy: &str, parameter: &'static str) -> Result<()> {
    document::check_trust_policy(policy, parameter)?;
    if document::size(policy) > MAX_TRUST_POLICY_SIZE {
        return Err(errors::quota_exceeded("ACLSizePerRole", MAX_TRUST_POLICY_SIZE).with_field(parameter));
    }
    Ok(())
}

/// Counts and stores a new role.
pub(crate) fn create(cx: &mut Tx<'_>, role: Role) -> Result<Role> {
    ROLES.add_one(cx, || errors::quota_exceeded("RolesPerAccount", ROLES.max))?;
    entity::create(cx, role)
}

/// Removes a role.
pub(crate) fn remove(cx: &mut Tx<'_>, role: &Role) -> Result<()> {
    ROLES.remove_one(cx)?;
    last_use::remove(cx, role.id())?;
    last_use::remove_services(cx, role.id())?;
    entity::remove(cx, role)
}

/// Name of an existing role.
#[derive(Record)]
#[record(shared)]
pub struct ExistingRole {
    /// Name of the role, ignoring case.
    #[field(required, like = Role::role_name)]
    role_name: Option<Text>,
}
