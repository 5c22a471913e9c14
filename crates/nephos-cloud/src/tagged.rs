//! Resources with tags of all services, for tools that ask for them by their tags.

use crate::{Service, Stored, Tx};
use nephos_core::{Arn, Map, Request, Result, Text, record::Fields, shape::Identity, tags};

/// Tags of the resources of a service, by ARN.
#[derive(Clone, Copy)]
pub struct TaggedResources {
    /// Returns the resources of the account and Region that have tags.
    pub list: fn(&Tx<'_>) -> Result<Vec<TaggedResource>>,
    /// Makes the request of the service that adds tags to a resource; tags with the same keys are replaced.
    pub add: fn(arn: &str, &Map<Text>) -> Result<Request>,
    /// Makes the request of the service that removes the tags with these keys from a resource.
    pub remove: fn(arn: &str, &[Text]) -> Result<Request>,
}

impl std::fmt::Debug for TaggedResources {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TaggedResources")
    }
}

/// A resource that has tags.
#[derive(Clone, Debug, PartialEq)]
pub struct TaggedResource {
    /// ARN of the resource.
    pub arn: Text,
    /// Its tags.
    pub tags: Map<Text>,
}

impl TaggedResource {
    /// Creates the entry of a resource; none if it has no tags.
    pub fn new(arn: impl Into<Text>, tags: Map<Text>) -> Option<Self> {
        (!tags.is_empty()).then(|| Self { arn: arn.into(), tags })
    }
}

/// Returns the stored resources of a kind that have tags. The rows have their ARNs.
pub fn tagged_rows<K: Stored>(cx: &Tx<'_>) -> Result<Vec<TaggedResource>> {
    let rows: Vec<K> = cx.all(&K::table(cx.scope()))?;
    Ok(rows.iter().filter_map(|row| TaggedResource::new(arn_of(row)?, tags::known(row))).collect())
}

/// Returns the value of the field with the ARN of a model.
pub fn arn_of(model: &dyn Fields) -> Option<Text> {
    let Identity::Path([name]) = model.kind()?.arn else { return None };
    let (index, _) = model.shape().field(name)?;
    model.field(index).view().as_text().map(Text::new)
}

impl Tx<'_> {
    /// Returns the resources of all services that have tags, in order of their ARNs. Resources of global services belong to one
    /// Region.
    pub fn tagged_resources(&mut self) -> Result<Vec<TaggedResource>> {
        let mut found = Vec::new();
        for service in self.services {
            let Some(tagged) = service.tagged else { continue };
            if service.shape.signing_region(self.scope.region()) == self.scope.region() {
                found.extend(self.as_service(service, |cx| (tagged.list)(cx))?);
            }
        }
        found.sort_by(|one: &TaggedResource, other| one.arn.cmp(&other.arn));
        Ok(found)
    }

    /// Adds tags to the resource with this ARN, if the caller may do that by the operation of its service; none if no service here has
    /// such resources.
    pub fn add_tags(&mut self, arn: &str, tags: &Map<Text>) -> Result<Option<()>> {
        self.change_tags(arn, |tagged| (tagged.add)(arn, tags))
    }

    /// Removes tags from the resource with this ARN, if the caller may do that by the operation of its service; none if no service
    /// here has such resources.
    pub fn remove_tags(&mut self, arn: &str, keys: &[Text]) -> Result<Option<()>> {
        self.change_tags(arn, |tagged| (tagged.remove)(arn, keys))
    }

    fn change_tags(
        &mut self,
        arn: &str,
        request: impl FnOnce(TaggedResources) -> Result<Request>,
    ) -> Result<Option<()>> {
        let Some((service, tagged)) = self.service_of_arn(arn) else { return Ok(None) };
        let request = request(tagged)?;
        self.check_access(&request)?;
        self.as_service(service, |cx| service.run(request, cx)).map(|_| Some(()))
    }

    fn service_of_arn(&self, arn: &str) -> Option<(&'static Service, TaggedResources)> {
        let service = self.service_of(&Arn::read(arn)?)?;
        Some((service, service.tagged?))
    }
}
