//! Tags of all kinds, and the operations on them.

use super::{
    InstanceManager, SecurityGroup, SecurityGroupManager, SubnetManager, VpcManager,
    calls::{DryRun, Filtered, PagedInLowerCase},
    errors, filters,
    instance::Instance,
    network::{self, Member, ids},
    security_group::SecurityGroupRow,
    subnet::Subnet,
    vpc::Vpc,
};
use nephos_cloud::{Filterable, Handler, TagRules, TaggedResource, TaggedResources, Tx, tags::to_list};
use nephos_core::{
    Empty, Error, Map, Record, Request, Result, TagOperations, Text, operation, record::Fields, tags,
};
use std::ops::ControlFlow;

/// Prefix of the IDs of rules of security groups.
pub(super) const RULE_PREFIX: &str = "sgr";
/// Type of resource of rules of security groups.
pub(super) const RULE_TYPE: &str = "security-group-rule";

/// A tag: a key and its value.
#[derive(Record)]
#[record(wire = "camel")]
pub struct Tag {
    /// Key of the tag.
    pub(super) key: Option<Text>,
    /// Value of the tag.
    pub(super) value: Option<Text>,
}

impl<K: Into<Text>, V: Into<Text>> From<(K, V)> for Tag {
    fn from((key, value): (K, V)) -> Self {
        Self { key: Some(key.into()), value: Some(value.into()) }
    }
}

/// Tags of the resources that a call creates.
#[derive(Record)]
pub struct TagSpecification {
    /// Type of the resource.
    #[field(wire = "resourceType")]
    resource_type: Option<Text>,
    /// Tags.
    #[field(wire = "Tag")]
    tags: Option<Vec<Tag>>,
}

/// Validates the tags of the resource that a call creates.
pub(super) fn read_specifications<M: Member>(given: Option<&[TagSpecification]>) -> Result<Option<Vec<Tag>>> {
    read_specifications_for(network::resource_type::<M>(), given)
}

/// Validates the tags of resources of a type that a call creates.
pub(super) fn read_specifications_for(
    resource_type: &str,
    given: Option<&[TagSpecification]>,
) -> Result<Option<Vec<Tag>>> {
    let mut tags = Vec::new();
    for (n, specification) in given.unwrap_or_default().iter().enumerate() {
        let in_item = |error: Error| error.in_field(&format!("TagSpecifications[{n}]"));
        if specification.resource_type.as_deref() != Some(resource_type) {
            let given = specification.resource_type.as_deref().unwrap_or("null");
            let error = errors::resource_type_not_taggable(given);
            let hint = format!("expected {resource_type}");
            return Err(in_item(error.with_hint(hint).with_field("ResourceType")));
        }
        tags.extend(specification.tags.iter().flatten().cloned());
    }
    Ok(to_list(read(&tags).map_err(|error| error.in_field("TagSpecifications"))?))
}

/// Rules for tags: error codes of the service.
const RULES: TagRules = TagRules {
    any_characters: true,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |key| errors::tag_key_reserved(key),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "Tags",
};

/// Tags of all resources, for tools that ask for them.
pub(super) const TAGGED: TaggedResources = TaggedResources {
    list: |cx| {
        let kinds = [tagged::<Vpc>, tagged::<Subnet>, tagged::<SecurityGroupRow>, tagged::<Instance>];
        let lists = kinds.iter().map(|members| members(cx)).collect::<Result<Vec<_>>>()?;
        Ok(lists.concat())
    },
    add: |arn, tags| {
        let tags: Vec<_> = tags.clone().into_iter().map(Tag::from).collect();
        Ok(Request::new(CreateTags::new([id_in_arn(arn)], tags)))
    },
    remove: |arn, keys| {
        let tags: Vec<_> = keys.iter().map(|key| Tag { key: Some(key.clone()), value: None }).collect();
        Ok(Request::new(DeleteTags::new([id_in_arn(arn)]).tags(tags)))
    },
};

fn tagged<M: Member>(cx: &Tx<'_>) -> Result<Vec<TaggedResource>> {
    let members = network::find_all::<M>(cx, |_| true)?;
    let resource = |member: &M| {
        let arn = cx.scope().arn("ec2", &[network::resource_type::<M>(), "/", member.id()]);
        TaggedResource::new(arn, tags::known(member))
    };
    Ok(members.iter().filter_map(resource).collect())
}

fn id_in_arn(arn: &str) -> &str {
    arn.rsplit('/').next().unwrap_or_default()
}

/// Validates the tags of a caller.
fn read(given: &[Tag]) -> Result<Map<Text>> {
    RULES.read(given.iter().map(|tag| (text(&tag.key), text(&tag.value))))
}

