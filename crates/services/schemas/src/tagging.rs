//! Tags of registries, schemas and discoverers: mappings, under the rules that all kinds share.

use super::{Discoverer, Empty, Registry, SERVICE, discoverer, errors, registry, schema};
use nephos_cloud::{Handler, Tx};
use nephos_core::{
    Arn, Error, Map, Record, Result, Steppable, Steps, TagChange, Text, operation,
    record::Fields,
    tags::{self, MOST},
};

/// Checks tags that a caller hands in for a resource that has none.
pub(super) fn check(given: &Map<Text>) -> Result<()> {
    check_number(given)?;
    tags::check_pairs(given.iter().map(|(key, value)| (key.as_str(), value.as_str())))
        .map_err(|error| error.within("Tags").with_code(&errors::INVALID))
}

fn check_number(tags: &Map<Text>) -> Result<()> {
    let counted = tags.iter().filter(|(key, value)| !tags::is_reserved(key, value)).count();
    if counted > MOST {
        let why = format!("a resource has at most {MOST} tags, not {counted}");
        return Err(errors::INVALID.because(why).with_field("Tags"));
    }
    Ok(())
}

/// What a resource name names.
enum Subject {
    Registry(Registry),
    Schema(schema::Definition),
    Discoverer(Discoverer),
}

impl Subject {
    /// What `arn` names, which must exist.
    fn find(cx: &Tx<'_>, arn: &str) -> Result<Self> {
        let Some([_, "schemas", region, account, resource]) = Arn::parts(arn) else {
            let why = "is not the resource name of a registry, schema or discoverer";
            return Err(errors::INVALID.because(why).with_field("ResourceArn"));
        };
        let missing = || errors::NOT_FOUND.because(format!("there is no {arn}"));
        if (account, region) != (cx.scope().account(), cx.scope().region()) {
            return Err(missing());
        }
        let not_found = |error: Error| match error.kind() {
            nephos_core::ErrorKind::NotFound => missing(),
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

    fn tags(&mut self) -> &mut Option<Map<Text>> {
        match self {
            Self::Registry(registry) => &mut registry.tags,
            Self::Schema(schema) => &mut schema.tags,
            Self::Discoverer(discoverer) => &mut discoverer.tags,
        }
    }

    fn put(self, cx: &mut Tx<'_>) -> Result<Empty> {
        match self {
            Self::Registry(registry) => cx.put(registry)?,
            Self::Schema(schema) => cx.put(schema)?,
            Self::Discoverer(discoverer) => cx.put(discoverer)?,
        }
        Ok(Empty {})
    }
}

/// Puts tags on a registry, schema or discoverer, in place of tags with the same keys.
#[operation(service = SERVICE, effect = write, output = Empty, http("POST", "/tags/{resource-arn}", 204), subject = "{ResourceArn}")]
pub struct TagResource {
    /// The resource name.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
    /// The tags.
    #[field(wire = "tags")]
    pub tags: Map<Text>,
}

impl Handler for TagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        check(&self.tags)?;
        let mut subject = Subject::find(cx, &self.resource_arn)?;
        let tags = subject.tags();
        let mut all = tags.take().unwrap_or_default();
        all.extend(self.tags);
        check_number(&all)?;
        *tags = (!all.is_empty()).then_some(all);
        subject.put(cx)
    }
}

/// Takes tags off a registry, schema or discoverer.
#[operation(service = SERVICE, effect = write, output = Empty, http("DELETE", "/tags/{resource-arn}", 204), subject = "{ResourceArn}")]
pub struct UntagResource {
    /// The resource name.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
    /// The keys of the tags.
    #[field(wire = "tagKeys", in_query)]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<Empty> {
        if let Some(key) = self.tag_keys.iter().find(|key| tags::is_reserved(key, "")) {
            let why = format!("the tag {key} is reserved and cannot be removed");
            return Err(errors::INVALID.because(why).with_field("TagKeys"));
        }
        let mut subject = Subject::find(cx, &self.resource_arn)?;
        let tags = subject.tags();
        let mut all = tags.take().unwrap_or_default();
        self.tag_keys.iter().for_each(|key| drop(all.shift_remove(key)));
        *tags = (!all.is_empty()).then_some(all);
        subject.put(cx)
    }
}

