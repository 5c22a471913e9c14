//! Tags of secrets.

use crate::{
    Secret, SecretManager, SecretRow,
    cross_account::SecretHandler,
    errors,
    secret::{SecretId, secret_row},
};
use nephos_cloud::{
    Stored as _, TagRules, TaggedResource, TaggedResources, Tx,
    tags::{to_list, without},
};
use nephos_core::{Empty, Map, Request, Result, Tag, Text, operation, tags};

/// Rules for tags of secrets.
pub(crate) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

/// Tags of all secrets, for tools that ask for them.
pub(crate) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| {
        let rows: Vec<SecretRow> = cx.all(&SecretRow::table(cx.scope()))?;
        Ok(rows.iter().filter_map(|row| TaggedResource::new(row.arn(cx.scope()), row.tags_map())).collect())
    },
    add: |arn, tags| {
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        Ok(Request::new(TagResource::new(arn, tags)))
    },
    remove: |arn, keys| Ok(Request::new(UntagResource::new(arn, keys.to_vec()))),
};

impl SecretRow {
    /// Returns the tags as a mapping.
    fn tags_map(&self) -> Map<Text> {
        tags::to_map(self.tags.as_deref().unwrap_or_default())
    }

    /// Replaces the tags, and stores the secret if they differ. A secret whose tags were all removed has an empty list.
    fn put_tags(mut self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<Empty> {
        if self.tags_map() != tags {
            self.tags = Some(to_list(tags).unwrap_or_default());
            self.put_changed(cx)?;
        }
        Ok(Empty {})
    }
}

/// Adds tags to a secret, and replaces tags with the same keys.
#[operation(
    of = Secret, include(SecretId), call = "tag",
    effect = write, subject = "secret:{SecretId}"
)]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

impl SecretHandler for TagResource {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let added = RULES.read_list(&self.tags)?;
        let secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let tags = RULES.add(secret.tags_map(), added)?;
        secret.put_tags(cx, tags)
    }
}

/// Removes tags from a secret.
#[operation(
    of = Secret, include(SecretId), call = "untag",
    effect = write, subject = "secret:{SecretId}"
)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl SecretHandler for UntagResource {
    fn run_in_owner(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        let secret = secret_row::require_changeable(cx, &self.secret_id)?;
        let tags = without(secret.tags_map(), &self.tag_keys);
        secret.put_tags(cx, tags)
    }
}
