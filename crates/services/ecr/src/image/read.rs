//! Reads of images: manifests, facts and IDs.

use super::{Image, ImageDetail, ImageIdentifier, ImageStatus, ListedIdRow, rows};
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors,
    paging::Page,
    registry, repository, scan,
};
use nephos_cloud::{Handler, Stored, Tx, Work};
use nephos_core::{
    Choice, Error, ErrorKind, Record, Result, SignedDuration, Slot, Text, choices,
    field_value::choice_from_text, operation,
};

choices! {
    /// Reason why an image of a batch was not found or deleted.
    #[derive(Eq)]
    pub enum ImageFailureCode {
        /// The digest is malformed.
        InvalidImageDigest = "InvalidImageDigest",
        /// The tag is malformed.
        InvalidImageTag = "InvalidImageTag",
        /// The image with the tag has another digest.
        ImageTagDoesNotMatchDigest = "ImageTagDoesNotMatchDigest",
        /// The image does not exist.
        ImageNotFound = "ImageNotFound",
        /// Neither a digest nor a tag is given.
        MissingDigestAndTag = "MissingDigestAndTag",
        /// A list of manifests needs the image.
        ImageReferencedByManifestList = "ImageReferencedByManifestList",
        /// The key of the repository cannot be used.
        KmsError = "KmsError",
        /// The upstream registry denied access.
        UpstreamAccessDenied = "UpstreamAccessDenied",
        /// The upstream registry limits the rate.
        UpstreamTooManyRequests = "UpstreamTooManyRequests",
        /// The upstream registry is not available.
        UpstreamUnavailable = "UpstreamUnavailable",
        /// The image cannot be read.
        ImageInaccessible = "ImageInaccessible",
    }
}

/// An image of a batch that was not found or deleted.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct ImageFailure {
    /// Digest and tag of the request.
    image_id: Option<ImageIdentifier>,
    /// Reason as a code.
    failure_code: Option<ImageFailureCode>,
    /// Reason as a text.
    failure_reason: Option<Text>,
}

impl ImageFailure {
    /// Returns an error as the failure of one image.
    pub(super) fn new(id: &ImageIdentifier, error: &Error) -> Self {
        Self {
            image_id: Some(id.clone()),
            failure_code: Some(choice_from_text(error.code())),
            failure_reason: Some(error.message().into()),
        }
    }

    /// True if the image does not exist.
    pub(super) fn is_missing(&self) -> bool {
        self.failure_code == Some(ImageFailureCode::ImageNotFound)
    }

    /// Returns the failure as an error about the image in a parameter.
    pub(super) fn into_error(self, parameter: &str) -> Error {
        use ImageFailureCode::{ImageTagDoesNotMatchDigest, InvalidImageDigest, InvalidImageTag};
        let reason = self.failure_reason.as_deref().unwrap_or_default();
        let code = self.failure_code.as_ref().map(Choice::as_str).unwrap_or_default();
        let error = match errors::ALL.iter().find(|known| known.code == code) {
            Some(known) => known.with_message(reason),
            None => Error::new(ErrorKind::Internal, reason).with_wire_code(code, 400),
        };
        let hint = self.image_id.and_then(|id| id.image_tag.or(id.image_digest)).unwrap_or_default();
        let member = match self.failure_code {
            Some(InvalidImageDigest) => ".imageDigest",
            Some(InvalidImageTag | ImageTagDoesNotMatchDigest) => ".imageTag",
            _ => "",
        };
        error.with_field(format!("{parameter}{member}")).with_hint(hint.as_str())
    }
}

/// Returns the first failure as an error, if there is one.
pub(super) fn check_none_failed(failures: Option<&Vec<ImageFailure>>, parameter: &str) -> Result<()> {
    match failures.and_then(|failures| failures.first()) {
        Some(failure) => Err(failure.clone().into_error(parameter)),
        None => Ok(()),
    }
}

