//! Tags of repositories.

use crate::{Repository, RepositoryManager, errors, policy, repository};
use nephos_cloud::{Addressed, ResourceFacts, StoredResource, TagRules, TaggedKind, Tx};
use nephos_core::{Record, Result, Tag, Text, operation, tags};

/// Rules for tags of repositories.
pub(crate) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::reserved_tag(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "tags",
    keys: "tagKeys",
};

impl TaggedKind for Repository {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        match Self::read_arn(arn) {
            Some(names) if cx.scope().owns(arn) => repository::require(cx, names[0]).map(Some),
            _ => Ok(None),
        }
    }

    fn facts(&self, cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        let policies = repository::policy::find(cx, self.own_name())?.and_then(|row| row.policy_text);
        let policies = policies.as_deref().and_then(policy::for_decisions).into_iter().collect();
        Ok(ResourceFacts { policies, ..ResourceFacts::tagged(tags::known(self)) })
    }
}

/// Parameter that identifies a repository by its ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TaggedResource {
    /// ARN of the repository.
    #[field(required)]
    resource_arn: Option<Text>,
}

/// Adds tags to a repository, and replaces tags with the same keys.
#[operation(case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}")]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

/// Removes tags from a repository.
#[operation(case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}")]
pub struct UntagResource {
    /// Keys of the tags to remove.
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a repository.
#[operation(
    case = "camel", include(TaggedResource), wraps(tags: Vec<Tag>), effect = read, access = read,
    subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

nephos_cloud::tagging! {
    rules: RULES,
    unknown: |arn| errors::invalid_parameter("resourceArn", "Invalid ARN").with_field("resourceArn").with_hint(arn);
    TagResource(resource_arn, tags: Vec<Tag>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Vec<Tag>;
    Repository, by "repositoryArn": RepositoryTag, RepositoryUntag, RepositoryListTags;
}