/// A validated change that is still to be written.
type Write = Box<dyn FnOnce(&mut Tx<'_>) -> Result<()>>;

/// Changes the tags of `record`; false if nothing changes.
fn change_tags(record: &mut dyn Fields, change: &dyn Fn(&mut Map<Text>)) -> Result<bool> {
    let before = tags::known(record);
    let mut after = before.clone();
    change(&mut after);
    if after == before {
        return Ok(false);
    }
    RULES.check_number(&after)?;
    tags::put(record, after);
    Ok(true)
}

/// Validates a change of the tags of the rule of a security group with this ID; `None` if nothing changes.
fn prepare_rule(cx: &Tx<'_>, id: &str, change: &dyn Fn(&mut Map<Text>)) -> Result<Option<Write>> {
    let in_field = |error: Error| error.with_field("Resources");
    ids::check(id, RULE_PREFIX, errors::rule_id_malformed).map_err(in_field)?;
    let has_rule = |group: &SecurityGroupRow| group.rules.iter().flatten().any(|rule| rule.has_id(id));
    let Some(mut group) = network::find_all(cx, has_rule)?.pop() else {
        return Err(in_field(errors::rule_id_not_found(id)));
    };
    let mut changed = false;
    for rule in group.rules.iter_mut().flatten().filter(|rule| rule.has_id(id)) {
        changed = change_tags(rule, change)?;
    }
    Ok(changed.then(|| Box::new(move |cx: &mut Tx<'_>| cx.put(group)) as Write))
}

/// Validates a change of the tags of the resource with this ID; `None` if nothing changes.
fn prepare(cx: &Tx<'_>, id: &str, change: &dyn Fn(&mut Map<Text>)) -> Result<Option<Write>> {
    fn prepare_kind<M: Member>(
        cx: &Tx<'_>,
        id: &str,
        change: &dyn Fn(&mut Map<Text>),
    ) -> Result<Option<Write>> {
        let mut member = network::require::<M>(cx, id, "Resources")?;
        let changed = change_tags(&mut member, change)?;
        Ok(changed.then(|| Box::new(move |cx: &mut Tx<'_>| cx.put(member)) as Write))
    }
    match id.rsplit_once('-').map(|(prefix, _)| prefix) {
        Some(Vpc::ID_PREFIX) => prepare_kind::<Vpc>(cx, id, change),
        Some(Subnet::ID_PREFIX) => prepare_kind::<Subnet>(cx, id, change),
        Some(SecurityGroupRow::ID_PREFIX) => prepare_kind::<SecurityGroupRow>(cx, id, change),
        Some(Instance::ID_PREFIX) => prepare_kind::<Instance>(cx, id, change),
        Some(RULE_PREFIX) => prepare_rule(cx, id, change),
        _ => Err(errors::id_invalid(id).with_field("Resources")),
    }
}

/// Changes the tags of all `resources`, or, on an error, of none.
fn change_all(
    cx: &mut Tx<'_>,
    resources: &[Text],
    dry_run: Option<bool>,
    change: impl Fn(&mut Map<Text>),
) -> Result<Empty> {
    if resources.is_empty() {
        return Err(errors::parameter_missing("resourceIdSet").with_field("Resources"));
    }
    let writes = resources.iter().map(|id| prepare(cx, id, &change)).collect::<Result<Vec<_>>>()?;
    super::check_dry_run(dry_run)?;
    writes.into_iter().flatten().try_for_each(|write| write(cx))?;
    Ok(Empty {})
}

/// Sets tags of resources; a tag with the same key is replaced.
#[operation(
    include(DryRun), effect = write,
    subject = "{Resources: vpc-=vpc/vpc-, subnet-=subnet/subnet-, sg-=security-group/sg-, \
        sgr-=security-group-rule/sgr-, i-=instance/i-}"
)]
pub struct CreateTags {
    /// IDs of the resources.
    #[field(wire = "ResourceId", length(..=1000))]
    pub resources: Vec<Text>,
    /// Tags to set.
    #[field(wire = "Tag")]
    pub tags: Vec<Tag>,
}

impl Handler for CreateTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if self.tags.is_empty() {
            return Err(errors::parameter_missing("tagSet").with_field("Tags"));
        }
        let given = read(&self.tags)?;
        change_all(cx, &self.resources, self.dry_run, |tags| tags.extend(given.clone()))
    }
}

/// Removes tags of resources; all tags by default.
#[operation(
    include(DryRun), effect = write,
    subject = "{Resources: vpc-=vpc/vpc-, subnet-=subnet/subnet-, sg-=security-group/sg-, \
        sgr-=security-group-rule/sgr-, i-=instance/i-}"
)]
pub struct DeleteTags {
    /// IDs of the resources.
    #[field(wire = "resourceId", length(..=1000))]
    pub resources: Vec<Text>,
    /// Tags to remove. A tag with a value is only removed if it has this value.
    #[field(wire = "tag")]
    pub tags: Option<Vec<Tag>>,
}

impl Handler for DeleteTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        let selected = self.tags.as_deref().filter(|tags| !tags.is_empty());
        for (n, tag) in selected.into_iter().flatten().enumerate() {
            let error = match tag.key.as_deref() {
                None | Some("") => errors::tag_key_missing(),
                Some(key) if tags::is_reserved(key, "") => errors::tag_key_reserved(key),
                _ => continue,
            };
            return Err(error.with_field(format!("Tags[{n}].Key")));
        }
        let is_removed = |key: &str, value: &str| match selected {
            None => !tags::is_reserved(key, value),
            Some(selected) => selected.iter().any(|tag| {
                tag.key.as_deref() == Some(key) && tag.value.as_deref().is_none_or(|wanted| wanted == value)
            }),
        };
        change_all(cx, &self.resources, self.dry_run, |tags| {
            tags.retain(|key, value| !is_removed(key, value))
        })
    }
}

