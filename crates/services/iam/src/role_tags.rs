//! Tags of roles.

use super::{
    GetRole, Role, RoleManager, SERVICE, entity,
    paging::{PAGE_SIZE, Page},
    role::ExistingRole,
    tagging::{self, TagKeys, TagList, Tags},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Empty, Map, Result, Tag, Text, WorkflowContext, operation, tags};

/// Adds tags to a role; a tag with the same key, ignoring case, is replaced.
#[operation(
    service = SERVICE, of = Role, call = "tag", also(ExistingRole, TagList),
    effect = write, output = Empty, subject = "role/{RoleName}"
)]
pub struct TagRole {}

impl Handler for TagRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        role.tags = tagging::add(role.tags.as_deref(), &self.tags)?;
        cx.put(role)?;
        Ok(Empty {})
    }
}

/// Removes tags from a role.
#[operation(
    service = SERVICE, of = Role, call = "untag", also(ExistingRole, TagKeys),
    effect = write, output = Empty, subject = "role/{RoleName}"
)]
pub struct UntagRole {}

impl Handler for UntagRole {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut role: Role = entity::require(cx, &self.role_name)?;
        role.tags = tagging::remove(role.tags.as_deref(), &self.tag_keys)?;
        cx.put(role)?;
        Ok(Empty {})
    }
}

/// Lists the tags of a role in order of their keys.
#[operation(
    service = SERVICE, of = Role, call = "list_tags", instance, also(ExistingRole, Page),
    gives(tags: Vec<Tag>, marker), effect = read, output = Tags, subject = "role/{RoleName}"
)]
pub struct ListRoleTags {}

impl Handler for ListRoleTags {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Tags> {
        self.max_items.get_or_insert(PAGE_SIZE);
        let tags = entity::require::<Role>(cx, &self.role_name)?.tags.unwrap_or_default();
        Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
    }
}

async fn current(context: &WorkflowContext, role_name: &str) -> Result<Map<Text>> {
    let found = context.call(GetRole::new(role_name)).await?.role;
    Ok(tags::to_map(&found.and_then(|role| role.tags).unwrap_or_default()))
}

nephos_core::tag_operations!(pub(super) RoleTagging: Vec<Tag>, TagRole, UntagRole, current = current);