/// The tags of a registry, schema or discoverer.
#[operation(
    service = SERVICE, effect = read, output = TagsOfResource, http("GET", "/tags/{resource-arn}", 200), subject = "{ResourceArn}")]
pub struct ListTagsForResource {
    /// The resource name.
    #[field(wire = "resource-arn", in_path)]
    pub resource_arn: Text,
}

/// The tags of a resource.
#[derive(Record)]
#[record(name = "ListTagsForResourceResponse")]
pub struct TagsOfResource {
    /// The tags.
    #[field(wire = "tags")]
    tags: Option<Map<Text>>,
}

impl Handler for ListTagsForResource {
    fn run(self, cx: &mut Tx<'_>) -> Result<TagsOfResource> {
        let tags = Subject::find(cx, &self.resource_arn)?.tags().take();
        Ok(TagsOfResource { tags: Some(tags.unwrap_or_default()) })
    }
}

/// Makes the change that a caller made to the tags of `model`, which is `current` at the service.
pub(super) async fn retag(
    steps: &Steps,
    arn: &Option<Text>,
    current: &dyn Fields,
    model: &dyn Fields,
) -> Result<()> {
    let arn = arn.clone().unwrap_or_default();
    let (put, removed) = TagChange::of(model).against(&tags::known(current));
    if !removed.is_empty() {
        steps.call(UntagResource::new(arn.clone(), removed)).await?;
    }
    if !put.is_empty() {
        steps.call(TagResource::new(arn, put)).await?;
    }
    Ok(())
}

/// The operations on tags of a kind's manager, which are the same for each.
macro_rules! tag_calls {
    ($module:ident, $kind:ident, $manager:ident, $arn:tt, $what:tt) => {
        #[doc = concat!("Tags of a ", $what, ".")]
        pub mod $module {
            use super::*;
            use crate::$kind;
            use crate::$manager;

            /// Puts tags on the resource, in place of tags with the same keys.
            #[operation(kind = $kind, call = "tag", effect = write, output = ())]
            pub struct Tag {
                /// The resource name.
                pub resource_arn: Text,
                /// The tags.
                pub tags: Map<Text>,
            }

            impl Steppable for Tag {
                async fn run(&self, steps: &Steps) -> Result<()> {
                    steps.call(TagResource::new(self.resource_arn.clone(), self.tags.clone())).await?;
                    Ok(())
                }
            }

            /// Takes tags off the resource.
            #[operation(kind = $kind, call = "untag", effect = write, output = ())]
            pub struct Untag {
                /// The resource name.
                pub resource_arn: Text,
                /// The keys of the tags.
                pub tag_keys: Vec<Text>,
            }

            impl Steppable for Untag {
                async fn run(&self, steps: &Steps) -> Result<()> {
                    steps.call(UntagResource::new(self.resource_arn.clone(), self.tag_keys.clone())).await?;
                    Ok(())
                }
            }

            /// The tags of the resource.
            #[operation(kind = $kind, call = "list_tags", effect = read, output = TagsOfResource, instance)]
            pub struct ListTags {
                /// The resource name.
                #[field(from = $arn)]
                pub resource_arn: Text,
            }

            impl Steppable for ListTags {
                async fn run(&self, steps: &Steps) -> Result<TagsOfResource> {
                    steps.call(ListTagsForResource::new(self.resource_arn.clone())).await
                }
            }
        }
    };
}

tag_calls!(of_registry, Registry, RegistryManager, "RegistryArn", "registry");
tag_calls!(of_schema, Schema, SchemaManager, "SchemaArn", "schema");
tag_calls!(of_discoverer, Discoverer, DiscovererManager, "DiscovererArn", "discoverer");
