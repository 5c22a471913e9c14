//! Pushes of images.

use super::{
    Image, ImageDetail, ImageIdentifier, ImageStatus, ImageTagRow, ManifestRow, action_event::ImageAction,
    links, manifest::Manifest, rows,
};
use crate::{
    ImageTagMutability, Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors, layer, replication, repository, scan, wildcard,
};
use nephos_cloud::{Handler, StoredResource, Tx};
use nephos_core::{Result, Slot, Text, operation};

/// Stores the manifest of an image, whose layers were uploaded before.
#[operation(
    of = Repository, case = "camel", call = "put_image", needs(repository_name), include(RegistryId), wraps(image: Image), effect = write
)]
pub struct PutImage {
    /// Manifest of the image.
    #[field(like = Image::image_manifest)]
    pub image_manifest: Text,
    /// Media type of the manifest, if the manifest does not have it.
    pub image_manifest_media_type: Option<Text>,
    /// Tag of the image.
    #[field(length(1..=300))]
    pub image_tag: Option<Text>,
    /// Digest that the manifest must have.
    pub image_digest: Option<Text>,
}

impl Handler for PutImage {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        run_in_registry(cx, self, |operation, cx| {
            let repository = repository::require(cx, &operation.repository_name)?;
            let manifest =
                Manifest::read(cx, &operation.image_manifest, operation.image_manifest_media_type.as_ref())?;
            let image = operation.push(cx, &repository, &manifest)?;
            ImageAction::Push.send(cx, &image, operation.image_tag.as_ref())?;
            replication::replicate(cx, &repository, &image)?;
            Ok(Image {
                repository_name: image.repository_name,
                image_id: Some(ImageIdentifier::new(image.image_digest, operation.image_tag)),
                registry_id: image.registry_id,
                image_manifest: Some(operation.image_manifest),
                image_manifest_media_type: Some(manifest.media_type.clone()),
                name: None,
                slot: Slot::default(),
            }
            .into())
        })
    }
}

impl PutImage {
    /// Stores the image with its parsed manifest in a repository. Returns its facts.
    pub(crate) fn push(
        &self,
        cx: &mut Tx<'_>,
        repository: &Repository,
        manifest: &Manifest,
    ) -> Result<ImageDetail> {
        let digest = manifest.digest.clone();
        if self.image_digest.as_ref().is_some_and(|given| *given != digest) {
            return Err(errors::image_digest_differs(&digest).with_field("imageDigest"));
        }
        let name = repository.own_name();
        check_tag(self.image_tag.as_deref())?;
        let size = check_contents(cx, name, manifest)?;
        let existing = rows::find(cx, name, &digest)?;
        let moved = self.check_move(cx, repository, &digest, existing.as_ref())?;
        let is_new = existing.is_none();
        let image = match existing {
            Some(image) => image,
            None => {
                let image = ImageDetail {
                    registry_id: Some(cx.scope().account().into()),
                    repository_name: Some(name.into()),
                    image_digest: Some(digest.clone()),
                    image_tags: None,
                    image_size_in_bytes: Some(size),
                    image_pushed_at: Some(cx.now()),
                    image_scan_status: None,
                    image_scan_findings_summary: None,
                    image_manifest_media_type: Some(manifest.media_type.clone()),
                    artifact_media_type: manifest.artifact_type.clone(),
                    last_recorded_pull_time: None,
                    subject_manifest_digest: manifest.subject.clone(),
                    image_status: Some(ImageStatus::Active),
                    last_archived_at: None,
                };
                links::add(cx, &image, links::LAYER, &manifest.layers)?;
                links::add(cx, &image, links::CHILD, &manifest.children)?;
                links::add(cx, &image, links::SUBJECT, manifest.subject.as_slice())?;
                cx.put(ManifestRow {
                    repository_name: image.repository_name.clone(),
                    image_digest: image.image_digest.clone(),
                    image_manifest: Some(self.image_manifest.clone()),
                })?;
                image
            }
        };
        if let Some(moved) = moved {
            let tags =
                moved.tags().iter().filter(|tag| Some(*tag) != self.image_tag.as_ref()).cloned().collect();
            moved.store_with_tags(cx, tags)?;
        }
        let mut tags = image.tags().to_vec();
        if let Some(tag) = &self.image_tag {
            tags.push(tag.clone());
            cx.put(ImageTagRow {
                repository_name: image.repository_name.clone(),
                image_tag: Some(tag.clone()),
                image_digest: Some(digest),
            })?;
        }
        let image = image.store_with_tags(cx, tags)?;
        if is_new {
            scan::scan_on_push(cx, repository, &image)?;
        }
        Ok(image)
    }

