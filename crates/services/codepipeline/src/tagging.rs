//! Tags of pipelines, custom action types and webhooks.

use crate::{
    Pipeline, PipelineManager,
    action_type::{CustomTypeRow, find_row},
    errors,
    paging::SmallPage,
    webhook::{self, WebhookRow},
};
use nephos_cloud::{Addressed, Scope, TagRules, TaggedKind, Tx};
use nephos_core::{Arn, Record, Result, Tag, Text, operation};

/// Rules for tags of all resources.
pub(crate) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "tags",
    keys: "tagKeys",
};

/// Returns the resource part of an ARN of this account and Region.
fn own_resource<'a>(cx: &Tx<'_>, arn: &'a str) -> Option<&'a str> {
    let [_, service, _, _, resource] = Arn::parts(arn)?;
    (service == "codepipeline" && cx.scope().owns(arn)).then_some(resource)
}

impl TaggedKind for Pipeline {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let Some(name) = own_resource(cx, arn).filter(|name| !name.contains(':')) else { return Ok(None) };
        let missing =
            || errors::tagged_pipeline_not_found(cx.scope().account(), name).with_field("resourceArn");
        Self::find_by(cx, &[name])?.ok_or_else(missing).map(Some)
    }
}

impl TaggedKind for CustomTypeRow {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let Some(path) = own_resource(cx, arn).and_then(|path| path.strip_prefix("actiontype:Custom/"))
        else {
            return Ok(None);
        };
        let mut parts = path.splitn(3, '/').map(|part| part.to_owned()).collect::<Vec<_>>();
        parts.resize(3, String::new());
        let found = find_row(cx, &parts[0], &parts[1], &parts[2])?.filter(|row| !row.is_deleted());
        let missing =
            || errors::tagged_action_type_not_found(cx.scope().account(), arn).with_field("resourceArn");
        found.ok_or_else(missing).map(Some)
    }

    fn tagged_arn(&self, scope: &Scope) -> Option<Text> {
        Some(self.arn(scope))
    }
}

impl TaggedKind for WebhookRow {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let Some(name) = own_resource(cx, arn).and_then(|path| path.strip_prefix("webhook:")) else {
            return Ok(None);
        };
        let missing =
            || errors::tagged_webhook_not_found(cx.scope().account(), name).with_field("resourceArn");
        webhook::find_row(cx, name)?.ok_or_else(missing).map(Some)
    }

    fn tagged_arn(&self, scope: &Scope) -> Option<Text> {
        Some(self.arn(scope))
    }
}

/// Parameter that identifies a resource by its ARN.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct TaggedResource {
    /// ARN of the resource.
    #[field(required, pattern = r"arn:aws(-[\w]+)*:codepipeline:.+:[0-9]{12}:.+")]
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
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a resource.
#[operation(
    case = "camel", include(TaggedResource, SmallPage), page(tags: Tag, next_token), effect = read, access = read,
    subject = "{resourceArn}"
)]
pub struct ListTagsForResource {}

nephos_cloud::tagging! {
    rules: RULES,
    unknown: |arn| errors::invalid_arn(arn).with_field("resourceArn"),
    too_many: |arn| errors::too_many_tags_of(arn);
    TagResource(resource_arn, tags: Vec<Tag>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Vec<Tag>, paged;
    Pipeline, by "pipelineArn": PipelineTag, PipelineUntag, PipelineListTags;
    + rows CustomTypeRow, WebhookRow;
}