/// Finds the image of a batch, or the reason why not.
pub(super) fn check_id(
    cx: &Tx<'_>,
    repository: &str,
    id: &ImageIdentifier,
) -> Result<std::result::Result<ImageDetail, ImageFailure>> {
    let failure = |error: &Error| Ok(Err(ImageFailure::new(id, error)));
    match &id.image_digest {
        None if id.image_tag.is_none() => return failure(&errors::image_unnamed()),
        Some(digest) if !is_digest(digest) => return failure(&errors::image_digest_invalid()),
        _ => {}
    }
    if let Some(image) = rows::find_by_id(cx, repository, id)? {
        return Ok(Ok(image));
    }
    let is_tag_of_other = match (&id.image_digest, &id.image_tag) {
        (Some(_), Some(tag)) => rows::find_tag(cx, repository, tag)?.is_some(),
        _ => false,
    };
    failure(&if is_tag_of_other { errors::image_tag_differs() } else { errors::image_of_batch_not_found() })
}

/// True for a text with the form of a digest of any algorithm.
pub(crate) fn is_digest(text: &str) -> bool {
    let is_name = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_+.".contains(&byte))
    };
    let is_hex = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    text.split_once(':').is_some_and(|(name, digits)| is_name(name) && is_hex(digits))
}

/// Images of a batch.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct FoundImages {
    /// Images that were found.
    pub(crate) images: Option<Vec<Image>>,
    /// Images that were not found, with reasons.
    pub(crate) failures: Option<Vec<ImageFailure>>,
}

/// Returns images with their manifests.
#[operation(
    of = Repository, case = "camel", needs(repository_name), include(RegistryId), effect = read,
    output = FoundImages
)]
pub struct BatchGetImage {
    /// Digests or tags of the images.
    #[field(length(1..=100))]
    pub image_ids: Vec<ImageIdentifier>,
    /// Media types of manifests that the caller understands; all if they are not given.
    #[field(length(1..=100))]
    pub accepted_media_types: Option<Vec<Text>>,
}

impl Handler for BatchGetImage {
    fn run(self, cx: &mut Tx<'_>) -> Result<FoundImages> {
        run_in_registry(cx, self, |operation, cx| {
            repository::require(cx, &operation.repository_name)?;
            let mut images = Vec::new();
            let mut failures = Vec::new();
            for id in &operation.image_ids {
                match check_id(cx, &operation.repository_name, id)? {
                    Err(failure) => failures.push(failure),
                    Ok(image) if image.is_archived() => {
                        failures.push(ImageFailure::new(id, &errors::image_inaccessible()));
                    }
                    Ok(image) if !operation.accepts(&image) => {
                        failures.push(ImageFailure::new(id, &errors::image_of_batch_not_found()));
                    }
                    Ok(image) => {
                        record_pull(cx, &image)?;
                        images.push(image.with_manifest(cx, id.image_tag.clone())?);
                    }
                }
            }
            Ok(FoundImages { images: Some(images), failures: Some(failures) })
        })
    }
}

impl BatchGetImage {
    fn accepts(&self, image: &ImageDetail) -> bool {
        let is_own = |accepted: &Text| Some(accepted) == image.image_manifest_media_type.as_ref();
        self.accepted_media_types.as_ref().is_none_or(|accepted| accepted.iter().any(is_own))
    }
}

impl ImageDetail {
    /// Returns the image with its manifest, found by the tag.
    fn with_manifest(&self, cx: &Tx<'_>, tag: Option<Text>) -> Result<Image> {
        Ok(Image {
            repository_name: self.repository_name.clone(),
            image_id: Some(ImageIdentifier::new(self.image_digest.clone(), tag)),
            registry_id: self.registry_id.clone(),
            image_manifest: Some(rows::manifest_of(cx, self)?),
            image_manifest_media_type: self.image_manifest_media_type.clone(),
            name: None,
            slot: Slot::default(),
        })
    }
}

/// Records the pull of an image. It is bookkeeping after the answer.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct RecordPull {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Digest of the image.
    image_digest: Option<Text>,
}

/// The time of a pull is recorded once in this time.
const PULL_PRECISION: SignedDuration = SignedDuration::from_hours(24);

/// Records the pull of an image, if the last recorded one is long ago.
pub(crate) fn record_pull(cx: &mut Tx<'_>, image: &ImageDetail) -> Result<()> {
    let is_recent = |last: nephos_core::Timestamp| cx.now().duration_since(last) < PULL_PRECISION;
    if image.last_recorded_pull_time.is_some_and(is_recent) {
        return Ok(());
    }
    let (repository_name, image_digest) = (image.repository_name.clone(), image.image_digest.clone());
    cx.schedule_after_answer(&RecordPull { repository_name, image_digest })
}

