//! Tags of load balancers, listeners, rules, target groups and trust stores: lists on the wire, one row per resource.

use super::{
    Empty, Listener, ListenerManager, LoadBalancer, LoadBalancerManager, Rule, RuleManager, TargetGroup,
    TargetGroupManager, TrustStore, TrustStoreManager, errors, rows::map_by_arn,
};
use nephos_cloud::{
    Addressed, Handler, ResourceFacts, Stored as _, TagRules, TaggedResource, Tx, tags::without,
};
use nephos_core::{Arn, Map, Record, Request, Result, Tag, TagOperations, Text, WorkflowContext, operation};

map_by_arn! {
    /// Tags of a resource.
    pub(crate) struct TagsRow { tags } in "elbv2/tags"
}

/// Rules for tags.
pub(super) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::reserved_tag(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

/// Refuses an ARN of a resource that does not exist.
pub(super) fn check_exists(cx: &Tx<'_>, arn: &str) -> Result<()> {
    let exists = LoadBalancer::require_tagged(cx, arn)?.is_some()
        || Listener::require_tagged(cx, arn)?.is_some()
        || Rule::require_tagged(cx, arn)?.is_some()
        || TargetGroup::require_tagged(cx, arn)?.is_some()
        || TrustStore::require_tagged(cx, arn)?.is_some();
    if exists {
        return Ok(());
    }
    let hint = "expected the ARN of a load balancer, listener, rule, target group or trust store";
    Err(errors::arn_of_unknown_kind(arn).with_field("ResourceArns").with_hint(hint))
}

/// Finds the tags of a resource.
pub(super) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    TagsRow::get(cx, arn.as_str()).map(|tags| Some(ResourceFacts::tagged(tags)))
}

/// Tags of all resources, for tools that ask for them.
pub(super) const TAGGED: nephos_cloud::TaggedResources = nephos_cloud::TaggedResources {
    list: |cx| {
        let rows: Vec<TagsRow> = cx.all(&TagsRow::table(cx.scope()))?;
        Ok(rows.into_iter().filter_map(|row| TaggedResource::new(row.resource_arn?, row.tags?)).collect())
    },
    add: |arn, tags| {
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        Ok(Request::new(AddTags::new(vec![Text::new(arn)], tags)))
    },
    remove: |arn, keys| Ok(Request::new(RemoveTags::new(vec![Text::new(arn)], keys.to_vec()))),
};

/// The resources that an operation applies to.
#[derive(Record)]
#[record(shared)]
pub struct TaggedResources {
    /// ARNs of the resources.
    #[field(required, length(1..=20))]
    resource_arns: Option<Vec<Text>>,
}

/// Adds tags to resources; tags with the same keys are replaced.
#[operation(include(TaggedResources), effect = write, subject = "{ResourceArns}")]
pub struct AddTags {
    /// Tags.
    #[field(length(1..))]
    pub tags: Vec<Tag>,
}

impl Handler for AddTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let tags = RULES.read_list(&self.tags)?;
        let mut after = Vec::new();
        for arn in &self.resource_arns {
            check_exists(cx, arn)?;
            after.push(RULES.add(TagsRow::get(cx, arn)?, tags.clone())?);
        }
        self.resource_arns.iter().zip(after).try_for_each(|(arn, all)| TagsRow::put(cx, arn, all))?;
        Ok(Empty {})
    }
}

/// Removes tags from resources.
#[operation(include(TaggedResources), effect = write, subject = "{ResourceArns}")]
pub struct RemoveTags {
    /// Keys of the tags.
    #[field(length(1..))]
    pub tag_keys: Vec<Text>,
}

impl Handler for RemoveTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        self.resource_arns.iter().try_for_each(|arn| check_exists(cx, arn))?;
        for arn in &self.resource_arns {
            let rest = without(TagsRow::get(cx, arn)?, &self.tag_keys);
            TagsRow::put(cx, arn, rest)?;
        }
        Ok(Empty {})
    }
}

/// Describes the tags of resources.
#[operation(
    include(TaggedResources), wraps(tag_descriptions: Vec<TagDescription>), effect = read, subject = "*"
)]
pub struct DescribeTags {}

/// Tags of a resource.
#[derive(Record)]
pub struct TagDescription {
    /// ARN of the resource.
    resource_arn: Option<Text>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

impl Handler for DescribeTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let describe = |arn: &Text| {
            check_exists(cx, arn)?;
            let tags = TagsRow::get(cx, arn)?.into_iter().map(Tag::from).collect();
            Ok(TagDescription { resource_arn: Some(arn.clone()), tags: Some(tags) })
        };
        self.resource_arns.iter().map(describe).collect::<Result<Vec<_>>>().map(Into::into)
    }
}

/// Operations that change tags.
pub(super) struct Tagging;

impl TagOperations for Tagging {
    type Set = AddTags;
    type Remove = RemoveTags;

    fn set(resource: Text, tags: Vec<Tag>) -> AddTags {
        AddTags::new([resource], tags)
    }

    fn remove(resource: Text, keys: Vec<Text>) -> RemoveTags {
        RemoveTags::new([resource], keys)
    }

    async fn list(context: &WorkflowContext, resource: &str) -> Result<Vec<Tag>> {
        let found = context.call(DescribeTags::new([resource])).await?.tag_descriptions.unwrap_or_default();
        Ok(found.into_iter().next().and_then(|found| found.tags).unwrap_or_default())
    }
}

nephos_core::tag_calls! {
    Tagging by resource_arn;
    LoadBalancer by "LoadBalancerArn": LoadBalancerTag, LoadBalancerUntag, LoadBalancerListTags;
    Listener by "ListenerArn": ListenerTag, ListenerUntag, ListenerListTags;
    Rule by "RuleArn": RuleTag, RuleUntag, RuleListTags;
    TargetGroup by "TargetGroupArn": TargetGroupTag, TargetGroupUntag, TargetGroupListTags;
    TrustStore by "TrustStoreArn": TrustStoreTag, TrustStoreUntag, TrustStoreListTags;
}
