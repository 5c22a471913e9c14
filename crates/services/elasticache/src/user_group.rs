//! Cache user groups: the users of a replication group.

mod operations;

pub use operations::*;

use crate::{
    CacheUser, SourceType, errors, event,
    user::{self, ACTIVE, MINIMUM_ENGINE_VERSION, VALKEY},
};
use nephos_cloud::{Addressed, Scope, Stored, Tx, own_arn};
use nephos_core::{Error, Record, Resource, Result, Slot, Tag, Text};
use std::collections::BTreeSet;

/// Maximum number of users of a group.
const MAX_MEMBERS: usize = 100;

/// Changes of the members of a user group that are not applied yet.
#[derive(Record)]
#[record(answer)]
pub struct UserGroupPendingChanges {
    /// IDs of the users to remove.
    user_ids_to_remove: Option<Vec<Text>>,
    /// IDs of the users to add.
    user_ids_to_add: Option<Vec<Text>>,
}

/// A cache user group.
#[derive(Resource)]
#[resource(
    arn("ARN", "usergroup:{UserGroupId}"),
    not_found = |id| errors::user_group_not_found(id),
    name = "UserGroupId", pk = "ARN", exists_if = "ARN", tags = "Tags",
    relation(users, many = CacheUser, with = find_users)
)]
pub struct CacheUserGroup {
    /// ID, unique within account and Region and kept in lower case: a letter, then letters, digits and
    /// hyphens.
    #[field(fixed, length(1..=255))]
    pub(crate) user_group_id: Option<Text>,
    /// Status: `creating`, `active`, `modifying` or `deleting`.
    #[field(service_set, default = "active")]
    status: Option<Text>,
    /// Engine: `redis` or `valkey`.
    engine: Option<Text>,
    /// IDs of the users. A group of the engine redis has a user with the name `default`.
    user_ids: Option<Vec<Text>>,
    /// Oldest version of the engine that has users.
    #[field(service_set)]
    minimum_engine_version: Option<Text>,
    /// Changes of the users that are not applied yet.
    #[field(service_set)]
    pending_changes: Option<UserGroupPendingChanges>,
    /// IDs of the replication groups with this user group.
    #[field(service_set)]
    replication_groups: Option<Vec<Text>>,
    /// Names of the serverless caches with this user group.
    #[field(service_set)]
    pub(crate) serverless_caches: Option<Vec<Text>>,
    /// ARN.
    #[field(name = "ARN", service_set)]
    arn: Option<Text>,
    /// Tags.
    #[field(item = "Tag", not_in_list, not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    CacheUserGroup in "elasticache/user-group" by user_group_id;
    arn arn;
    states(
        "Status": "creating" => "active" 30 then CacheUserGroup::finish_creation,
        "modifying" => "active" 30 then CacheUserGroup::apply_changes,
        "deleting" => removed 30 then CacheUserGroup::clean_up
    )
}

impl CacheUserGroup {
    fn named(scope: &Scope, id: Text) -> Self {
        use nephos_core::field_value::FieldType as _;
        let mut group = Self::blank();
        group.user_group_id = Some(id);
        group.minimum_engine_version = Some(MINIMUM_ENGINE_VERSION.into());
        group.replication_groups = Some(Vec::new());
        group.serverless_caches = Some(Vec::new());
        group.arn = own_arn(&group, scope);
        group
    }

    pub(crate) fn id(&self) -> &str {
        self.user_group_id.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_valkey(&self) -> bool {
        self.engine.as_deref() == Some(VALKEY)
    }

    /// True if the user is a member.
    pub(crate) fn has_member(&self, id: &str) -> bool {
        self.user_ids.iter().flatten().any(|member| member == id)
    }

    /// True if the user is a member, or will be one when pending changes are applied.
    fn has_present_or_pending_member(&self, id: &str) -> bool {
        let pending =
            self.pending_changes.iter().flat_map(|changes| changes.user_ids_to_add.iter().flatten());
        self.has_member(id) || pending.into_iter().any(|member| member == id)
    }

    /// Refuses a group that is not active.
    pub(crate) fn check_active(&self) -> Result<()> {
        match self.status.as_deref().unwrap_or_default() {
            ACTIVE => Ok(()),
            status => Err(errors::user_group_not_active(self.id(), status).with_field("UserGroupId")),
        }
    }

    /// Refuses members that the group cannot have. `field` is the parameter with new members.
    fn check_members(&self, cx: &Tx<'_>, ids: &[Text], field: &str) -> Result<()> {
        let refuse = |error: Error| Err(error.with_field(field));
        let mut names = BTreeSet::new();
        for id in ids {
            let found = user::find(cx, id)?.filter(|user| user.status.as_deref() != Some(user::DELETING));
            let Some(user) = found else { return refuse(errors::user_not_found(id)) };
            self.check_accepts(&user, user.is_without_password()).or_else(refuse)?;
            let name = user.user_name_text().to_owned();
            if names.contains(&name) {
                return refuse(errors::duplicate_user_name(name));
            }
            names.insert(name);
        }
        if !self.is_valkey() && !names.contains(user::DEFAULT) {
            return refuse(errors::default_user_required());
        }
        if ids.len() > MAX_MEMBERS && cx.has_quotas() {
            let hint = format!("a user group can have at most {MAX_MEMBERS} users, got {}", ids.len());
            return refuse(errors::too_many_members().with_hint(hint));
        }
        Ok(())
    }

    /// Refuses a member with another engine than the group has, and one without a password if the engine
    /// needs it.
    fn check_accepts(&self, user: &CacheUser, is_without_password: bool) -> Result<()> {
        let engine = self.engine.as_deref().unwrap_or_default();
        if !self.is_valkey() && user.engine_name() != engine {
            return Err(errors::member_engine_differs(user.id(), user.engine_name(), engine));
        }
        if self.is_valkey() && is_without_password {
            return Err(errors::valkey_member_without_password(user.id()));
        }
        Ok(())
    }

    /// Writes an event: the group was created, modified or deleted.
    fn write_event(&self, cx: &mut Tx<'_>, change: &str) -> Result<()> {
        event::write(cx, (SourceType::UserGroup, self.id()), format!("User group {} {change}", self.id()))
    }

    /// Ends the creation.
    fn finish_creation(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "created")
    }

