//! Operations on roles.

use super::{
    ExistingRole, Role, RoleManager, SESSION_DURATION, check_trust_policy, create, decode_policies,
    instance_profile, remove, service_linked_role,
};
use crate::{
    entity::{self, Entity, PathPrefix},
    errors,
    identity::last_use,
    paging::Page,
    policy::{
        attachment::{self, Use},
        boundary::{self, AttachedPermissionsBoundary},
    },
    tagging,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Record, Result, Text, WorkflowContext, operation};

async fn decoded(_: &WorkflowContext, role: Role) -> Result<Role> {
    Ok(role.with_decoded_policy())
}

/// Creates a role.
#[operation(
    of = Role, call = "create", model, needs(role_name, assume_role_policy_document), takes(settable),
    overrides(tags), wraps(role), copies_to_answer(max_session_duration), with = decoded, effect = write,
    also_requires("TagRole" = "Tags?")
)]
pub struct CreateRole {
    /// ARN of the policy that is the permissions boundary of the role.
    #[field(length(20..=2048), condition = "iam:PermissionsBoundary")]
    pub permissions_boundary: Option<Text>,
}

impl Handler for CreateRole {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.tags = tagging::read(self.tags.as_deref())?;
        service_linked_role::check_path(self.path.as_ref())?;
        check_trust_policy(&self.assume_role_policy_document, "AssumeRolePolicyDocument")?;
        entity::check_name_free::<Role>(cx, &self.role_name)?;
        let boundary = self.permissions_boundary.take();
        let find = |arn: &Text| attachment::require_attachable(cx, arn, boundary::PARAMETER);
        let policy = boundary.as_ref().map(find).transpose()?;
        self.max_session_duration.get_or_insert(SESSION_DURATION);
        let mut role = Role::from_given(self);
        role.permissions_boundary = boundary.map(AttachedPermissionsBoundary::new);
        let mut role = create(cx, role)?;
        policy.map_or(Ok(()), |policy| attachment::add_use(cx, &role, policy, Use::Boundary))?;
        // Only GetRole and ListRoles answer it.
        role.max_session_duration = None;
        Ok(role.with_encoded_policy().into())
    }
}

/// Returns a role. On the wire, its trust policy is percent-encoded.
#[operation(
    of = Role, call = "get", none_if_missing, include(ExistingRole), wraps(role), with = decoded, effect = read
)]
pub struct GetRole {}

impl Handler for GetRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        role.role_last_used = Some(last_use::of_role(cx, &role)?);
        Ok(role.with_encoded_policy().into())
    }
}

/// Lists roles in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = Role, call = "list", page(roles => decode_policies, marker, is_truncated), include(PathPrefix, Page),
    pushdown(path_prefix = "Path"), effect = read, subject = "role/*"
)]
pub struct ListRoles {}

impl Handler for ListRoles {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let convert = |role: Role| Ok(Some(role.with_encoded_policy()));
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), convert)?.into())
    }
}

/// Changes the description and the maximum session duration of a role, where given.
#[operation(of = Role, include(ExistingRole), takes(description, max_session_duration), effect = write)]
pub struct UpdateRole {}

impl Handler for UpdateRole {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        if self.max_session_duration.is_some() {
            role.check_modifiable()?;
        }
        role.description = self.description.take().or(role.description);
        role.max_session_duration = self.max_session_duration.or(role.max_session_duration);
        cx.put(role)?;
        Ok(Empty {})
    }
}

/// Changes the description of a role.
#[operation(of = Role, include(ExistingRole), needs(description), wraps(role), effect = write)]
pub struct UpdateRoleDescription {}

impl Handler for UpdateRoleDescription {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        role.description = Some(self.description);
        cx.put(role.clone())?;
        Ok(role.with_encoded_policy().into())
    }
}

/// Replaces the trust policy of a role.
#[operation(
    of = Role, include(ExistingRole), needs(assume_role_policy_document as policy_document), effect = write
)]
pub struct UpdateAssumeRolePolicy {}

impl Handler for UpdateAssumeRolePolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        role.check_modifiable()?;
        check_trust_policy(&self.policy_document, "PolicyDocument")?;
        role.assume_role_policy_document = Some(self.policy_document);
        cx.put(role)?;
        Ok(Empty {})
    }
}

/// Changes the trust policy, description, maximum session duration and tags of a role, where the model was changed.
#[operation(kind = Role, call = "update", changes(UpdateAssumeRolePolicy, UpdateRole), effect = write)]
pub struct RoleUpdate {}

/// Deletes a role, which must have no policies and be in no instance profile.
#[operation(of = Role, call = "delete", on_model, include(ExistingRole), effect = write)]
pub struct DeleteRole {}

impl Handler for DeleteRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let role: Role = entity::require(cx, &self.role_name)?;
        role.check_modifiable()?;
        if instance_profile::contains_role(cx, &role)? {
            return Err(errors::role_in_instance_profile());
        }
        attachment::check_deletable(cx, &role)?;
        attachment::remove_uses(cx, &role, Use::Boundary)?;
        remove(cx, &role)?;
        Ok(Empty {})
    }
}
