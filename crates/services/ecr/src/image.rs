//! Images: manifests under digests and tags.

mod action_event;
mod calls;
mod delete;
pub(crate) mod links;
mod local;
pub(crate) mod manifest;
mod put;
mod read;
mod referrers;
pub(crate) mod rows;
mod uses;

pub use calls::*;
pub use delete::*;
pub use local::*;
pub use put::*;
pub use read::*;
pub use referrers::*;
pub use uses::*;

pub(crate) use delete::{delete_by_digest, remove_all};
pub(crate) use rows::{ImageLink, ImageTagRow, ListedIdRow, ManifestRow, has_images};

use crate::errors;
use nephos_core::{Record, Resource, Result, Slot, Text, Timestamp, WorkflowContext, choices};

/// Digest or tag of an image, or both.
#[derive(Record)]
#[record(case = "camel")]
pub struct ImageIdentifier {
    /// Digest of the manifest.
    pub(crate) image_digest: Option<Text>,
    /// Tag of the image.
    #[field(length(1..=300))]
    pub(crate) image_tag: Option<Text>,
}

impl ImageIdentifier {
    /// Creates the identifier of an image, by its digest, a tag of it, or both.
    pub fn new(image_digest: Option<Text>, image_tag: Option<Text>) -> Self {
        Self { image_digest, image_tag }
    }
}

/// Parameters that name an image.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct OfImage {
    /// Name of the repository.
    #[field(required, from_field = "repositoryName", like = crate::Repository::repository_name)]
    repository_name: Option<Text>,
    /// Digest or tag of the image.
    #[field(required, from_field = "imageId")]
    image_id: Option<ImageIdentifier>,
    /// Account whose registry it is; that of the caller if it is not given.
    #[field(from_field = "registryId", like = crate::access::RegistryId::registry_id)]
    registry_id: Option<Text>,
}

impl OfImage {
    /// Returns the digest of the image, which must exist.
    pub(crate) async fn find_digest(self, context: &WorkflowContext) -> Result<Text> {
        let name = self.repository_name.unwrap_or_default();
        let id = self.image_id.unwrap_or_else(|| ImageIdentifier::new(None, None));
        if let Some(digest) = id.image_digest {
            return Ok(digest);
        }
        let mut get = ImageGet::new(&name, id);
        get.registry_id = self.registry_id;
        let digest = context.run(get).await?.and_then(|found| found.image_id?.image_digest);
        digest.ok_or_else(|| errors::image_missing(name).with_field("imageId"))
    }

    /// Returns the names of the image for container clients: by its tag, and by its digest.
    async fn references(&self, context: &WorkflowContext) -> Result<Vec<Text>> {
        let mut describe = crate::DescribeRepositories::new();
        describe.repository_names = self.repository_name.clone().map(|name| vec![name]);
        describe.registry_id.clone_from(&self.registry_id);
        let found = context.call(describe).await?.repositories.and_then(|found| found.into_iter().next());
        let uri = found.and_then(|repository| repository.repository_uri).unwrap_or_default();
        let id = self.image_id.as_ref();
        let tag = id.and_then(|id| id.image_tag.as_ref());
        let digest = id.and_then(|id| id.image_digest.as_ref());
        let by_tag = tag.map(|tag| Text::from(format!("{uri}:{tag}")));
        let by_digest = digest.map(|digest| Text::from(format!("{uri}@{digest}")));
        Ok(by_tag.into_iter().chain(by_digest).collect())
    }
}

