//! Tags of buses and rules.

use crate::{EventBus, EventBusManager, EventRule, EventRuleManager, errors, event_bus, event_rule};
use nephos_cloud::{ResourceFacts, TagRules, TaggedKind, Tx};
use nephos_core::{Arn, Record, Result, Tag, Text, operation, tags};

/// Rules for tags of all kinds.
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

impl TaggedKind for EventBus {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        match event_bus::place_in_arn(arn) {
            Some((place, name)) if place == *cx.scope() => event_bus::require(cx, Some(name)).map(Some),
            Some((_, name)) => Err(errors::bus_not_found(name).with_hint(arn)),
            None => Ok(None),
        }
    }

    fn facts(&self, _cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        let policies = self.policy.iter().cloned().collect();
        Ok(ResourceFacts { policies, ..ResourceFacts::tagged(tags::known(self)) })
    }
}

impl TaggedKind for EventRule {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let Some([_, "events", _, _, resource]) = Arn::parts(arn) else { return Ok(None) };
        let Some(path) = resource.strip_prefix("rule/") else { return Ok(None) };
        let (bus, name) = path.rsplit_once('/').unwrap_or((event_bus::DEFAULT_BUS, path));
        if cx.scope().owns(arn) {
            return event_rule::require::<TagResource>(cx, Some(bus), name).map(Some);
        }
        Err(errors::rule_not_found(name, bus).with_hint(arn))
    }

    fn check_tags_can_change(&self) -> Result<()> {
        self.check_not_managed(false)
    }

    fn facts(&self, _cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        let keys = [("events:creatorAccount", &self.created_by), ("events:ManagedBy", &self.managed_by)];
        let context =
            keys.into_iter().filter_map(|(key, value)| Some((key.into(), value.clone()?))).collect();
        Ok(ResourceFacts { context, ..ResourceFacts::tagged(tags::known(self)) })
    }
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
#[operation(include(TaggedResource), effect = write, subject = "{ResourceArn}")]
pub struct TagResource {
    /// Tags to add.
    pub tags: Vec<Tag>,
}

/// Removes tags from a bus or rule.
#[operation(include(TaggedResource), effect = write, subject = "{ResourceArn}")]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a bus or rule.
#[operation(include(TaggedResource), wraps(tags: Vec<Tag>), effect = read, subject = "{ResourceArn}")]
pub struct ListTagsForResource {}

nephos_cloud::tagging! {
    rules: RULES, unknown: |arn| errors::resource_arn_invalid().with_field("ResourceArn").with_hint(arn);
    TagResource(resource_arn, tags: Vec<Tag>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Vec<Tag>;
    EventBus, by "Arn": EventBusTag, EventBusUntag, EventBusListTags;
    EventRule, by "Arn": EventRuleTag, EventRuleUntag, EventRuleListTags;
}
