//! Repositories: collections of container images under one name.

mod encryption;
mod operations;
pub(crate) mod policy;
mod settings;

pub use encryption::*;
pub use operations::*;
pub use policy::*;
pub use settings::*;

use crate::errors;
use nephos_cloud::{Addressed, Scope, StoredResource, Tx, own_arn};
use nephos_core::{Record, Resource, Result, Slot, Tag, Text, Timestamp, choices};
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;

choices! {
    /// Tags of images that can be moved to another image.
    #[derive(Eq)]
    pub enum ImageTagMutability {
        /// All tags can be moved.
        Mutable = "MUTABLE",
        /// No tag can be moved.
        Immutable = "IMMUTABLE",
        /// No tag can be moved, except those that match a filter.
        ImmutableWithExclusion = "IMMUTABLE_WITH_EXCLUSION",
        /// All tags can be moved, except those that match a filter.
        MutableWithExclusion = "MUTABLE_WITH_EXCLUSION",
    }
}

choices! {
    /// Type of a filter of tags.
    pub enum ImageTagMutabilityExclusionFilterType {
        /// A pattern in which `*` stands for any characters.
        Wildcard = "WILDCARD",
    }
}

/// Filter of tags that are excluded from the mutability of a repository.
#[derive(Record)]
#[record(case = "camel")]
pub struct ImageTagMutabilityExclusionFilter {
    /// Type of the filter.
    #[field(required)]
    filter_type: Option<ImageTagMutabilityExclusionFilterType>,
    /// Pattern of tags, with at most two `*`.
    #[field(required, length(1..=128), pattern = "^[0-9a-zA-Z._*-]{1,128}$")]
    filter: Option<Text>,
}

/// Scanning of the images of a repository.
#[derive(Record)]
#[record(case = "camel")]
pub struct ImageScanningConfiguration {
    /// True to scan images when they are pushed.
    pub(crate) scan_on_push: Option<bool>,
}

/// A repository: a collection of container images under one name.
#[derive(Resource)]
#[resource(
    case = "camel",
    arn("repositoryArn", "repository/{repositoryName}"),
    name = "repositoryName",
    pk = "repositoryName",
    exists_if = "repositoryArn",
    tags = "Tags",
    not_found = |name| errors::repository_missing(name),
    relation(images, many = crate::Image, with = find_images)
)]
#[cfg_attr(feature = "kms", resource(relation(crypto_key, one = CryptoKey, with = encryption::key_of)))]
pub struct Repository {
    /// Name of the repository, unique within account and Region. It may have namespaces: `team/web`.
    #[field(
        required, fixed, length(2..=256), pattern(
            r"[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*(\/[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*)*", errors::repository_name_invalid
        )
    )]
    pub(crate) repository_name: Option<Text>,
    /// Tags of images that can be moved to another image.
    #[field(required)]
    pub(crate) image_tag_mutability: Option<ImageTagMutability>,
    /// Scanning of images.
    #[field(required)]
    pub(crate) image_scanning_configuration: Option<ImageScanningConfiguration>,
    /// ARN of the repository.
    #[field(service_set)]
    pub(crate) repository_arn: Option<Text>,
    /// Account whose registry the repository belongs to; that of the caller by default.
    #[field(fixed, pattern = "[0-9]{12}")]
    pub(crate) registry_id: Option<Text>,
    /// Address of the repository for container clients.
    #[field(service_set)]
    pub(crate) repository_uri: Option<Text>,
    /// Time of creation.
    #[field(service_set)]
    pub(crate) created_at: Option<Timestamp>,
    /// Filters of tags that are excluded from the mutability, with one of the settings that have exclusions.
    #[field(length(1..=5))]
    pub(crate) image_tag_mutability_exclusion_filters: Option<Vec<ImageTagMutabilityExclusionFilter>>,
    /// Encryption of the images at rest.
    #[field(fixed)]
    pub(crate) encryption_configuration: Option<EncryptionConfiguration>,
    /// Tags.
    #[field(not_in_list, name = "Tags", wire = "tags", not_on_wire)]
    pub(crate) tags: Option<Vec<Tag>>,
    slot: Slot,
}

nephos_cloud::stored! {
    Repository in "ecr/repository" by repository_name;
    derived(repository_arn, registry_id, repository_uri) => set_derived
}

impl Repository {
    /// Sets the fields that follow from the name and the registry.
    fn set_derived(&mut self, scope: &Scope) {
        let name = self.repository_name.as_deref().unwrap_or_default();
        self.repository_uri =
            Some(format!("{}/{name}", registry_host(scope.account(), scope.region())).into());
        self.registry_id = Some(scope.account().into());
        self.repository_arn = own_arn(self, scope);
    }

    /// Sets the scanning that is not given: images are not scanned when they are pushed.
    fn set_scanning(&mut self) {
        let not_given = || ImageScanningConfiguration { scan_on_push: None };
        let scanning = self.image_scanning_configuration.get_or_insert_with(not_given);
        scanning.scan_on_push.get_or_insert(false);
    }
}

/// Lists the images of a repository.
async fn find_images(repository: &Repository) -> Result<Vec<crate::Image>> {
    let images = crate::Image::objects(repository.require_session()?);
    let mut list = images.list(repository.own_name());
    if let Some(registry) = &repository.registry_id {
        list = list.registry_id(registry);
    }
    list.results().all().await
}

/// Name of the host of the registry of an account, for container clients.
pub(crate) fn registry_host(account: &str, region: &str) -> String {
    let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
    format!("{account}.dkr.ecr.{region}.{domain}")
}

/// ARN of the repository with this name in the registry of the scope.
pub(crate) fn arn_of(scope: &Scope, name: &str) -> Text {
    scope.arn(crate::SERVICE.signing, &["repository/", name]).into()
}

/// Finds the repository with this name in the registry of the scope, or refuses.
pub(crate) fn require(cx: &Tx<'_>, name: &str) -> Result<Repository> {
    let missing = || errors::repository_not_found(name, cx.scope().account()).with_field("repositoryName");
    Repository::find_by(cx, &[name])?.ok_or_else(missing)
}