/// An image with its manifest. It is read-only: images are pushed by container clients, or by `PutImage`.
#[derive(Resource)]
#[resource(
    case = "camel",
    name = "name",
    pk("repositoryName", "imageId"),
    derive_fields = derive_name,
    exists_if = "imageManifest",
    not_found = |name| errors::image_missing(name),
    frozen,
    extras,
    relation(repository, one = crate::Repository, with = find_repository),
    relation(vulnerabilities, many = nephos_inspector2::Finding, with = crate::scan::find_vulnerabilities, uncached)
)]
pub struct Image {
    /// Name of the repository.
    #[field(like = crate::Repository::repository_name)]
    pub(crate) repository_name: Option<Text>,
    /// Digest of the image, and the tag that it was found by.
    pub(crate) image_id: Option<ImageIdentifier>,
    /// Account whose registry the image belongs to.
    #[field(pattern = "[0-9]{12}")]
    pub(crate) registry_id: Option<Text>,
    /// Manifest, byte for byte as it was pushed.
    #[field(length(1..=4_194_304))]
    pub(crate) image_manifest: Option<Text>,
    /// Media type of the manifest.
    pub(crate) image_manifest_media_type: Option<Text>,
    /// Name for container clients: the address of the repository, and the tag or else the digest.
    #[field(service_set, not_on_wire)]
    pub(crate) name: Option<Text>,
    slot: Slot,
}

/// Sets the name of an image that came from a registry.
fn derive_name(image: &mut Image) {
    let (Some(repository), Some(id), Some(registry), Some(session)) =
        (&image.repository_name, &image.image_id, &image.registry_id, image.slot.session())
    else {
        return;
    };
    let host = crate::repository::registry_host(registry, session.region());
    image.name = match (&id.image_tag, &id.image_digest) {
        (Some(tag), _) => Some(format!("{host}/{repository}:{tag}").into()),
        (None, Some(digest)) => Some(format!("{host}/{repository}@{digest}").into()),
        (None, None) => None,
    };
}

/// Finds the repository of an image.
async fn find_repository(image: &Image) -> Result<Option<crate::Repository>> {
    let name = image.repository_name.clone().unwrap_or_default();
    let mut get = crate::Repository::objects(image.require_session()?).get(name);
    if let Some(registry) = &image.registry_id {
        get = get.registry_id(registry);
    }
    get.await
}

choices! {
    /// Storage of an image.
    #[derive(Eq)]
    pub enum ImageStatus {
        /// The image can be pulled.
        Active = "ACTIVE",
        /// The image is in the archive.
        Archived = "ARCHIVED",
        /// The image is being brought back from the archive.
        Activating = "ACTIVATING",
    }
}

/// Facts about an image.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageDetail {
    /// Account whose registry the image belongs to.
    pub(crate) registry_id: Option<Text>,
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Digest of the manifest.
    pub(crate) image_digest: Option<Text>,
    /// Tags of the image.
    pub(crate) image_tags: Option<Vec<Text>>,
    /// Size of the image; of a list of manifests, the size of its largest image.
    pub(crate) image_size_in_bytes: Option<i64>,
    /// Time of the push.
    pub(crate) image_pushed_at: Option<Timestamp>,
    /// Status of the scan; absent before the first one, and with enhanced scanning.
    pub(crate) image_scan_status: Option<crate::ImageScanStatus>,
    /// Findings of the scan in numbers.
    pub(crate) image_scan_findings_summary: Option<crate::ImageScanFindingsSummary>,
    /// Media type of the manifest.
    pub(crate) image_manifest_media_type: Option<Text>,
    /// Media type of the artifact.
    pub(crate) artifact_media_type: Option<Text>,
    /// Time of the last pull, with the precision of a day.
    pub(crate) last_recorded_pull_time: Option<Timestamp>,
    /// Digest of the image that this one is about, such as a signature.
    pub(crate) subject_manifest_digest: Option<Text>,
    /// Storage of the image.
    pub(crate) image_status: Option<ImageStatus>,
    /// Time of the last transition to the archive.
    pub(crate) last_archived_at: Option<Timestamp>,
}

impl ImageDetail {
    pub(crate) fn digest(&self) -> &str {
        self.image_digest.as_deref().unwrap_or_default()
    }

    pub(crate) fn repository(&self) -> &str {
        self.repository_name.as_deref().unwrap_or_default()
    }

    pub(crate) fn is_archived(&self) -> bool {
        self.image_status == Some(ImageStatus::Archived)
    }

    pub(crate) fn tags(&self) -> &[Text] {
        self.image_tags.as_deref().unwrap_or_default()
    }
}
