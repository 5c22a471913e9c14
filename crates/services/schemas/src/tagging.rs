//! Tags of registries, schemas and discoverers.

use super::{
    Discoverer, DiscovererManager, Registry, RegistryManager, Schema, SchemaManager, discoverer, errors,
    registry::{self, policy, provider},
    schema,
};
use nephos_cloud::{ResourceFacts, Scope, TagRules, TaggedKind, Tx};
use nephos_core::{Arn, Error, ErrorKind, Map, Record, Resource, Result, Text, operation, tags};

/// Rules for tags of all kinds.
const RULES: TagRules = TagRules {
    any_characters: false,
    members: None,
    invalid: |key| errors::invalid_tag(key),
    reserved: |_| errors::reserved_tag(),
    too_many: errors::too_many_tags,
    duplicate: |key| errors::duplicate_tag(key),
    tags: "Tags",
    keys: "TagKeys",
};

/// Checks the tags of a new resource; an empty mapping becomes `None`.
pub(super) fn check_tags(tags: Option<Map<Text>>) -> Result<Option<Map<Text>>> {
    let tags = tags.filter(|tags| !tags.is_empty());
    tags.as_ref().map_or(Ok(()), |tags| RULES.check(tags))?;
    Ok(tags)
}

/// Returns the names in an ARN of the kind `K` in this account and Region.
fn own_names<'a, K: Resource>(cx: &Tx<'_>, arn: &'a str) -> Option<Vec<&'a str>> {
    let [_, service, _, _, resource] = Arn::parts(arn)?;
    K::KIND.path.read(resource).filter(|_| service == "schemas" && cx.scope().owns(arn))
}

/// Returns what `require` finds, with the error that operations on tags have for a missing resource.
fn found<R>(arn: &str, required: Result<R>) -> Result<Option<R>> {
    match required {
        Err(error) if error.kind() == ErrorKind::NotFound => Err(errors::resource_not_found(arn)),
        required => required.map(Some),
    }
}

/// Facts of a resource: its tags, and the policy of its registry.
fn facts(cx: &Tx<'_>, registry: Option<&Text>, tags: Map<Text>) -> Result<ResourceFacts> {
    let policy = registry.map_or(Ok(None), |registry| policy::find_document(cx, registry))?;
    Ok(ResourceFacts { policies: policy.into_iter().collect(), ..ResourceFacts::tagged(tags) })
}

impl TaggedKind for Registry {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let names = own_names::<Self>(cx, arn);
        names.map_or(Ok(None), |names| found(arn, registry::require(cx, names[0])))
    }

    fn check_tags_can_change(&self) -> Result<()> {
        provider::check_registry_changeable(self.registry_name.as_deref().unwrap_or_default())
    }

    fn facts(&self, cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        facts(cx, self.registry_name.as_ref(), tags::known(self))
    }
}

impl TaggedKind for schema::SchemaRow {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let names = own_names::<Schema>(cx, arn);
        names.map_or(Ok(None), |names| found(arn, schema::require(cx, names[0], names[1])))
    }

    fn tagged_arn(&self, scope: &Scope) -> Option<Text> {
        self.arn(scope)
    }

    fn check_tags_can_change(&self) -> Result<()> {
        provider::check_changeable(self.registry_name.as_deref().unwrap_or_default())
    }

    fn facts(&self, cx: &mut Tx<'_>) -> Result<ResourceFacts> {
        facts(cx, self.registry_name.as_ref(), tags::known(self))
    }
}

impl TaggedKind for Discoverer {
    fn find_tagged(cx: &Tx<'_>, arn: &str) -> Result<Option<Self>> {
        let names = own_names::<Self>(cx, arn);
        names.map_or(Ok(None), |names| found(arn, discoverer::require(cx, names[0])))
    }
}

/// Parameter that identifies a resource by ARN.
#[derive(Record)]
#[record(shared)]
pub struct TaggedResource {
    /// ARN of the resource.
    #[field(required, wire = "resource-arn", in_path)]
    resource_arn: Option<Text>,
}

/// Adds tags to a registry, schema or discoverer, and replaces tags with the same keys.
#[operation(
    include(TaggedResource), effect = write, http("POST", "/tags/{resource-arn}", 204), subject = "{ResourceArn}"
)]
pub struct TagResource {
    /// Tags to add.
    #[field(wire = "tags")]
    pub tags: Map<Text>,
}

/// Removes tags from a registry, schema or discoverer.
#[operation(
    include(TaggedResource), effect = write, http("DELETE", "/tags/{resource-arn}", 204), subject = "{ResourceArn}"
)]
pub struct UntagResource {
    /// Keys of the tags to remove.
    #[field(wire = "tagKeys", in_query)]
    pub tag_keys: Vec<Text>,
}

/// Lists the tags of a registry, schema or discoverer.
#[operation(
    include(TaggedResource), wraps(tags(wire = "tags"): Map<Text>), effect = read, http("GET", "/tags/{resource-arn}", 200),
    subject = "{ResourceArn}", access = read
)]
pub struct ListTagsForResource {}

/// Error for an ARN of no resource with tags.
fn unknown(arn: &str) -> Error {
    match Arn::parts(arn) {
        Some([_, "schemas", ..]) => errors::resource_not_found(arn),
        _ => errors::resource_arn_invalid(arn).with_field("ResourceArn"),
    }
}

nephos_cloud::tagging! {
    rules: RULES, unknown: unknown;
    TagResource(resource_arn, tags: Map<Text>);
    UntagResource(resource_arn, tag_keys);
    ListTagsForResource(resource_arn) -> tags: Map<Text>;
    Registry, by "RegistryArn": RegistryTag, RegistryUntag, RegistryListTags;
    Schema stored as schema::SchemaRow, by "SchemaArn": SchemaTag, SchemaUntag, SchemaListTags;
    Discoverer, by "DiscovererArn": DiscovererTag, DiscovererUntag, DiscovererListTags;
}
