//! Uses of managed policies: attachments to users, groups and roles, and permissions boundaries of users and roles.

use crate::{
    Group, GroupManager, Policy, Role, RoleManager, User, UserManager,
    entity::{self, Entity},
    errors,
    group::ExistingGroup,
    paging::Page,
    policy::{self, inline_policy, managed},
    role::ExistingRole,
    user::ExistingUser,
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Empty, Operation, Record, Result, Text, operation, record_of};

/// Maximum number of policies that are attached to a user, group or role.
pub(crate) const MAX_POLICIES: usize = 10;

/// Use of a policy by an entity, as part of a key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Attached,
    Boundary,
}

impl Use {
    pub(crate) fn key(self) -> Option<Text> {
        Some(Text::new(match self {
            Self::Attached => "attached",
            Self::Boundary => "boundary",
        }))
    }
}

/// Row of a policy that an entity uses.
#[derive(Record)]
#[record(row)]
pub(crate) struct EntityPolicyRow {
    /// Unique ID of the entity.
    entity_id: Option<Text>,
    /// Use of the policy.
    usage: Option<Text>,
    /// Unique ID of the policy.
    policy_id: Option<Text>,
}

nephos_cloud::stored!(EntityPolicyRow in "iam/entity-policy" by entity_id, usage, policy_id);

/// Row of an entity that uses a policy, in order of the names of entities.
#[derive(Record)]
#[record(row)]
pub(crate) struct PolicyEntityRow {
    /// Unique ID of the policy.
    pub(crate) policy_id: Option<Text>,
    /// Resource type of the entity.
    pub(crate) resource_type: Option<Text>,
    /// Key of the name of the entity.
    pub(crate) name_key: Option<Text>,
    /// Use of the policy.
    pub(crate) usage: Option<Text>,
}

nephos_cloud::stored!(PolicyEntityRow in "iam/policy-entity" by policy_id, resource_type, name_key, usage);

impl PolicyEntityRow {
    fn new<E: Entity>(entity: &E, row: &EntityPolicyRow) -> Self {
        Self {
            policy_id: row.policy_id.clone(),
            resource_type: Some(E::RESOURCE_TYPE.into()),
            name_key: Some(entity.key_of_name()),
            usage: row.usage.clone(),
        }
    }
}

fn rows<E: Entity>(entity: &E, policy: &Policy, usage: Use) -> (EntityPolicyRow, PolicyEntityRow) {
    let row = EntityPolicyRow {
        entity_id: Some(entity.id().into()),
        usage: usage.key(),
        policy_id: policy.policy_id.clone(),
    };
    let entity = PolicyEntityRow::new(entity, &row);
    (row, entity)
}

fn uses(cx: &Tx<'_>, entity: &impl Entity, usage: Use) -> Result<Vec<EntityPolicyRow>> {
    let key = EntityPolicyRow::table(cx.scope()).text(entity.id());
    cx.all(&key.text(&usage.key().unwrap_or_default()))
}

/// Returns the policies that are attached to an entity, in order of their names.
pub(crate) fn attached(cx: &Tx<'_>, entity: &impl Entity) -> Result<Vec<Policy>> {
    let rows = uses(cx, entity, Use::Attached)?.into_iter();
    let policies = rows.map(|row| policy::find_by_id(cx, row.policy_id.as_ref()));
    let mut policies = policies.filter_map(Result::transpose).collect::<Result<Vec<Policy>>>()?;
    policies.sort_by_key(Entity::key_of_name);
    Ok(policies)
}

/// Adds `change` to the number of uses of a policy.
fn count(cx: &mut Tx<'_>, mut policy: Policy, usage: Use, change: i64) -> Result<()> {
    if managed::of_policy(&policy).is_some() {
        return managed::count(cx, policy, usage, change);
    }
    let number = match usage {
        Use::Attached => &mut policy.attachment_count,
        Use::Boundary => &mut policy.permissions_boundary_usage_count,
    };
    *number = Some(number.unwrap_or_default() + change);
    cx.put(policy)
}

