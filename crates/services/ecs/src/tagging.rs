//! Tags of clusters, services and task definitions.

use crate::{
    Cluster, ClusterManager, Service, ServiceManager, TaskDefinition, TaskDefinitionManager, errors,
    task_definition,
};
use nephos_cloud::{Addressed, TagRules, TaggedKind, Tx};
use nephos_core::{Record, Result, Tag, Text, operation};

/// Rules for tags.
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

impl TaggedKind for Cluster {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        Self::require_tagged(cx, arn)
    }
}

impl TaggedKind for Service {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        Self::require_tagged(cx, arn)
    }
}

impl TaggedKind for TaskDefinition {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        if !arn.contains(":task-definition/") {
            return Ok(None);
        }
        let missing = || errors::resource_not_found().with_field("resourceArn");
        task_definition::find(cx, arn)?.ok_or_else(missing).map(Some)
    }
}

/// Parameter that identifies a resource by its ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TaggedResource {
    /// ARN of the resource.
    #[field(required)]
    resource_arn: Option<Text>,
}

/// Adds tags to a resource, and replaces tags with the same keys.
#[operation(case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}")]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

/// Removes tags from a resource.
#[operation(case = "camel", include(TaggedResource), effect = write, subject = "{resourceArn}")]
pub struct UntagResource {
    /// Keys of the tags to remove.
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a resource.
#[operation(
    case = "camel", include(TaggedResource), wraps(tags: Vec<Tag>), effect = read, access = read, subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

nephos_cloud::tagging! {
    rules: RULES,
    unknown: |arn| errors::invalid_arn(arn).with_field("resourceArn");
    TagResource(resource_arn, tags: Vec<Tag>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Vec<Tag>;
    Cluster, by "clusterArn": ClusterTag, ClusterUntag, ClusterListTags;
    Service, by "serviceArn": ServiceTag, ServiceUntag, ServiceListTags;
    TaskDefinition, by "taskDefinitionArn": TaskDefinitionTag, TaskDefinitionUntag, TaskDefinitionListTags;
}
