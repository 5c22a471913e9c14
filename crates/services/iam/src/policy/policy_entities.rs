//! Entities that use a managed policy.

use crate::{
    Group, Policy, PolicyManager, Role, User,
    entity::{self, Entity},
    paging::Page,
    policy::{
        self, ExistingPolicy, PolicyUsage,
        attachment::{PolicyEntityRow, Use},
    },
};
use nephos_cloud::{Handler, Stored, Tx};
use nephos_core::{Record, Result, Text, choices, operation, record_of};

choices! {
    /// Kind of entity.
    pub enum EntityType {
        /// A user.
        User,
        /// A role.
        Role,
        /// A group.
        Group,
        /// A policy of the account.
        LocalManagedPolicy,
        /// A policy of the provider.
        AwsManagedPolicy = "AWSManagedPolicy",
    }
}

/// Lists the entities that use a policy: groups, roles, then users, each in order of their names.
#[operation(
    of = Policy, call = "list_entities", on_model, include(ExistingPolicy, Page),
    effect = read, output = ListEntitiesForPolicyResponse
)]
pub struct ListEntitiesForPolicy {
    /// Kind of the entities; all by default.
    pub entity_filter: Option<EntityType>,
    /// Prefix of the paths of entities; all by default.
    #[field(like = User::path)]
    pub path_prefix: Option<Text>,
    /// Use of the policy; any by default.
    pub policy_usage_filter: Option<PolicyUsage>,
}

/// A group that uses a policy.
#[record_of(of = Group, answer, takes(group_name, group_id))]
pub struct PolicyGroup {}

/// A user who uses a policy.
#[record_of(of = User, answer, takes(user_name, user_id))]
pub struct PolicyUser {}

/// A role that uses a policy.
#[record_of(of = Role, answer, takes(role_name, role_id))]
pub struct PolicyRole {}

/// Entities that use a policy.
#[derive(Record)]
#[record(answer)]
pub struct ListEntitiesForPolicyResponse {
    /// Groups.
    policy_groups: Option<Vec<PolicyGroup>>,
    /// Users.
    policy_users: Option<Vec<PolicyUser>>,
    /// Roles.
    policy_roles: Option<Vec<PolicyRole>>,
    /// True if there is another page.
    is_truncated: Option<bool>,
    /// Pagination token of the next page.
    marker: Option<Text>,
}

/// An entity that uses a policy.
enum UsedBy {
    Group(Group),
    Role(Role),
    User(User),
}

impl ListEntitiesForPolicy {
    /// Returns the entity of a row if it is listed. An entity with both uses is listed once.
    fn select(&self, cx: &Tx<'_>, row: &PolicyEntityRow) -> Result<Option<UsedBy>> {
        let is_boundary = row.usage == Use::Boundary.key();
        let is_used = match self.policy_usage_filter {
            Some(PolicyUsage::PermissionsPolicy) => !is_boundary,
            Some(PolicyUsage::PermissionsBoundary) => is_boundary,
            _ => {
                let attached = PolicyEntityRow { usage: Use::Attached.key(), ..row.clone() };
                !is_boundary || !cx.exists(&attached.key(cx.scope()))?
            }
        };
        if !is_used {
            return Ok(None);
        }
        let name = row.name_key.as_deref().unwrap_or_default();
        match row.resource_type.as_deref() {
            Some(Group::RESOURCE_TYPE) => self.find(cx, name, UsedBy::Group),
            Some(Role::RESOURCE_TYPE) => self.find(cx, name, UsedBy::Role),
            _ => self.find(cx, name, UsedBy::User),
        }
    }

    /// Finds an entity whose path has the prefix.
    fn find<E: Entity>(&self, cx: &Tx<'_>, name: &str, used_by: fn(E) -> UsedBy) -> Result<Option<UsedBy>> {
        let prefix = self.path_prefix.as_deref().unwrap_or_default();
        let found: Option<E> = entity::find(cx, name)?;
        Ok(found.filter(|entity| entity.identity()[0].starts_with(prefix)).map(used_by))
    }
}

impl Handler for ListEntitiesForPolicy {
    fn run(self, cx: &mut Tx<'_>) -> Result<ListEntitiesForPolicyResponse> {
        let policy = policy::require(cx, &self.policy_arn)?;
        let all = PolicyEntityRow::table(cx.scope()).text(policy.id());
        let range = match &self.entity_filter {
            None => all,
            Some(EntityType::User) => all.text(User::RESOURCE_TYPE),
            Some(EntityType::Group) => all.text(Group::RESOURCE_TYPE),
            Some(EntityType::Role) => all.text(Role::RESOURCE_TYPE),
            // Policies do not use policies: there are no rows.
            Some(other) => all.text(&other.to_string()),
        };
        let select = |row: PolicyEntityRow| self.select(cx, &row);
        let (found, marker) = cx.page_rows(&self, &range, select)?;
        let (mut groups, mut roles, mut users) = (Vec::new(), Vec::new(), Vec::new());
        for entity in found {
            match entity {
                UsedBy::Group(group) => groups.push(PolicyGroup::from(group)),
                UsedBy::Role(role) => roles.push(PolicyRole::from(role)),
                UsedBy::User(user) => users.push(PolicyUser::from(user)),
            }
        }
        Ok(ListEntitiesForPolicyResponse {
            policy_groups: Some(groups),
            policy_users: Some(users),
            policy_roles: Some(roles),
            is_truncated: Some(marker.is_some()),
            marker,
        })
    }
}