/// Finds the policy that an entity is to use, or refuses.
pub(crate) fn require_attachable(cx: &Tx<'_>, arn: &str, field: &str) -> Result<Policy> {
    let policy = policy::find(cx, arn, field)?.ok_or_else(|| errors::policy_not_attachable(arn))?;
    if managed::is_for_service_linked_roles(&policy) {
        return Err(errors::service_role_policy().with_field(field));
    }
    Ok(policy)
}

/// Records that an entity uses a policy.
pub(crate) fn add_use(cx: &mut Tx<'_>, entity: &impl Entity, policy: Policy, usage: Use) -> Result<()> {
    let (row, entity) = rows(entity, &policy, usage);
    cx.put(row)?;
    cx.put(entity)?;
    count(cx, policy, usage, 1)
}

/// Removes all uses of this kind by an entity: its permissions boundary, or its attached policies.
pub(crate) fn remove_uses<E: Entity>(cx: &mut Tx<'_>, entity: &E, usage: Use) -> Result<()> {
    for row in uses(cx, entity, usage)? {
        if let Some(policy) = policy::find_by_id(cx, row.policy_id.as_ref())? {
            count(cx, policy, usage, -1)?;
        }
        cx.remove(&PolicyEntityRow::new(entity, &row))?;
        cx.remove(&row)?;
    }
    Ok(())
}

/// Sorts a renamed entity into its policies by the new name.
pub(crate) fn rename_entity<E: Entity>(cx: &mut Tx<'_>, before: &E, after: &E) -> Result<()> {
    if before.key_of_name() == after.key_of_name() {
        return Ok(());
    }
    for usage in [Use::Attached, Use::Boundary] {
        for row in uses(cx, before, usage)? {
            cx.remove(&PolicyEntityRow::new(before, &row))?;
            cx.put(PolicyEntityRow::new(after, &row))?;
        }
    }
    Ok(())
}

/// Refuses to delete an entity with attached or inline policies.
pub(crate) fn check_deletable(cx: &Tx<'_>, entity: &impl Entity) -> Result<()> {
    if !uses(cx, entity, Use::Attached)?.is_empty() {
        return Err(errors::has_attached_policies());
    }
    if inline_policy::has_policies(cx, entity)? {
        return Err(errors::has_inline_policies());
    }
    Ok(())
}

/// Attaches a policy to an entity; `quota` is the name of the quota of its policies.
fn attach<E: Entity>(cx: &mut Tx<'_>, name: &str, arn: &str, quota: &str) -> Result<Empty> {
    let entity: E = entity::require(cx, name)?;
    entity.check_modifiable()?;
    let policy = require_attachable(cx, arn, "PolicyArn")?;
    let attached = uses(cx, &entity, Use::Attached)?;
    if attached.contains(&rows(&entity, &policy, Use::Attached).0) {
        return Ok(Empty {});
    }
    if attached.len() >= MAX_POLICIES {
        return Err(errors::quota_exceeded(quota, MAX_POLICIES));
    }
    add_use(cx, &entity, policy, Use::Attached)?;
    Ok(Empty {})
}

/// Detaches a policy from an entity.
fn detach<E: Entity>(cx: &mut Tx<'_>, name: &str, arn: &str) -> Result<Empty> {
    let entity: E = entity::require(cx, name)?;
    entity.check_modifiable()?;
    let policy = policy::require(cx, arn)?;
    let (row, used_by) = rows(&entity, &policy, Use::Attached);
    if !cx.exists(&row.key(cx.scope()))? {
        return Err(errors::policy_not_found(arn).with_hint(format!("it is not attached to {name}")));
    }
    cx.remove(&row)?;
    cx.remove(&used_by)?;
    count(cx, policy, Use::Attached, -1)?;
    Ok(Empty {})
}

/// A policy that is attached to an entity.
#[record_of(of = Policy, answer, takes(policy_name, arn as policy_arn))]
pub struct AttachedPolicy {}

