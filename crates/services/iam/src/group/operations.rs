//! Operations on groups.

use super::{ExistingGroup, GROUPS, Group, GroupManager, membership};
use crate::{
    User,
    entity::{self, PathPrefix},
    errors,
    paging::Page,
    policy::attachment,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, ManagerOperation, Record, Result, Text, WorkflowContext, operation};

/// Creates a group.
#[operation(
    of = Group, call = "create", model, needs(group_name), takes(settable), wraps(group), effect = write
)]
pub struct CreateGroup {}

impl Handler for CreateGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        entity::check_name_free::<Group>(cx, &self.group_name)?;
        GROUPS.add_one(cx, || errors::quota_exceeded("GroupsPerAccount", GROUPS.max))?;
        Ok(entity::create(cx, Group::from_given(self))?.into())
    }
}

/// Returns a group and its users, in order of their names.
#[operation(
    of = Group, call = "users", on_model, include(ExistingGroup, Page),
    returns(users: Vec<User>, marker), effect = read, output = GroupWithUsers
)]
pub struct GetGroup {}

/// A group, and a page of its users.
#[derive(Record)]
#[record(answer, name = "GetGroupResponse")]
pub struct GroupWithUsers {
    /// The group.
    group: Option<Group>,
    /// Users of the group.
    users: Option<Vec<User>>,
    /// True if there is another page.
    is_truncated: Option<bool>,
    /// Pagination token of the next page.
    marker: Option<Text>,
}

impl Handler for GetGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<GroupWithUsers> {
        let group: Group = entity::require(cx, &self.group_name)?;
        let (users, marker) = membership::page_of_users(cx, &self, &group)?;
        Ok(GroupWithUsers {
            group: Some(group),
            users: Some(users),
            is_truncated: Some(marker.is_some()),
            marker,
        })
    }
}

/// Returns the group with this name, if it exists.
#[operation(kind = Group, call = "get", effect = read, output = Option<Group>)]
pub struct GroupGet {
    /// Name of the group, ignoring case.
    #[field(like = Group::group_name)]
    pub group_name: Text,
}

impl ManagerOperation for GroupGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Group>> {
        let found = context.find(GetGroup::new(self.group_name.clone()).max_items(1)).await?;
        Ok(found.and_then(|found| found.group))
    }
}

/// Lists groups in order of their names; with a path prefix, in order of their paths and names.
#[operation(
    of = Group, call = "list", page(groups, marker, is_truncated), include(PathPrefix, Page),
    pushdown(path_prefix = "Path"), effect = read, subject = "group/*"
)]
pub struct ListGroups {}

impl Handler for ListGroups {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(entity::page(cx, &self, self.path_prefix.as_ref(), |group: Group| Ok(Some(group)))?.into())
    }
}

/// Changes the name or the path of a group. It keeps its unique ID, users and policies.
#[operation(of = Group, include(ExistingGroup), effect = write)]
pub struct UpdateGroup {
    /// New path.
    #[field(like = User::path)]
    pub new_path: Option<Text>,
    /// New name.
    #[field(like = Group::group_name)]
    pub new_group_name: Option<Text>,
}

impl Handler for UpdateGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let (before, after): (Group, Group) =
            entity::rename(cx, &self.group_name, self.new_path, self.new_group_name)?;
        attachment::rename_entity(cx, &before, &after)?;
        Ok(Empty {})
    }
}

/// Changes the name and the path of a group, where the model was changed. A given new name or path takes precedence.
#[operation(kind = Group, call = "update", effect = write, output = Group)]
pub struct GroupUpdate {
    /// The group.
    #[field(model, name = "model")]
    pub model: Group,
    /// New path.
    #[field(like = User::path)]
    pub new_path: Option<Text>,
    /// New name.
    #[field(like = Group::group_name)]
    pub new_group_name: Option<Text>,
}

impl ManagerOperation for GroupUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Group> {
        let rename =
            |group_name, new_path, new_group_name| UpdateGroup { group_name, new_path, new_group_name };
        let name =
            entity::send_renaming(context, &self.model, &self.new_path, &self.new_group_name, rename).await?;
        let found = context.call(GetGroup::new(name).max_items(1)).await?;
        found.group.ok_or_else(|| nephos_core::operation::missing_in_answer("Group"))
    }
}

/// Deletes a group, which must have no users and no policies.
#[operation(of = Group, call = "delete", on_model, include(ExistingGroup), effect = write)]
pub struct DeleteGroup {}

impl Handler for DeleteGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group: Group = entity::require(cx, &self.group_name)?;
        if membership::has_users(cx, &group)? {
            return Err(errors::has_members());
        }
        attachment::check_deletable(cx, &group)?;
        GROUPS.remove_one(cx)?;
        entity::remove(cx, &group)?;
        Ok(Empty {})
    }
}
