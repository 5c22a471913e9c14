//! Operations on the tags of resources of all services.

use crate::errors;
use nephos_cloud::{Handler, TaggedResource, Tx};
use nephos_core::{
    Arn, Error, Map, Record, Result, Tag, Text, choices, field_value::choice_from_text, operation,
};
use std::collections::BTreeSet;

/// Maximum number of tags of a resource.
const MAX_TAGS: i64 = 50;

/// A condition on the tags of a resource.
#[derive(Record)]
pub struct TagFilter {
    /// Key of a tag.
    #[field(length(1..=128))]
    key: Option<Text>,
    /// Values, of which the tag has one; any value if there are none.
    #[field(length(..=20), each(length(..=256)))]
    values: Option<Vec<Text>>,
}

impl TagFilter {
    fn matches(&self, resource: &TaggedResource) -> bool {
        let Some(key) = &self.key else { return true };
        let values = self.values.as_deref().unwrap_or_default();
        resource.tags.get(key).is_some_and(|value| values.is_empty() || values.contains(value))
    }
}

/// Compliance of a resource with the tag policies of an organization.
#[derive(Record)]
#[record(answer)]
pub struct ComplianceDetails {
    /// Keys that are not spelled as a policy says.
    noncompliant_keys: Option<Vec<Text>>,
    /// Keys with values that a policy does not allow.
    keys_with_noncompliant_values: Option<Vec<Text>>,
    /// Keys that a policy requires.
    missing_tag_keys: Option<Vec<Text>>,
    /// True if the resource complies.
    compliance_status: Option<bool>,
}

/// A resource and its tags.
#[derive(Record)]
#[record(answer)]
pub struct ResourceTagMapping {
    /// ARN of the resource.
    #[field(name = "ResourceARN")]
    resource_arn: Option<Text>,
    /// Tags.
    tags: Option<Vec<Tag>>,
    /// Compliance with tag policies. There are none here, so every resource complies.
    compliance_details: Option<ComplianceDetails>,
}

/// Returns the resources of the account and Region that have tags, in order of their ARNs.
#[operation(
    page(resource_tag_mapping_list: ResourceTagMapping, pagination_token), effect = read, subject = "*"
)]
pub struct GetResources {
    /// Pagination token of the previous page.
    #[field(page_token, length(..=2048))]
    pub pagination_token: Option<Text>,
    /// Conditions on the tags, all of which must hold.
    #[field(length(..=50))]
    pub tag_filters: Option<Vec<TagFilter>>,
    /// Maximum number of resources on a page; 50 by default.
    #[field(page_size = 50, range(1..=100))]
    pub resources_per_page: Option<i64>,
    /// Maximum number of tags on a page, instead of a number of resources.
    pub tags_per_page: Option<i64>,
    /// Services, or services and types of resources: `ec2`, `ec2:instance`.
    #[field(length(..=100), each(length(..=256)))]
    pub resource_type_filters: Option<Vec<Text>>,
    /// Also returns the compliance with tag policies.
    pub include_compliance_details: Option<bool>,
    /// Returns only resources that do not comply with tag policies.
    pub exclude_compliant_resources: Option<bool>,
    /// ARNs of the resources, instead of conditions.
    #[field(name = "ResourceARNList", length(1..=100), each(length(1..=1011)))]
    pub resource_arn_list: Option<Vec<Text>>,
}

impl GetResources {
    fn check(&self) -> Result<()> {
        if self.resource_arn_list.is_some() {
            let others = [
                ("TagFilters", self.tag_filters.is_some()),
                ("ResourceTypeFilters", self.resource_type_filters.is_some()),
                ("ResourcesPerPage", self.resources_per_page.is_some()),
                ("TagsPerPage", self.tags_per_page.is_some()),
            ];
            if let Some((other, _)) = others.into_iter().find(|(_, is_given)| *is_given) {
                return Err(errors::list_and_filters(other).with_field(other));
            }
        }
        if let Some(count) = self.tags_per_page {
            if self.resources_per_page.is_some() {
                return Err(errors::page_sizes().with_field("TagsPerPage"));
            }
            if !(100..=500).contains(&count) || count % 100 != 0 {
                return Err(errors::tags_per_page().with_field("TagsPerPage"));
            }
        }
        if self.exclude_compliant_resources == Some(true) && self.include_compliance_details != Some(true) {
            return Err(errors::details_missing().with_field("ExcludeCompliantResources"));
        }
        Ok(())
    }

    fn is_wanted(&self, resource: &TaggedResource) -> bool {
        let types = self.resource_type_filters.as_deref().unwrap_or_default();
        let filters = self.tag_filters.as_deref().unwrap_or_default();
        self.exclude_compliant_resources != Some(true)
            && self.resource_arn_list.as_ref().is_none_or(|arns| arns.contains(&resource.arn))
            && (types.is_empty() || types.iter().any(|filter| has_type(&resource.arn, filter)))
            && filters.iter().all(|filter| filter.matches(resource))
    }
}

/// True if the resource is of a service, or of a service and type: `ec2`, `ec2:instance`.
fn has_type(arn: &str, filter: &str) -> bool {
    let (service, kind) = filter.split_once(':').unwrap_or((filter, ""));
    let Some([_, of_service, _, _, resource]) = Arn::parts(arn) else { return false };
    let rest = resource.strip_prefix(kind);
    service == of_service && rest.is_some_and(|rest| kind.is_empty() || rest.starts_with(['/', ':']))
}

