//! Deletion of images.

use super::{
    ImageDetail, ImageFailure, ImageIdentifier, ImageTagRow, ManifestRow,
    action_event::ImageAction,
    links,
    manifest::Manifest,
    read::{check_id, check_none_failed},
    rows,
};
use crate::{
    Repository,
    access::{RegistryId, run_in_registry},
    errors, layer, replication, repository, scan,
};
use nephos_cloud::{Handler, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text, operation};

/// Result of a deletion of images.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct DeletedImages {
    /// Digests and tags that were deleted.
    image_ids: Option<Vec<ImageIdentifier>>,
    /// Digests and tags that were not deleted, with reasons.
    failures: Option<Vec<ImageFailure>>,
}

impl DeletedImages {
    /// Returns the first failure as an error, if there is one.
    pub(super) fn check(&self) -> Result<()> {
        check_none_failed(self.failures.as_ref(), "imageId")
    }

    /// Reason why the first image was not deleted.
    pub(crate) fn failure_reason(&self) -> Option<Text> {
        self.failures.as_ref()?.first()?.failure_reason().map(Text::from)
    }
}

/// Deletes images. By tag, the tag is removed, and the image if it was the last one; by digest, the image with all its tags.
#[operation(
    of = Repository, case = "camel", needs(repository_name), include(RegistryId), effect = write,
    output = DeletedImages
)]
pub struct BatchDeleteImage {
    /// Digests or tags of the images.
    #[field(length(1..=100))]
    pub image_ids: Vec<ImageIdentifier>,
}

impl Handler for BatchDeleteImage {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeletedImages> {
        run_in_registry(cx, self, |operation, cx| {
            repository::require(cx, &operation.repository_name)?;
            let mut deleted = Vec::new();
            let mut failures = Vec::new();
            for id in operation.image_ids {
                match delete(cx, &operation.repository_name, &id)? {
                    Ok(ids) => deleted.extend(ids),
                    Err(failure) => failures.push(failure),
                }
            }
            Ok(DeletedImages { image_ids: Some(deleted), failures: Some(failures) })
        })
    }
}

/// Deletes an image or a tag; returns the deleted IDs, or the reason why not.
fn delete(
    cx: &mut Tx<'_>,
    repository: &str,
    id: &ImageIdentifier,
) -> Result<std::result::Result<Vec<ImageIdentifier>, ImageFailure>> {
    let image = match check_id(cx, repository, id)? {
        Ok(image) => image,
        Err(failure) => return Ok(Err(failure)),
    };
    let digest = image.image_digest.clone();
    let is_last = match &id.image_tag {
        Some(tag) => image.tags() == std::slice::from_ref(tag),
        None => true,
    };
    if is_last {
        let lists = links::images_with(cx, repository, links::CHILD, image.digest())?;
        if !lists.is_empty() {
            return Ok(Err(ImageFailure::new(id, &errors::image_referenced(lists.join(", ")))));
        }
    }
    let tags: Vec<Text> = match &id.image_tag {
        Some(tag) => vec![tag.clone()],
        None => image.tags().to_vec(),
    };
    for tag in &tags {
        let tag = Some(tag.clone());
        cx.remove(&ImageTagRow {
            repository_name: Some(repository.into()),
            image_tag: tag,
            image_digest: None,
        })?;
    }
    ImageAction::Delete.send(cx, &image, id.image_tag.as_ref())?;
    if is_last {
        remove(cx, &image)?;
    } else {
        let left = image.tags().iter().filter(|tag| !tags.contains(tag)).cloned().collect();
        image.store_with_tags(cx, left)?;
    }
    Ok(Ok(match tags.is_empty() {
        true => vec![ImageIdentifier::new(digest, None)],
        false => tags.into_iter().map(|tag| ImageIdentifier::new(digest.clone(), Some(tag))).collect(),
    }))
}

/// Deletes the image with this digest; false if it stays, because a list needs it.
pub(crate) fn delete_by_digest(cx: &mut Tx<'_>, repository: &str, digest: &str) -> Result<bool> {
    let id = ImageIdentifier::new(Some(digest.into()), None);
    Ok(delete(cx, repository, &id)?.is_ok())
}

/// Removes an image with its manifest, and the layers that no other image needs.
fn remove(cx: &mut Tx<'_>, image: &ImageDetail) -> Result<()> {
    let text = rows::manifest_of(cx, image)?;
    let manifest = Manifest::parse(&text, image.image_manifest_media_type.as_deref())?;
    links::remove(cx, image, links::LAYER, &manifest.layers)?;
    links::remove(cx, image, links::CHILD, &manifest.children)?;
    links::remove(cx, image, links::SUBJECT, manifest.subject.as_slice())?;
    for row in image.listed_ids() {
        cx.remove(&row)?;
    }
    let row = ManifestRow {
        repository_name: image.repository_name.clone(),
        image_digest: image.image_digest.clone(),
        image_manifest: None,
    };
    cx.remove(&row)?;
    scan::remove(cx, image)?;
    replication::remove(cx, image)?;
    cx.remove(image)
}

/// Removes all images, layers and uploads of a repository.
pub(crate) fn remove_all(cx: &mut Tx<'_>, repository: &Repository) -> Result<()> {
    let name = repository.own_name();
    for image in cx.all::<ImageDetail>(&ImageDetail::table(cx.scope()).text(name))? {
        remove(cx, &image)?;
    }
    let tags = ImageTagRow::table(cx.scope()).text(name);
    cx.remove_all(&tags.prefix_range())?;
    scan::remove_all(cx, repository)?;
    layer::remove_all(cx, name)
}