/// Returns the policies that are attached to an entity, as they are listed.
pub(crate) fn attached_policies(cx: &Tx<'_>, entity: &impl Entity) -> Result<Vec<AttachedPolicy>> {
    Ok(attached(cx, entity)?.into_iter().map(AttachedPolicy::from).collect())
}

/// Returns one page of the policies that are attached to an entity, in order of their names.
fn page_of_policies<E: Entity>(
    cx: &Tx<'_>,
    query: &impl Operation,
    name: &str,
    path_prefix: Option<&Text>,
) -> Result<(Vec<AttachedPolicy>, Option<Text>)> {
    let entity: E = entity::require(cx, name)?;
    let mut policies = attached(cx, &entity)?;
    policies
        .retain(|policy| path_prefix.is_none_or(|prefix| policy.identity()[0].starts_with(prefix.as_str())));
    let (policies, marker) = cx.page_items(query, policies, Entity::key_of_name)?;
    Ok((policies.into_iter().map(AttachedPolicy::from).collect(), marker))
}

/// ARN of a policy to attach or detach.
#[derive(Record)]
#[record(shared)]
pub struct PolicyArn {
    /// ARN of the policy.
    #[field(required, length(20..=2048), condition = "iam:PolicyARN")]
    policy_arn: Option<Text>,
}

/// Path prefix of listed policies.
#[derive(Record)]
#[record(shared)]
pub struct PolicyPathPrefix {
    /// Prefix of the paths of policies; all by default.
    #[field(like = Policy::path)]
    path_prefix: Option<Text>,
}

/// Declares the operations that attach policies to a kind of entity.
macro_rules! attachments {
    (
        $kind:ident, $existing:ident, $name:ident, quota $quota:literal;
        $(#[$of_attach:meta])+ $attach:ident;
        $(#[$of_detach:meta])+ $detach:ident;
        $(#[$of_list:meta])+ $list:ident = $list_call:tt;
    ) => {
        $(#[$of_attach])+
        #[operation(of = $kind, call = "attach_policy", on_model(policy_arn), include($existing, PolicyArn), effect = write)]
        pub struct $attach {}

        impl Handler for $attach {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                attach::<$kind>(cx, &self.$name, &self.policy_arn, $quota)
            }
        }

        $(#[$of_detach])+
        #[operation(of = $kind, call = "detach_policy", on_model(policy_arn), include($existing, PolicyArn), effect = write)]
        pub struct $detach {}

        impl Handler for $detach {
            fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
                detach::<$kind>(cx, &self.$name, &self.policy_arn)
            }
        }

        $(#[$of_list])+
        #[operation(
            of = $kind, call = $list_call, on_model, include($existing, PolicyPathPrefix, Page),
            page(attached_policies: AttachedPolicy, marker, is_truncated), effect = read
        )]
        pub struct $list {}

        impl Handler for $list {
            fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
                Ok(page_of_policies::<$kind>(cx, &self, &self.$name, self.path_prefix.as_ref())?.into())
            }
        }
    };
}

attachments! {
    User, ExistingUser, user_name, quota "PoliciesPerUser";
    /// Attaches a policy to a user; nothing happens if it is attached.
    AttachUserPolicy;
    /// Detaches a policy from a user.
    DetachUserPolicy;
    /// Lists the policies that are attached to a user, in order of their names.
    ListAttachedUserPolicies = "list_attached_policies";
}

attachments! {
    Role, ExistingRole, role_name, quota "PoliciesPerRole";
    /// Attaches a policy to a role; nothing happens if it is attached.
    AttachRolePolicy;
    /// Detaches a policy from a role.
    DetachRolePolicy;
    /// Lists the policies that are attached to a role, in order of their names.
    ListAttachedRolePolicies = "list_attached_policies";
}

attachments! {
    Group, ExistingGroup, group_name, quota "PoliciesPerGroup";
    /// Attaches a policy to a group; nothing happens if it is attached.
    AttachGroupPolicy;
    /// Detaches a policy from a group.
    DetachGroupPolicy;
    /// Lists the policies that are attached to a group, in order of their names.
    ListAttachedGroupPolicies = "attached_policies";
}
