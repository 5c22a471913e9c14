//! Memberships of users in groups, by the unique IDs of both.

use crate::{
    Group, GroupManager, User, UserManager,
    entity::{self, Entity},
    errors,
    group::ExistingGroup,
    paging::Page,
    user::ExistingUser,
};
use nephos_cloud::{Direction, Handler, Stored, Tx};
use nephos_core::{Empty, Operation, Record, Result, Text, operation};

/// Maximum number of groups of a user.
pub(crate) const MAX_GROUPS: usize = 10;

/// Row of a user in a group, in order of the names of users.
#[derive(Record)]
#[record(row)]
pub(crate) struct MemberRow {
    /// Unique ID of the group.
    group_id: Option<Text>,
    /// Key of the name of the user.
    user_key: Option<Text>,
}

nephos_cloud::stored!(MemberRow in "iam/group-member" by group_id, user_key);

/// Row of a group of a user.
#[derive(Record)]
#[record(row)]
pub(crate) struct MembershipRow {
    /// Unique ID of the user.
    user_id: Option<Text>,
    /// Unique ID of the group.
    group_id: Option<Text>,
}

nephos_cloud::stored!(MembershipRow in "iam/user-group" by user_id, group_id);

fn rows(user: &User, group: &Group) -> (MemberRow, MembershipRow) {
    let group_id = group.group_id.clone();
    (
        MemberRow { group_id: group_id.clone(), user_key: Some(user.key_of_name()) },
        MembershipRow { user_id: user.user_id.clone(), group_id },
    )
}

fn memberships(cx: &Tx<'_>, user: &User) -> Result<Vec<MembershipRow>> {
    cx.all(&MembershipRow::table(cx.scope()).text(user.id()))
}

/// Returns the groups of a user in order of their names.
pub(crate) fn groups(cx: &Tx<'_>, user: &User) -> Result<Vec<Group>> {
    let rows = memberships(cx, user)?.into_iter();
    let groups = rows.map(|row| entity::find_by_id(cx, row.group_id.as_deref().unwrap_or_default()));
    let mut groups = groups.filter_map(Result::transpose).collect::<Result<Vec<Group>>>()?;
    groups.sort_by_key(Entity::key_of_name);
    Ok(groups)
}

/// Returns one page of the users of a group, in order of their names.
pub(crate) fn page_of_users(
    cx: &Tx<'_>,
    query: &impl Operation,
    group: &Group,
) -> Result<(Vec<User>, Option<Text>)> {
    let rows = MemberRow::table(cx.scope()).text(group.id());
    cx.page_rows(query, &rows, |row: MemberRow| {
        let user: Option<User> = entity::find(cx, row.user_key.as_deref().unwrap_or_default())?;
        Ok(user.map(User::for_listing))
    })
}

/// Returns the users of a group in order of their names.
pub(crate) fn users(cx: &Tx<'_>, group: &Group) -> Result<Vec<User>> {
    let rows: Vec<MemberRow> = cx.all(&MemberRow::table(cx.scope()).text(group.id()))?;
    let users = rows.iter().map(|row| entity::find(cx, row.user_key.as_deref().unwrap_or_default()));
    users.filter_map(Result::transpose).collect()
}

/// True if the group has users.
pub(crate) fn has_users(cx: &Tx<'_>, group: &Group) -> Result<bool> {
    let rows = MemberRow::table(cx.scope()).text(group.id()).prefix_range();
    Ok(cx.first::<MemberRow>(&rows, Direction::Ascending)?.is_some())
}

/// True if the user is in a group.
pub(crate) fn is_member(cx: &Tx<'_>, user: &User) -> Result<bool> {
    Ok(!memberships(cx, user)?.is_empty())
}

/// Sorts a renamed user into its groups by the new name.
pub(crate) fn rename_user(cx: &mut Tx<'_>, before: &User, after: &User) -> Result<()> {
    if before.key_of_name() == after.key_of_name() {
        return Ok(());
    }
    for membership in memberships(cx, before)? {
        let row = |user: &User| MemberRow {
            group_id: membership.group_id.clone(),
            user_key: Some(user.key_of_name()),
        };
        cx.remove(&row(before))?;
        cx.put(row(after))?;
    }
    Ok(())
}

/// Adds a user to a group; nothing happens if it is in the group.
#[operation(
    of = Group, call = "add_user", on_model(user_name), include(ExistingGroup, ExistingUser),
    effect = write
)]
pub struct AddUserToGroup {}

impl Handler for AddUserToGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group: Group = entity::require(cx, &self.group_name)?;
        let user: User = entity::require(cx, &self.user_name)?;
        let (member, membership) = rows(&user, &group);
        let existing = memberships(cx, &user)?;
        if existing.contains(&membership) {
            return Ok(Empty {});
        }
        if existing.len() >= MAX_GROUPS {
            return Err(errors::quota_exceeded("GroupsPerUser", MAX_GROUPS));
        }
        cx.put(member)?;
        cx.put(membership)?;
        Ok(Empty {})
    }
}

/// Removes a user from a group; nothing happens if it is not in the group.
#[operation(
    of = Group, call = "remove_user", on_model(user_name), include(ExistingGroup, ExistingUser),
    effect = write
)]
pub struct RemoveUserFromGroup {}

impl Handler for RemoveUserFromGroup {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let group: Group = entity::require(cx, &self.group_name)?;
        let user: User = entity::require(cx, &self.user_name)?;
        let (member, membership) = rows(&user, &group);
        cx.remove(&member)?;
        cx.remove(&membership)?;
        Ok(Empty {})
    }
}

/// Lists the groups of a user in order of their names.
#[operation(
    of = Group, call = "list_for_user", include(ExistingUser, Page), page(groups: Group, marker, is_truncated),
    effect = read, subject = "user/{UserName}"
)]
pub struct ListGroupsForUser {}

impl Handler for ListGroupsForUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let user: User = entity::require(cx, &self.user_name)?;
        Ok(cx.page_items(&self, groups(cx, &user)?, Entity::key_of_name)?.into())
    }
}

/// Adds the user to a group; nothing happens if it is in the group.
#[operation(
    kind = User, call = "add_to_group", on_model(group_name), runs = AddUserToGroup, include(ExistingUser, ExistingGroup), effect = write
)]
pub struct UserAddToGroup {}

/// Removes the user from a group; nothing happens if it is not in the group.
#[operation(
    kind = User, call = "remove_from_group", on_model(group_name), runs = RemoveUserFromGroup, include(ExistingUser, ExistingGroup),
    effect = write
)]
pub struct UserRemoveFromGroup {}

/// Lists the groups of the user in order of their names.
#[operation(
    kind = User, call = "list_groups", on_model, runs = ListGroupsForUser, include(ExistingUser),
    returns(groups: Vec<Group>, marker), effect = read
)]
pub struct UserListGroups {}