impl Work for RecordPull {
    const NAME: &'static str = "ecr/record-pull";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.unwrap_or_default();
        let digest = self.image_digest.unwrap_or_default();
        let Some(mut image) = rows::find(cx, &repository, &digest)? else { return Ok(()) };
        image.last_recorded_pull_time = Some(cx.now());
        cx.put(image)
    }
}

choices! {
    /// Images with or without tags.
    #[derive(Eq)]
    pub enum TagStatus {
        /// Images with tags.
        Tagged = "TAGGED",
        /// Images without tags.
        Untagged = "UNTAGGED",
        /// All images.
        Any = "ANY",
    }
}

choices! {
    /// Storage of images in a filter.
    #[derive(Eq)]
    pub enum ImageStatusFilter {
        /// Images that can be pulled.
        Active = "ACTIVE",
        /// Images in the archive.
        Archived = "ARCHIVED",
        /// Images that are being brought back from the archive.
        Activating = "ACTIVATING",
        /// All images.
        Any = "ANY",
    }
}

/// Filter of a listing of images.
#[derive(Record)]
#[record(case = "camel")]
pub struct ImagesFilter {
    /// Images with or without tags; all by default.
    tag_status: Option<TagStatus>,
    /// Storage of the images.
    image_status: Option<ImageStatusFilter>,
}

impl ImagesFilter {
    fn matches(&self, is_tagged: bool, status: Option<&ImageStatus>) -> bool {
        let tags = match self.tag_status {
            Some(TagStatus::Tagged) => is_tagged,
            Some(TagStatus::Untagged) => !is_tagged,
            _ => true,
        };
        let status = status.unwrap_or(&ImageStatus::Active);
        let storage = match &self.image_status {
            None | Some(ImageStatusFilter::Any) => true,
            Some(wanted) => wanted.as_str() == status.as_str(),
        };
        tags && storage
    }
}

/// Describes images, in order of their digests, or those with the given IDs.
#[operation(
    of = Repository, case = "camel", call = "describe_images", needs(repository_name), page(image_details: ImageDetail, next_token),
    include(RegistryId, Page), effect = read, access = list
)]
pub struct DescribeImages {
    /// Digests or tags of the images; all if they are not given.
    #[field(length(1..=100))]
    pub image_ids: Option<Vec<ImageIdentifier>>,
    /// Filter of the images.
    pub filter: Option<ImagesFilter>,
}

impl Handler for DescribeImages {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let name = &operation.repository_name;
            let repository = repository::require(cx, name)?;
            let scanning = registry::scanning_of(cx, &repository)?;
            let with_scan = |image: ImageDetail| scan::add_to_detail(cx, &scanning, image);
            let matches = |image: &ImageDetail| {
                let filter = operation.filter.as_ref();
                filter.is_none_or(|filter| {
                    filter.matches(!image.tags().is_empty(), image.image_status.as_ref())
                })
            };
            let Some(ids) = &operation.image_ids else {
                let rows = ImageDetail::table(cx.scope()).text(name);
                let page = cx.page_rows(&operation, &rows, |image: ImageDetail| {
                    Some(image).filter(&matches).map(with_scan).transpose()
                });
                return Ok(page?.into());
            };
            let mut found: Vec<ImageDetail> = Vec::new();
            for id in ids {
                let image = rows::require(cx, name, id)?;
                if matches(&image) && !found.iter().any(|other| other.image_digest == image.image_digest) {
                    found.push(with_scan(image)?);
                }
            }
            Ok(cx.page_list(&operation, found)?.into())
        })
    }
}

/// Lists the IDs of images: one for each tag, or one without a tag.
#[operation(
    of = Repository, case = "camel", needs(repository_name), page(image_ids: ImageIdentifier, next_token),
    include(RegistryId, Page), effect = read
)]
pub struct ListImages {
    /// Filter of the images.
    pub filter: Option<ImagesFilter>,
}

impl Handler for ListImages {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let name = &operation.repository_name;
            repository::require(cx, name)?;
            let rows = ListedIdRow::table(cx.scope()).text(name);
            let page = cx.page_rows(&operation, &rows, |row: ListedIdRow| {
                let tag = row.image_tag.filter(|tag| !tag.is_empty());
                let filter = operation.filter.as_ref();
                let matches = filter.is_none_or(|filter| filter.matches(tag.is_some(), None));
                Ok(matches.then_some(ImageIdentifier::new(row.image_digest, tag)))
            })?;
            Ok(page.into())
        })
    }
}