    /// Applies pending changes.
    fn apply_changes(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "modified")?;
        let Some(changes) = self.pending_changes.take() else { return Ok(()) };
        let removed = changes.user_ids_to_remove.unwrap_or_default();
        let members = self.user_ids.get_or_insert_default();
        members.retain(|member| !removed.contains(member));
        members.extend(changes.user_ids_to_add.unwrap_or_default());
        Ok(())
    }

    /// Counts a group that is removed.
    fn clean_up(&mut self, cx: &mut Tx<'_>) -> Result<()> {
        self.write_event(cx, "deleted")?;
        operations::GROUPS.remove_one(cx)
    }

    /// Removes a user from the members and from pending changes.
    fn remove_member(&mut self, id: &str) {
        let remove = |ids: &mut Option<Vec<Text>>| {
            if let Some(ids) = ids {
                ids.retain(|member| member != id);
            }
        };
        remove(&mut self.user_ids);
        if let Some(changes) = &mut self.pending_changes {
            remove(&mut changes.user_ids_to_add);
            remove(&mut changes.user_ids_to_remove);
        }
    }
}

/// Finds a group by its ID, in any case.
pub(crate) fn find(cx: &Tx<'_>, id: &str) -> Result<Option<CacheUserGroup>> {
    CacheUserGroup::find_by(cx, &[id])
}

/// Returns the group with this ID; refuses one that does not exist.
pub(crate) fn require(cx: &Tx<'_>, id: &str) -> Result<CacheUserGroup> {
    find(cx, id)?.ok_or_else(|| CacheUserGroup::not_found(id).with_field("UserGroupId"))
}

/// Returns all groups in order of their IDs.
pub(crate) fn all(cx: &Tx<'_>) -> Result<Vec<CacheUserGroup>> {
    cx.all(&CacheUserGroup::table(cx.scope()))
}

/// Adds a replication group to those of a user group, which must be active.
pub(crate) fn attach(cx: &mut Tx<'_>, mut group: CacheUserGroup, replication_group_id: &str) -> Result<()> {
    group.check_active()?;
    let attached = group.replication_groups.get_or_insert_default();
    if !attached.iter().any(|known| known == replication_group_id) {
        attached.push(replication_group_id.into());
        attached.sort();
    }
    cx.put(group)
}

/// Removes a replication group from those of a user group, in any state.
pub(crate) fn detach(cx: &mut Tx<'_>, mut group: CacheUserGroup, replication_group_id: &str) -> Result<()> {
    let attached = group.replication_groups.get_or_insert_default();
    attached.retain(|known| known != replication_group_id);
    cx.put(group)
}

/// Moves a serverless cache from one user group to another. A group that was deleted meanwhile is left out.
pub(crate) fn move_cache(cx: &mut Tx<'_>, cache: &str, from: Option<&str>, to: Option<&str>) -> Result<()> {
    if from == to {
        return Ok(());
    }
    for (id, is_member) in [(from, false), (to, true)] {
        let Some(mut group) = id.map(|id| find(cx, id)).transpose()?.flatten() else { continue };
        let caches = group.serverless_caches.get_or_insert_default();
        caches.retain(|known| known != cache);
        if is_member {
            caches.push(cache.into());
            caches.sort();
        }
        cx.put(group)?;
    }
    Ok(())
}

/// Refuses a change of a user that one of its groups does not accept.
pub(crate) fn check_groups_accept(cx: &Tx<'_>, user: &CacheUser, is_without_password: bool) -> Result<()> {
    let groups = all(cx)?;
    for group in groups.iter().filter(|group| group.has_present_or_pending_member(user.id())) {
        let field = if group.is_valkey() { "NoPasswordRequired" } else { "Engine" };
        group.check_accepts(user, is_without_password).map_err(|error| error.with_field(field))?;
    }
    Ok(())
}

/// Refuses to delete the default user of a group of the engine redis.
pub(crate) fn check_can_leave_all(cx: &Tx<'_>, user: &CacheUser) -> Result<()> {
    if user.user_name_text() != user::DEFAULT {
        return Ok(());
    }
    let groups = all(cx)?;
    let needs =
        |group: &&CacheUserGroup| !group.is_valkey() && group.has_present_or_pending_member(user.id());
    match groups.iter().find(needs) {
        Some(group) => Err(errors::default_user_in_group(user.id(), group.id()).with_field("UserId")),
        None => Ok(()),
    }
}

/// Removes a user that is deleted from all groups.
pub(crate) fn remove_from_all(cx: &mut Tx<'_>, id: &str) -> Result<()> {
    for mut group in all(cx)? {
        if group.has_present_or_pending_member(id) {
            group.remove_member(id);
            cx.put(group)?;
        }
    }
    Ok(())
}

async fn find_users(group: &CacheUserGroup) -> Result<Vec<CacheUser>> {
    let users = CacheUser::objects(group.require_session()?);
    let mut found = Vec::new();
    for id in group.user_ids.iter().flatten() {
        found.extend(users.get(id.clone()).await?);
    }
    Ok(found)
}