impl Handler for GetResources {
    fn run(mut self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        self.check()?;
        let mut found = cx.tagged_resources()?;
        found.retain(|resource| self.is_wanted(resource));
        // A resource has at most fifty tags, so this many resources have no more tags than a page may have.
        let most = self.tags_per_page.map(|tags| tags / MAX_TAGS);
        self.resources_per_page = self.resources_per_page.or(most);
        let (page, next) = cx.page_items(&self, found, |resource| resource.arn.clone())?;
        let details = || ComplianceDetails {
            noncompliant_keys: None,
            keys_with_noncompliant_values: None,
            missing_tag_keys: None,
            compliance_status: Some(true),
        };
        let mapping = |resource: TaggedResource| ResourceTagMapping {
            resource_arn: Some(resource.arn),
            tags: Some(resource.tags.into_iter().map(Tag::from).collect()),
            compliance_details: (self.include_compliance_details == Some(true)).then(details),
        };
        Ok((page.into_iter().map(mapping).collect::<Vec<_>>(), next).into())
    }
}

/// Pagination of listings without a size.
#[derive(Record)]
#[record(shared)]
pub struct Paged {
    /// Pagination token of the previous page.
    #[field(page_token, length(..=2048))]
    pagination_token: Option<Text>,
}

/// Returns the keys of all tags of the account and Region, sorted.
#[operation(page(tag_keys: Text, pagination_token), include(Paged), effect = read, subject = "*")]
pub struct GetTagKeys {}

impl Handler for GetTagKeys {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let found = cx.tagged_resources()?;
        let keys: BTreeSet<_> = found.iter().flat_map(|resource| resource.tags.keys().cloned()).collect();
        Ok(cx.page_items(&self, keys, Text::clone)?.into())
    }
}

/// Returns the values that a tag has in the account and Region, sorted.
#[operation(page(tag_values: Text, pagination_token), include(Paged), effect = read, subject = "*")]
pub struct GetTagValues {
    /// Key of the tag.
    #[field(length(1..=128))]
    pub key: Text,
}

impl Handler for GetTagValues {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let found = cx.tagged_resources()?;
        let values: BTreeSet<_> =
            found.iter().filter_map(|resource| resource.tags.get(&self.key).cloned()).collect();
        Ok(cx.page_items(&self, values, Text::clone)?.into())
    }
}

choices! {
    /// Code of the failure of one resource: one of these, or a code of the service of the resource.
    pub enum FailureCode {
        /// The service of the resource failed.
        InternalServiceException,
        /// The resource or a tag is invalid.
        InvalidParameterException,
    }
}

/// Failure of one resource.
#[derive(Record)]
#[record(answer)]
pub struct FailureInfo {
    /// Status of the answer of its service.
    status_code: Option<i64>,
    /// Code.
    error_code: Option<FailureCode>,
    /// Text of the error.
    error_message: Option<Text>,
}

impl FailureInfo {
    fn new(error: &Error) -> Self {
        let is_fault = error.status() >= 500;
        Self {
            status_code: Some(i64::from(error.status())),
            error_code: Some(match is_fault {
                true => FailureCode::InternalServiceException,
                false => choice_from_text(error.code()),
            }),
            error_message: Some(error.wire_message().into()),
        }
    }
}

/// Resources of a request.
#[derive(Record)]
#[record(shared)]
pub struct ResourceList {
    /// ARNs of the resources.
    #[field(required, name = "ResourceARNList", length(1..=20), each(length(1..=1011)))]
    resource_arn_list: Option<Vec<Text>>,
}

/// Changes each resource by itself; returns the failures.
fn change_each(arns: &[Text], mut change: impl FnMut(&str) -> Result<Option<()>>) -> Map<FailureInfo> {
    let mut failures = Map::default();
    for arn in arns {
        let failure = match change(arn) {
            Ok(Some(())) => continue,
            Ok(None) => FailureInfo::new(&errors::INVALID.with_message(format!("{arn} is not a valid ARN."))),
            Err(error) => FailureInfo::new(&error),
        };
        failures.insert(arn.clone(), failure);
    }
    failures
}

/// Adds tags to resources of any service. Resources that fail, or whose service refuses the change to the caller, are returned, and
/// the others are changed.
#[operation(
    include(ResourceList), wraps(failed_resources_map: Map<FailureInfo>), effect = write, subject = "*"
)]
pub struct TagResources {
    /// Tags to add.
    #[field(length(1..=50))]
    pub tags: Map<Text>,
}

impl Handler for TagResources {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(change_each(&self.resource_arn_list, |arn| cx.add_tags(arn, &self.tags)).into())
    }
}

/// Removes tags from resources of any service. Resources that fail, or whose service refuses the change to the caller, are returned,
/// and the others are changed.
#[operation(
    include(ResourceList), wraps(failed_resources_map: Map<FailureInfo>), effect = write, subject = "*"
)]
pub struct UntagResources {
    /// Keys of the tags to remove.
    #[field(length(1..=50), each(length(1..=128)))]
    pub tag_keys: Vec<Text>,
}

impl Handler for UntagResources {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        Ok(change_each(&self.resource_arn_list, |arn| cx.remove_tags(arn, &self.tag_keys)).into())
    }
}
