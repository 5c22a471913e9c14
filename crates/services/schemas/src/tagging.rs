//! Tags of registries, schemas and discoverers.

use super::{
    Discoverer, DiscovererManager, Empty, Registry, RegistryManager, Schema, SchemaManager, discoverer,
    errors, policy, provider, registry, schema,
};
use nephos_cloud::{Handler, ResourceFacts, TagRules, Tx, tags::without};
use nephos_core::{Arn, Error, ErrorKind, Map, Record, Result, Text, WorkflowContext, operation};

/// Rules for tags of all kinds.
const RULES: TagRules = TagRules {
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

/// Row of a resource that has tags.
enum TaggedResource {
    Registry(Registry),
    Schema(schema::SchemaRow),
    Discoverer(Discoverer),
}

impl TaggedResource {
    /// Returns the resource with this ARN, or an error if it does not exist.
    fn find(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        let Some([_, "schemas", region, account, resource]) = Arn::parts(arn) else {
            return Err(errors::resource_arn_invalid(arn).with_field("ResourceArn"));
        };
        let missing = || errors::resource_not_found(arn);
        if (account, region) != (cx.scope().account(), cx.scope().region()) {
            return Err(missing());
        }
        let not_found = |error: Error| match error.kind() {
            ErrorKind::NotFound => missing(),
            _ => error,
        };
        match resource.split_once('/') {
            Some(("registry", name)) => registry::require(cx, name).map(Self::Registry),
            Some(("schema", path)) => {
                let (registry, name) = path.split_once('/').ok_or_else(missing)?;
                schema::require(cx, registry, name).map(Self::Schema)
            }
            Some(("discoverer", id)) => discoverer::require(cx, id).map(Self::Discoverer),
            _ => Err(missing()),
        }
        .map_err(not_found)
    }

    /// Refuses to change the tags of a resource of the provider.
    fn check_changeable(&self) -> Result<()> {
        match self {
            Self::Registry(registry) => {
                provider::check_registry_changeable(registry.registry_name.as_deref().unwrap_or_default())
            }
            Self::Schema(schema) => {
                provider::check_changeable(schema.registry_name.as_deref().unwrap_or_default())
            }
            Self::Discoverer(_) => Ok(()),
        }
    }

    fn tags_mut(&mut self) -> &mut Option<Map<Text>> {
        match self {
            Self::Registry(registry) => &mut registry.tags,
            Self::Schema(schema) => &mut schema.tags,
            Self::Discoverer(discoverer) => &mut discoverer.tags,
        }
    }

    /// Replaces the tags by the result of `change`, and stores the resource.
    fn change_tags(
        mut self,
        cx: &mut Tx<'_>,
        change: impl FnOnce(Map<Text>) -> Result<Map<Text>>,
    ) -> Result<Empty> {
        self.check_changeable()?;
        let tags = change(self.tags_mut().take().unwrap_or_default())?;
        *self.tags_mut() = (!tags.is_empty()).then_some(tags);
        match self {
            Self::Registry(registry) => cx.put(registry)?,
            Self::Schema(schema) => cx.put(schema)?,
            Self::Discoverer(discoverer) => cx.put(discoverer)?,
        }
        Ok(Empty {})
    }
}

/// Finds the tags of a resource, and the policy of its registry.
pub(super) fn find_resource(cx: &mut Tx<'_>, arn: &Arn) -> Result<Option<ResourceFacts>> {
    let registry = match arn.resource().split_once('/') {
        Some(("registry", name)) => Some(name),
        Some(("schema", path)) => path.split('/').next(),
        _ => None,
    };
    let policy = registry.map_or(Ok(None), |registry| policy::find_document(cx, registry))?;
    let tags = match TaggedResource::find(cx, arn.as_str()) {
        Ok(mut found) => found.tags_mut().take().unwrap_or_default(),
        Err(_) => Map::default(),
    };
    Ok(Some(ResourceFacts { policies: policy.into_iter().collect(), ..ResourceFacts::tagged(tags) }))
}

/// Adds tags to a registry, schema or discoverer, and replaces tags with the same keys.
#[operation(
    effect = write, http("POST", "/tags/{resource-arn}", 204),
    subject = "{ResourceArn}"
)]
pub struct TagResource {
    /// ARN of the resource.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
    /// Tags to add.
    #[field(wire = "tags")]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check(&self.tags)?;
        TaggedResource::find(cx, &self.resource_arn)?.change_tags(cx, |tags| RULES.add(tags, self.tags))
    }
}

/// Removes tags from a registry, schema or discoverer.
#[operation(
    effect = write, http("DELETE", "/tags/{resource-arn}", 204),
    subject = "{ResourceArn}"
)]
pub struct UntagResource {
    /// ARN of the resource.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
    /// Keys of the tags to remove.
    #[field(wire = "tagKeys", in_query)]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        RULES.check_keys(&self.tag_keys)?;
        TaggedResource::find(cx, &self.resource_arn)?
            .change_tags(cx, |tags| Ok(without(tags, &self.tag_keys)))
    }
}

/// Lists the tags of a registry, schema or discoverer.
#[operation(
    effect = read, output = TagsOfResource, http("GET", "/tags/{resource-arn}", 200),
    subject = "{ResourceArn}", access = read
)]
pub struct ListTagsForResource {
    /// ARN of the resource.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
}

/// Tags of a resource.
#[derive(Record)]
#[record(answer, name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// Tags of the resource.
    #[field(wire = "tags")]
    tags: Option<Map<Text>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let tags = TaggedResource::find(cx, &self.resource_arn)?.tags_mut().take();
        Ok(TagsOfResource { tags: Some(tags.unwrap_or_default()) })
    }
}

async fn list_tags(context: &WorkflowContext, arn: &str) -> Result<TagsOfResource> {
    context.call(ListTagsForResource::new(arn)).await
}

async fn current_tags(context: &WorkflowContext, arn: &str) -> Result<Map<Text>> {
    Ok(list_tags(context, arn).await?.tags.unwrap_or_default())
}

nephos_core::tag_operations!(pub(super) Tagging: Map<Text>, TagResource, UntagResource, current = current_tags);

nephos_core::tag_calls! {
    Tagging, tags: Map<Text>, list: list_tags => TagsOfResource;
    Registry by "RegistryArn": RegistryTag, RegistryUntag, RegistryListTags;
    Schema by "SchemaArn": SchemaTag, SchemaUntag, SchemaListTags;
    Discoverer by "DiscovererArn": DiscovererTag, DiscovererUntag, DiscovererListTags;
}
