//! Operations on cache user groups.

use super::{CacheUserGroup, CacheUserGroupManager, UserGroupPendingChanges, all, find, require};
use crate::{
    errors,
    identifier::{self, Page},
    tagging,
    user::{DELETING, MODIFYING, read_engine},
};
use nephos_cloud::{Handler, Quota, StoredResource, Tx, tags::to_list};
use nephos_core::{ManagerOperation, Resource, Result, Text, WorkflowContext, operation, retag, with_tags};

/// Quota of user groups.
pub(super) const GROUPS: Quota = Quota { counter: "elasticache/user-groups", max: 100, what: "user groups" };

fn read_id(given: &str) -> Result<Text> {
    identifier::read(given, "UserGroupId", 255)
}

/// IDs of users, in lower case.
fn read_user_ids(given: Option<&Vec<Text>>) -> Vec<Text> {
    given.into_iter().flatten().map(|id| id.to_ascii_lowercase()).collect()
}

/// Creates a cache user group. One of the engine redis needs a user with the name `default`.
#[operation(
    of = CacheUserGroup, call = "create", model, overrides(tags), needs(user_group_id, engine), takes(user_ids, tags),
    effect = write, output = CacheUserGroup, subject = "usergroup:{UserGroupId} + UserIds? user:{UserIds}", also_requires("AddTagsToResource" = "Tags?")
)]
pub struct CreateUserGroup {}

impl Handler for CreateUserGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUserGroup> {
        let id = read_id(&self.user_group_id)?;
        let engine = read_engine(&self.engine)?;
        let user_ids = read_user_ids(self.user_ids.as_ref());
        let tags = tagging::RULES.read_list(self.tags.as_deref().unwrap_or_default())?;
        if find(cx, &id)?.is_some() {
            return Err(errors::user_group_exists(&id).with_field("UserGroupId"));
        }
        let mut group = CacheUserGroup::named(cx.scope(), id);
        group.engine = Some(engine);
        group.check_members(cx, &user_ids, "UserIds")?;
        group.user_ids = Some(user_ids);
        group.status = Some("creating".into());
        group.tags = to_list(tags);
        GROUPS.add_one(cx, errors::too_many_user_groups)?;
        cx.put_and_schedule_transition(group.clone())?;
        Ok(group)
    }
}

/// Describes cache user groups, in order of their IDs.
#[operation(
    of = CacheUserGroup, call = "list", page(user_groups, marker), include(Page), find(user_group_id), with = with_tags,
    effect = read, access = list
)]
pub struct DescribeUserGroups {
    /// ID of one group.
    pub user_group_id: Option<Text>,
}

impl Handler for DescribeUserGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let groups = match &self.user_group_id {
            Some(id) => vec![require(cx, id)?],
            None => all(cx)?,
        };
        let id = |group: &CacheUserGroup| group.user_group_id.clone().unwrap_or_default();
        Ok(cx.page_items(&self, groups, id)?.into())
    }
}

/// Changes the users or the engine of a cache user group. New users are pending until the group is active
/// again.
#[operation(
    of = CacheUserGroup, needs(user_group_id), takes(engine), effect = write, output = CacheUserGroup,
    subject = "usergroup:{UserGroupId} + UserIdsToAdd? user:{UserIdsToAdd} + UserIdsToRemove? user:{UserIdsToRemove}"
)]
pub struct ModifyUserGroup {
    /// IDs of the users to add.
    pub user_ids_to_add: Option<Vec<Text>>,
    /// IDs of the users to remove.
    pub user_ids_to_remove: Option<Vec<Text>>,
}