/// A tag and its resource.
#[derive(Record)]
#[record(wire = "camel")]
pub struct TagDescription {
    /// Key of the tag.
    key: Option<Text>,
    /// ID of the resource.
    resource_id: Option<Text>,
    /// Type of the resource.
    resource_type: Option<Text>,
    /// Value of the tag.
    value: Option<Text>,
}

impl Filterable for TagDescription {
    const FILTERS: &'static [(&'static str, &'static str)] = &[
        ("key", "Key"),
        ("resource-id", "ResourceId"),
        ("resource-type", "ResourceType"),
        ("value", "Value"),
    ];
}

/// Describes the tags of all resources, in order of the resources' IDs and the tags' keys.
#[operation(
    include(DryRun, Filtered, PagedInLowerCase),
    page(tags(wire = "tagSet"): TagDescription, next_token(wire = "nextToken")),
    effect = read, subject = "*", access = list
)]
pub struct DescribeTags {}

impl Handler for DescribeTags {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let filters = filters::RULES.read::<TagDescription>(self.filters.as_deref())?;
        cx.page_after(&self)?;
        super::check_dry_run(self.dry_run)?;
        let mut all = Vec::new();
        collect::<Vpc>(cx, &mut all)?;
        collect::<Subnet>(cx, &mut all)?;
        collect::<SecurityGroupRow>(cx, &mut all)?;
        collect_of_rules(cx, &mut all)?;
        collect::<Instance>(cx, &mut all)?;
        // IDs contain no space, so that positions sort by ID, then by key.
        let position = |tag: &TagDescription| format!("{} {}", text(&tag.resource_id), text(&tag.key));
        all.retain(|tag| filters.accept(tag));
        all.sort_by_cached_key(position);
        Ok(cx.page_items(&self, all, |tag| position(tag).into())?.into())
    }
}

/// Returns the text, or an empty one.
fn text(text: &Option<Text>) -> &str {
    text.as_deref().unwrap_or_default()
}

/// Describes the tags of a resource.
fn describe(tagged: &dyn Fields, id: Text, resource_type: &str) -> impl Iterator<Item = TagDescription> {
    tags::known(tagged).into_iter().map(move |(key, value)| TagDescription {
        key: Some(key),
        resource_id: Some(id.clone()),
        resource_type: Some(resource_type.into()),
        value: Some(value),
    })
}

/// Appends the tags of all resources of a kind.
fn collect<M: Member>(cx: &Tx<'_>, all: &mut Vec<TagDescription>) -> Result<()> {
    network::visit_all::<M>(cx, None, |member| {
        all.extend(describe(&member, member.id().into(), network::resource_type::<M>()));
        Ok(ControlFlow::Continue(()))
    })
}

/// Appends the tags of the rules of all security groups.
fn collect_of_rules(cx: &Tx<'_>, all: &mut Vec<TagDescription>) -> Result<()> {
    network::visit_all::<SecurityGroupRow>(cx, None, |group| {
        for rule in group.rules.into_iter().flatten() {
            let id = rule.security_group_rule_id.clone().unwrap_or_default();
            all.extend(describe(&rule, id, RULE_TYPE));
        }
        Ok(ControlFlow::Continue(()))
    })
}

/// Tag operations of the service.
pub(super) struct Tagging;

impl TagOperations for Tagging {
    type Set = CreateTags;
    type Remove = DeleteTags;

    fn set(resource: Text, tags: Vec<nephos_core::Tag>) -> CreateTags {
        let tags = tags::to_map(&tags).into_iter().map(Tag::from);
        CreateTags::new([resource], tags.collect::<Vec<_>>())
    }

    fn remove(resource: Text, keys: Vec<Text>) -> DeleteTags {
        let tags = keys.into_iter().map(|key| Tag { key: Some(key), value: None });
        DeleteTags::new([resource]).tags(tags.collect::<Vec<_>>())
    }
}

nephos_core::tag_calls! {
    Tagging by resource_id;
    Vpc by "VpcId": VpcTag, VpcUntag;
    Subnet by "SubnetId": SubnetTag, SubnetUntag;
    SecurityGroup by "GroupId": SecurityGroupTag, SecurityGroupUntag;
    Instance by "InstanceId": InstanceTag, InstanceUntag;
}