    /// Returns the other image that has the tag now; refuses a push that changes nothing, and a tag that must stay.
    fn check_move(
        &self,
        cx: &Tx<'_>,
        repository: &Repository,
        digest: &Text,
        existing: Option<&ImageDetail>,
    ) -> Result<Option<ImageDetail>> {
        let (name, account) = (repository.own_name(), cx.scope().account());
        let Some(tag) = &self.image_tag else {
            let exists = || errors::image_exists(digest, "null", name, account).with_field("imageManifest");
            return if existing.is_some() { Err(exists()) } else { Ok(None) };
        };
        let Some(current) = rows::find_tag(cx, name, tag)?.and_then(|row| row.image_digest) else {
            return Ok(None);
        };
        if current == *digest {
            return Err(errors::image_exists(digest, tag, name, account).with_field("imageTag"));
        }
        if !repository.can_move(tag) {
            return Err(errors::image_tag_exists(tag, name).with_field("imageTag"));
        }
        rows::find(cx, name, &current)
    }
}

impl Repository {
    /// True if a tag can be moved to another image.
    pub(crate) fn can_move(&self, tag: &str) -> bool {
        let mut filters = self.image_tag_mutability_exclusion_filters.iter().flatten();
        let is_excluded =
            filters.any(|filter| filter.filter().is_some_and(|pattern| wildcard::matches(pattern, tag)));
        match self.image_tag_mutability {
            Some(ImageTagMutability::Immutable) => false,
            Some(ImageTagMutability::ImmutableWithExclusion) => is_excluded,
            Some(ImageTagMutability::MutableWithExclusion) => !is_excluded,
            _ => true,
        }
    }
}

/// Refuses a tag that clients could not ask for.
fn check_tag(tag: Option<&str>) -> Result<()> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    match tag {
        Some(tag) if !tag.bytes().all(is_part) || tag.starts_with(['.', '-']) => {
            let reason = "must satisfy regular expression '[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,299}'";
            Err(errors::invalid_parameter("imageTag", reason).with_field("imageTag"))
        }
        _ => Ok(()),
    }
}

/// Maximum number of digests in the text of an error.
const MAX_LISTED: usize = 100;

/// Returns digests for the text of an error.
fn listed(digests: &[&str]) -> String {
    match digests.get(MAX_LISTED..) {
        None | Some([]) => digests.join(", "),
        Some(others) => format!("{}, and {} others", digests[..MAX_LISTED].join(", "), others.len()),
    }
}

/// Refuses a manifest whose layers or images are not there. Returns the size of the image.
fn check_contents(cx: &Tx<'_>, repository: &str, manifest: &Manifest) -> Result<i64> {
    let account = cx.scope().account();
    let mut size = manifest.size;
    let mut missing = Vec::new();
    for digest in &manifest.layers {
        if layer::find(cx, repository, digest)?.is_none() {
            missing.push(digest.as_str());
        }
    }
    if !missing.is_empty() {
        let refused = errors::layers_required(listed(&missing), repository, account);
        return Err(refused.with_field("imageManifest"));
    }
    for digest in &manifest.children {
        match rows::find(cx, repository, digest)? {
            Some(child) => size = size.max(child.image_size_in_bytes.unwrap_or(0)),
            None => missing.push(digest.as_str()),
        }
    }
    if !missing.is_empty() {
        let refused = errors::images_required(listed(&missing), repository, account);
        return Err(refused.with_field("imageManifest"));
    }
    Ok(size)
}