impl Handler for ModifyUserGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUserGroup> {
        let mut group = require(cx, &read_id(&self.user_group_id)?)?;
        let engine = self.engine.as_deref().map(read_engine).transpose()?;
        let added = read_user_ids(self.user_ids_to_add.as_ref());
        let removed = read_user_ids(self.user_ids_to_remove.as_ref());
        group.check_active()?;
        if engine.is_none() && added.is_empty() && removed.is_empty() {
            return Err(errors::nothing_to_modify());
        }
        if let Some(stranger) = removed.iter().find(|id| !group.has_member(id)) {
            return Err(errors::not_a_member(stranger, group.id()).with_field("UserIdsToRemove"));
        }
        if let Some(member) = added.iter().find(|id| group.has_member(id)) {
            return Err(errors::member_already(member, group.id()).with_field("UserIdsToAdd"));
        }
        group.engine = engine.or(group.engine);
        let kept = group.user_ids.iter().flatten().filter(|id| !removed.contains(id));
        let members: Vec<_> = kept.chain(&added).cloned().collect();
        let field = match (added.is_empty(), removed.is_empty()) {
            (false, _) => "UserIdsToAdd",
            (true, false) => "UserIdsToRemove",
            (true, true) => "Engine",
        };
        group.check_members(cx, &members, field)?;
        let given = |ids: Vec<Text>| Some(ids).filter(|ids| !ids.is_empty());
        let (user_ids_to_add, user_ids_to_remove) = (given(added), given(removed));
        if user_ids_to_add.is_some() || user_ids_to_remove.is_some() {
            group.pending_changes = Some(UserGroupPendingChanges { user_ids_to_remove, user_ids_to_add });
        }
        group.status = Some(MODIFYING.into());
        cx.put_and_schedule_transition(group.clone())?;
        Ok(group)
    }
}

/// Changes a cache user group: what changed in the model. Changed users are sent as those to add and those to
/// remove.
#[operation(kind = CacheUserGroup, call = "update", effect = write, output = CacheUserGroup)]
pub struct CacheUserGroupUpdate {
    /// The group.
    #[field(model, name = "model")]
    pub model: CacheUserGroup,
    /// IDs of further users to add.
    pub user_ids_to_add: Option<Vec<Text>>,
    /// IDs of further users to remove.
    pub user_ids_to_remove: Option<Vec<Text>>,
}

impl ManagerOperation for CacheUserGroupUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<CacheUserGroup> {
        let model = &self.model;
        model.check_changes()?;
        let changed = model.changed();
        let current = read(context, model.own_name()).await?;
        let mut added = read_user_ids(self.user_ids_to_add.as_ref());
        let mut removed = read_user_ids(self.user_ids_to_remove.as_ref());
        if changed.contains(&"UserIds") {
            let wanted = read_user_ids(model.user_ids.as_ref());
            let members = current.user_ids.clone().unwrap_or_default();
            let is_new = |id: &&Text| !members.contains(id) && !added.contains(id);
            let further: Vec<_> = wanted.iter().filter(is_new).cloned().collect();
            let is_gone = |id: &&Text| !wanted.contains(id) && !removed.contains(id);
            let gone: Vec<_> = members.iter().filter(is_gone).cloned().collect();
            added.extend(further);
            removed.extend(gone);
        }
        let engine = model.engine.clone().filter(|_| changed.contains(&"Engine"));
        let mut modify = ModifyUserGroup::new(model.own_name());
        modify.engine = engine.filter(|engine| Some(engine) != current.engine.as_ref());
        modify.user_ids_to_add = Some(added).filter(|ids| !ids.is_empty());
        modify.user_ids_to_remove = Some(removed).filter(|ids| !ids.is_empty());
        let is_changed = modify.engine.is_some()
            || modify.user_ids_to_add.is_some()
            || modify.user_ids_to_remove.is_some();
        if is_changed {
            context.call(modify).await?;
        }
        retag(context, model, &current).await?;
        read(context, model.own_name()).await
    }
}

async fn read(context: &WorkflowContext, id: &str) -> Result<CacheUserGroup> {
    let found = context.run(CacheUserGroupGet::new(id)).await?;
    found.ok_or_else(|| errors::user_group_not_found(id))
}

/// Deletes a cache user group, and not its users. One that a replication group or serverless cache uses cannot
/// be deleted.
#[operation(
    of = CacheUserGroup, call = "delete", on_model, needs(user_group_id), effect = write, output = CacheUserGroup
)]
pub struct DeleteUserGroup {}

impl Handler for DeleteUserGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<CacheUserGroup> {
        let mut group = require(cx, &read_id(&self.user_group_id)?)?;
        group.check_active()?;
        let attached = group.replication_groups.iter().chain(&group.serverless_caches).flatten();
        if let Some(attached) = { attached }.next() {
            return Err(errors::user_group_attached(group.id(), attached).with_field("UserGroupId"));
        }
        group.status = Some(DELETING.into());
        cx.put_and_schedule_transition(group.clone())?;
        Ok(group)
    }
}
