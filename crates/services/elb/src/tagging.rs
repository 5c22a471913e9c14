//! Tags of load balancers: lists on the wire, a mapping in the model.

use crate::{ClassicELB, ClassicELBManager, Empty, errors, load_balancer::require};
use nephos_cloud::{
    Addressed, Handler, ResourceFacts, Stored, TagRules, TaggedResource, TaggedResources, Tx, own_arn,
    tags::without,
};
use nephos_core::{Arn, Map, Record, Request, Result, Tag, TagOperations, Text, WorkflowContext, operation};

/// Rules for tags.
pub(crate) const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::reserved_tag(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "Tags",
};

fn named(arn: &str) -> Option<Text> {
    Some(ClassicELB::read_arn(arn)?.concat().into())
}

/// Finds the tags of a load balancer.
pub(crate) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let Some(name) = named(arn.as_str()) else { return Ok(None) };
    let found = ClassicELB::find_by(cx, &[&name])?;
    Ok(found.map(|balancer| ResourceFacts::tagged(balancer.tags.unwrap_or_default())))
}

/// Tags of all load balancers, for tools that ask for them.
pub(crate) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| {
        let all: Vec<ClassicELB> = cx.all(&ClassicELB::table(cx.scope()))?;
        let tagged = |balancer: ClassicELB| {
            let arn = own_arn(&balancer, cx.scope())?;
            TaggedResource::new(arn, balancer.tags.unwrap_or_default())
        };
        Ok(all.into_iter().filter_map(tagged).collect())
    },
    add: |arn, tags| {
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        Ok(Request::new(AddTags::new([named(arn).unwrap_or_default()], tags)))
    },
    remove: |arn, keys| {
        let keys: Vec<_> = keys.iter().cloned().map(TagKeyOnly::from).collect();
        Ok(Request::new(RemoveTags::new([named(arn).unwrap_or_default()], keys)))
    },
};

/// Stores the tags of load balancers that `change` returns; refuses if one of them does not exist.
fn change_all(
    cx: &mut Tx<'_>,
    names: &[Text],
    change: impl Fn(Map<Text>) -> Result<Map<Text>>,
) -> Result<Empty> {
    let mut changed = Vec::new();
    for name in names {
        let mut balancer = require(cx, name)?;
        let tags = change(balancer.tags.unwrap_or_default())?;
        balancer.tags = Some(tags).filter(|tags| !tags.is_empty());
        changed.push(balancer);
    }
    changed.into_iter().try_for_each(|balancer| cx.put(balancer))?;
    Ok(Empty {})
}

/// Adds tags to load balancers; tags with the same keys are replaced.
#[operation(of = ClassicELB, call = "add_tags", effect = write, subject = "loadbalancer/{LoadBalancerNames}")]
pub struct AddTags {
    /// Names of the load balancers.
    pub load_balancer_names: Vec<Text>,
    /// Tags.
    #[field(length(1..))]
    pub tags: Vec<Tag>,
}

impl Handler for AddTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let given = RULES.read_list(&self.tags)?;
        change_all(cx, &self.load_balancer_names, |tags| RULES.add(tags, given.clone()))
    }
}

/// The key of a tag.
#[derive(Record)]
pub struct TagKeyOnly {
    /// Key.
    #[field(length(1..=128))]
    key: Option<Text>,
}

impl<T: Into<Text>> From<T> for TagKeyOnly {
    fn from(key: T) -> Self {
        Self { key: Some(key.into()) }
    }
}

/// Removes tags from load balancers.
#[operation(of = ClassicELB, call = "remove_tags", effect = write, subject = "loadbalancer/{LoadBalancerNames}")]
pub struct RemoveTags {
    /// Names of the load balancers.
    pub load_balancer_names: Vec<Text>,
    /// Keys of the tags.
    #[field(length(1..))]
    pub tags: Vec<TagKeyOnly>,
}

impl Handler for RemoveTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let keys: Vec<_> = self.tags.into_iter().filter_map(|tag| tag.key).collect();
        RULES.check_keys(&keys)?;
        change_all(cx, &self.load_balancer_names, |tags| Ok(without(tags, &keys)))
    }
}

/// Tags of a load balancer.
#[derive(Record)]
pub struct TagDescription {
    /// Name of the load balancer.
    load_balancer_name: Option<Text>,
    /// Tags.
    tags: Option<Vec<Tag>>,
}

/// Describes the tags of at most 20 load balancers.
#[operation(
    of = ClassicELB, call = "describe_tags", wraps(tag_descriptions: Vec<TagDescription>), effect = read, subject = "*"
)]
pub struct DescribeTags {
    /// Names of the load balancers.
    #[field(length(1..=20))]
    pub load_balancer_names: Vec<Text>,
}

impl Handler for DescribeTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let describe = |name: &Text| {
            let tags = require(cx, name)?.tags.unwrap_or_default();
            let tags = tags.into_iter().map(Tag::from).collect();
            Ok(TagDescription { load_balancer_name: Some(name.clone()), tags: Some(tags) })
        };
        self.load_balancer_names.iter().map(describe).collect::<Result<Vec<_>>>().map(Into::into)
    }
}

/// Operations that change tags.
pub(crate) struct Tagging;

impl TagOperations for Tagging {
    type Set = AddTags;
    type Remove = RemoveTags;

    fn set(name: Text, tags: Vec<Tag>) -> AddTags {
        AddTags::new([name], tags)
    }

    fn remove(name: Text, keys: Vec<Text>) -> RemoveTags {
        RemoveTags::new([name], keys.into_iter().map(TagKeyOnly::from).collect::<Vec<_>>())
    }

    async fn list(context: &WorkflowContext, name: &str) -> Result<Vec<Tag>> {
        let found = context.call(DescribeTags::new([name])).await?.tag_descriptions.unwrap_or_default();
        Ok(found.into_iter().next().and_then(|found| found.tags).unwrap_or_default())
    }
}

nephos_core::tag_calls! {
    Tagging by load_balancer_name;
    ClassicELB by "LoadBalancerName": ClassicELBTag, ClassicELBUntag, ClassicELBListTags;
}
