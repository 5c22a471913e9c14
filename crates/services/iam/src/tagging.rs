//! Tags: their rules, and the tags of users. Keys ignore case, and keep the case that they were given in.

use super::{
    SERVICE, User, UserManager, entity, errors,
    paging::{PAGE_SIZE, Page, page},
    user::ExistingUser,
};
use nephos_cloud::{Handler, TagRules, Tx, tags::to_list};
use nephos_core::{Empty, Map, Record, Result, Tag, Text, WorkflowContext, operation, tags};

/// Rules for tags.
const RULES: TagRules = TagRules {
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |_| errors::duplicate_tag(),
    tags: "Tags",
    keys: "TagKeys",
};

/// Validates the tags of a new entity and sorts them by key; no tags become `None`.
pub(crate) fn read(given: Option<&[Tag]>) -> Result<Option<Vec<Tag>>> {
    Ok(to_list(read_map(given.unwrap_or_default())?))
}

fn read_map(given: &[Tag]) -> Result<Map<Text>> {
    let mut tags = RULES.read_list(given)?;
    for (n, tag) in given.iter().enumerate() {
        let key = tag.key().unwrap_or_default();
        if given[..n].iter().any(|other| is_same(other.key().unwrap_or_default(), key)) {
            return Err(errors::duplicate_tag().with_field(format!("Tags[{key}]")));
        }
    }
    tags.sort_keys();
    Ok(tags)
}

fn is_same(key: &str, other: &str) -> bool {
    key.to_lowercase() == other.to_lowercase()
}

/// Adds tags to those of an entity; a tag with the same key, ignoring case, is replaced.
pub(crate) fn add(before: Option<&[Tag]>, given: &[Tag]) -> Result<Option<Vec<Tag>>> {
    let added = read_map(given)?;
    let mut all = tags::to_map(before.unwrap_or_default());
    all.retain(|key, _| !added.keys().any(|other| is_same(key, other)));
    let mut all = RULES.add(all, added)?;
    all.sort_keys();
    Ok(to_list(all))
}

/// Removes the tags with these keys, ignoring case.
pub(crate) fn remove(before: Option<&[Tag]>, keys: &[Text]) -> Result<Option<Vec<Tag>>> {
    RULES.check_keys(keys)?;
    let mut all = tags::to_map(before.unwrap_or_default());
    all.retain(|key, _| !keys.iter().any(|other| is_same(key, other)));
    Ok(to_list(all))
}

/// Tags to add.
#[derive(Record)]
#[record(shared)]
pub struct TagList {
    /// Tags to add.
    #[field(required, length(..=50))]
    tags: Option<Vec<Tag>>,
}

/// Keys of tags to remove.
#[derive(Record)]
#[record(shared)]
pub struct TagKeys {
    /// Keys of the tags, ignoring case.
    #[field(required, length(..=50), each(length(1..=128)))]
    tag_keys: Option<Vec<Text>>,
}

page! {
    /// A page of the tags of an entity.
    #[record(name = "ListUserTagsResponse")]
    pub struct Tags { tags: Tag }
}

/// Adds tags to a user; a tag with the same key, ignoring case, is replaced.
#[operation(
    service = SERVICE, of = User, call = "tag", also(ExistingUser, TagList),
    effect = write, output = Empty, subject = "user/{UserName}"
)]
pub struct TagUser {}

impl Handler for TagUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut user: User = entity::require(cx, &self.user_name)?;
        user.tags = add(user.tags.as_deref(), &self.tags)?;
        cx.put(user)?;
        Ok(Empty {})
    }
}

/// Removes tags from a user.
#[operation(
    service = SERVICE, of = User, call = "untag", also(ExistingUser, TagKeys),
    effect = write, output = Empty, subject = "user/{UserName}"
)]
pub struct UntagUser {}

impl Handler for UntagUser {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let mut user: User = entity::require(cx, &self.user_name)?;
        user.tags = remove(user.tags.as_deref(), &self.tag_keys)?;
        cx.put(user)?;
        Ok(Empty {})
    }
}

/// Lists the tags of a user in order of their keys.
#[operation(
    service = SERVICE, of = User, call = "list_tags", instance, also(ExistingUser, Page),
    gives(tags: Vec<Tag>, marker), effect = read, output = Tags, subject = "user/{UserName}"
)]
pub struct ListUserTags {}

impl Handler for ListUserTags {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Tags> {
        self.max_items.get_or_insert(PAGE_SIZE);
        let user: User = entity::require(cx, &self.user_name)?;
        let tags = user.tags.unwrap_or_default();
        Ok(cx.page_items(&self, tags, |tag| tag.key().unwrap_or_default().into())?.into())
    }
}

async fn current(context: &WorkflowContext, user_name: &str) -> Result<Map<Text>> {
    let found = context.call(super::GetUser::new().user_name(user_name)).await?;
    let tags = found.user().and_then(|user| user.tags.clone());
    Ok(tags::to_map(&tags.unwrap_or_default()))
}

nephos_core::tag_operations!(pub(super) Tagging: Vec<Tag>, TagUser, UntagUser, current = current);
