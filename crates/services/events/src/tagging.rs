//! Tags of buses and rules.

use super::{EventBus, EventBusManager, EventRule, EventRuleManager, errors, event_bus, event_rule};
use nephos_cloud::{
    Handler, ResourceFacts, TagRules, Tx,
    tags::{to_list, without},
};
use nephos_core::{Arn, Empty, Map, Record, Resource, Result, Tag, Text, WorkflowContext, operation, tags};

/// Rules for tags of all kinds.
pub(crate) const RULES: TagRules = TagRules {
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

/// A resource with tags.
enum Tagged {
    EventBus(EventBus),
    EventRule(EventRule),
}

impl Tagged {
    /// Returns the resource with this ARN, or an error if it does not exist.
    fn require(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        let invalid = || errors::resource_arn_invalid().with_field("ResourceArn").with_hint(arn);
        let Some([_, "events", region, account, resource]) = Arn::parts(arn) else { return Err(invalid()) };
        let is_own = (region, account) == (cx.scope().region(), cx.scope().account());
        match resource.split_once('/') {
            Some(("event-bus", name)) if is_own => event_bus::require(cx, Some(name)).map(Self::EventBus),
            Some(("event-bus", name)) => Err(errors::bus_not_found(name).with_hint(arn)),
            Some(("rule", path)) => {
                let (bus, name) = path.rsplit_once('/').unwrap_or((event_bus::DEFAULT_BUS, path));
                match is_own {
                    true => event_rule::require::<TagResource>(cx, Some(bus), name).map(Self::EventRule),
                    false => Err(errors::rule_not_found(name, bus).with_hint(arn)),
                }
            }
            _ => Err(invalid()),
        }
    }

    /// Returns the tags of the resource.
    fn tags(&self) -> Map<Text> {
        match self {
            Self::EventBus(bus) => tags::known(bus),
            Self::EventRule(rule) => tags::known(rule),
        }
    }

    /// Replaces the tags of the resource.
    fn put(self, cx: &mut Tx<'_>, tags: Map<Text>) -> Result<Empty> {
        match self {
            Self::EventBus(mut bus) => {
                bus.tags = to_list(tags);
                cx.put(bus)?;
            }
            Self::EventRule(mut rule) => {
                rule.check_not_managed(false)?;
                rule.tags = to_list(tags);
                cx.put(rule)?;
            }
        }
        Ok(Empty {})
    }
}

/// Finds the tags of a resource, the policy of a bus, and the creator of a rule.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Ok(found) = Tagged::require(cx, arn.as_str()) else { return Ok(None) };
    let tags = found.tags();
    let (mut policies, mut context) = (Vec::new(), Vec::new());
    match found {
        Tagged::EventBus(bus) => policies.extend(bus.policy),
        Tagged::EventRule(rule) => {
            let keys = [("events:creatorAccount", rule.created_by), ("events:ManagedBy", rule.managed_by)];
            context.extend(keys.into_iter().filter_map(|(key, value)| Some((key.into(), value?))));
        }
    }
    Ok(Some(ResourceFacts { policies, context, ..ResourceFacts::tagged(tags) }))
}

/// Parameter that identifies a resource by ARN.
#[derive(Record)]
#[record(shared)]
pub struct TaggedResource {
    /// ARN of the bus or rule.
    #[field(required, wire = "ResourceARN", length(1..=1600))]
    resource_arn: Option<Text>,
}

/// Adds tags to a bus or rule, and replaces tags with the same keys.
#[operation(also(TaggedResource), effect = write, subject = "{ResourceArn}")]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let added = RULES.read_list(&self.tags)?;
        let found = Tagged::require(cx, &self.resource_arn)?;
        let tags = RULES.add(found.tags(), added)?;
        found.put(cx, tags)
    }
}

/// Removes tags from a bus or rule.
#[operation(also(TaggedResource), effect = write, subject = "{ResourceArn}")]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        let found = Tagged::require(cx, &self.resource_arn)?;
        let tags = without(found.tags(), &self.tag_keys);
        found.put(cx, tags)
    }
}

/// Lists the tags of a bus or rule.
#[operation(
    also(TaggedResource), effect = read, output = TagsOfResource, subject = "{ResourceArn}"
)]
pub struct ListTagsForResource {}

/// Tags of a resource.
#[derive(Record)]
#[record(answer, name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// Tags of the resource.
    tags: Option<Vec<Tag>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let tags = Tagged::require(cx, &self.resource_arn)?.tags();
        Ok(TagsOfResource { tags: Some(tags.into_iter().map(Tag::from).collect()) })
    }
}

async fn list_tags(context: &WorkflowContext, arn: &str) -> Result<TagsOfResource> {
    context.call(ListTagsForResource::new(arn)).await
}

async fn current_tags(context: &WorkflowContext, arn: &str) -> Result<Map<Text>> {
    Ok(tags::to_map(&list_tags(context, arn).await?.tags.unwrap_or_default()))
}

/// Fetches the tags of a model, which the service lists by a separate operation.
pub(crate) async fn with_tags<M: Resource>(context: &WorkflowContext, mut model: M) -> Result<M> {
    let tags = current_tags(context, model.require_arn()?).await?;
    tags::put(&mut model, tags);
    Ok(model)
}

nephos_core::tag_operations!(pub(crate) Tagging: Vec<Tag>, TagResource, UntagResource, current = current_tags);

nephos_core::tag_calls! {
    Tagging, tags: Vec<Tag>, list: list_tags => TagsOfResource;
    EventBus by "Arn": EventBusTag, EventBusUntag, EventBusListTags;
    EventRule by "Arn": EventRuleTag, EventRuleUntag, EventRuleListTags;
}
