//! Tags of keys.

use crate::{
    CryptoKey, CryptoKeyManager, errors,
    key::{KeyIdOrArn, KeyRow, find},
    paging::Page,
};
use nephos_cloud::{
    Handler, Stored as _, TagMembers, TagRules, TaggedResource, TaggedResources, Tx,
    tags::{to_list, without},
};
use nephos_core::{
    Empty, ErrorKind, Map, Request, Resource as _, Result, Tag, Text, WorkflowContext, operation, tags,
};

/// Rules for tags of keys.
const RULES: TagRules = TagRules {
    any_characters: false,
    members: Some(TagMembers {
        key: "tagKey",
        value: "tagValue",
        pattern: None,
        broken: |text| errors::VALIDATION.with_message(text),
    }),
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |_| errors::duplicate_tag(),
    tags: "Tags",
    keys: "TagKeys",
};

/// Tags of all keys, for tools that ask for them.
pub(crate) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| {
        let rows: Vec<KeyRow> = cx.all(&KeyRow::table(cx.scope()))?;
        Ok(rows.iter().filter_map(|key| TaggedResource::new(key.arn(cx.scope()), key.tags_map())).collect())
    },
    add: |arn, tags| {
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        Ok(Request::new(TagResource::new(arn, tags)))
    },
    remove: |arn, keys| Ok(Request::new(UntagResource::new(arn, keys.to_vec()))),
};

/// Checks tags of a request; returns them as a mapping.
pub(crate) fn read(tags: &[Tag]) -> Result<Map<Text>> {
    for (n, tag) in tags.iter().enumerate() {
        let missing = match (tag.key(), tag.value()) {
            (None, _) => "tagKey",
            (_, None) => "tagValue",
            _ => continue,
        };
        return Err(errors::tag_member_missing(n + 1, missing).with_field(format!("Tags[{n}]")));
    }
    RULES.read_list(tags)
}

impl KeyRow {
    /// Returns the tags as a mapping.
    pub(crate) fn tags_map(&self) -> Map<Text> {
        tags::to_map(self.tags.as_deref().unwrap_or_default())
    }
}

/// Returns a key whose tags may be changed.
fn require_changeable(cx: &Tx<'_>, id: &str) -> Result<KeyRow> {
    let key = find::require_own(cx, id)?;
    key.check_not_managed(cx)?;
    key.check_not_pending_deletion(cx)?;
    Ok(key)
}

/// Adds tags to a key, and replaces tags with the same keys.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "tag", effect = write)]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let added = read(&self.tags)?;
        let mut key = require_changeable(cx, &self.key_id)?;
        key.tags = to_list(RULES.add(key.tags_map(), added)?);
        cx.put(key)?;
        Ok(Empty {})
    }
}

/// Removes tags from a key.
#[operation(of = CryptoKey, include(KeyIdOrArn), call = "untag", effect = write)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        let mut key = require_changeable(cx, &self.key_id)?;
        key.tags = to_list(without(key.tags_map(), &self.tag_keys));
        cx.put(key)?;
        Ok(Empty {})
    }
}

/// Lists the tags of a key.
#[operation(
    of = CryptoKey, include(KeyIdOrArn, Page), call = "list_tags", on_model, page(tags: Tag, next_marker, truncated),
    effect = read
)]
pub struct ListResourceTags {}

impl Handler for ListResourceTags {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.limit.get_or_insert(50);
        let key = find::require_own(cx, &self.key_id)?;
        Ok(cx.page_list(&self, key.tags.unwrap_or_default())?.into())
    }
}

/// Adds the tags of a key, which the service lists by an operation of their own, if the caller may list them.
pub(crate) async fn with_tags(context: &WorkflowContext, mut key: CryptoKey) -> Result<CryptoKey> {
    // A key has at most 50 tags, which fit on a page.
    match context.call(ListResourceTags::new(key.require_arn()?)).await {
        Ok(page) => tags::put(&mut key, tags::to_map(&page.tags.unwrap_or_default())),
        // The key of a predefined alias is stored after the answer that describes it first.
        Err(error) if matches!(error.kind(), ErrorKind::Denied | ErrorKind::NotFound) => {}
        Err(error) => return Err(error),
    }
    Ok(key)
}
