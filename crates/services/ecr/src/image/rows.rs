//! Rows of images: facts, manifests, tags, listed IDs, and links between contents.

use super::{ImageDetail, ImageIdentifier};
use crate::{Repository, errors};
use nephos_cloud::{Direction, Scope, Stored, StoredResource, Tx};
use nephos_core::{Record, Result, Text};

/// Row of a manifest.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ManifestRow {
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Digest of the manifest.
    pub(crate) image_digest: Option<Text>,
    /// The manifest.
    pub(crate) image_manifest: Option<Text>,
}

/// Row of a tag.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ImageTagRow {
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Tag.
    pub(crate) image_tag: Option<Text>,
    /// Digest of the image with the tag.
    pub(crate) image_digest: Option<Text>,
}

/// Row of an ID in listings: one for each tag of an image, or one without a tag.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ListedIdRow {
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Digest of the image.
    pub(crate) image_digest: Option<Text>,
    /// Tag; empty for an image without tags.
    pub(crate) image_tag: Option<Text>,
}

/// Row of a link from an image to a content that it needs: a layer, an image in its list, or the image that it is about.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ImageLink {
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Type of the link.
    pub(crate) link_type: Option<Text>,
    /// Digest of the content.
    pub(crate) target: Option<Text>,
    /// Digest of the image.
    pub(crate) image_digest: Option<Text>,
}

nephos_cloud::stored! {
    ImageDetail in "ecr/image" by repository_name, image_digest;
    derived(registry_id) => set_registry
}
nephos_cloud::stored!(ManifestRow in "ecr/manifest" by repository_name, image_digest);
nephos_cloud::stored!(ImageTagRow in "ecr/image-tag" by repository_name, image_tag);
nephos_cloud::stored!(ListedIdRow in "ecr/listed-image" by repository_name, image_digest, image_tag);
nephos_cloud::stored!(ImageLink in "ecr/image-link" by repository_name, link_type, target, image_digest);

impl ImageDetail {
    fn set_registry(&mut self, scope: &Scope) {
        self.registry_id = Some(scope.account().into());
    }

    /// Returns the listed IDs of the image.
    pub(super) fn listed_ids(&self) -> Vec<ListedIdRow> {
        let row = |tag: Text| ListedIdRow {
            repository_name: self.repository_name.clone(),
            image_digest: self.image_digest.clone(),
            image_tag: Some(tag),
        };
        match self.tags() {
            [] => vec![row(Text::default())],
            tags => tags.iter().cloned().map(row).collect(),
        }
    }

    /// Stores the image with these tags instead of its own, and their rows.
    pub(super) fn store_with_tags(mut self, cx: &mut Tx<'_>, tags: Vec<Text>) -> Result<Self> {
        for row in self.listed_ids() {
            cx.remove(&row)?;
        }
        self.image_tags = (!tags.is_empty()).then_some(tags);
        for row in self.listed_ids() {
            cx.put(row)?;
        }
        cx.put(self.clone())?;
        Ok(self)
    }
}

/// Finds the image with this digest.
pub(crate) fn find(cx: &Tx<'_>, repository: &str, digest: &str) -> Result<Option<ImageDetail>> {
    cx.get(&ImageDetail::table(cx.scope()).text(repository).text(digest))
}

/// Finds the digest of the image with this tag.
pub(crate) fn find_tag(cx: &Tx<'_>, repository: &str, tag: &str) -> Result<Option<ImageTagRow>> {
    cx.get(&ImageTagRow::table(cx.scope()).text(repository).text(tag))
}

/// Returns the manifest of an image.
pub(crate) fn manifest_of(cx: &Tx<'_>, image: &ImageDetail) -> Result<Text> {
    let key = ManifestRow::table(cx.scope()).text(image.repository()).text(image.digest());
    let row: Option<ManifestRow> = cx.get(&key)?;
    Ok(row.and_then(|row| row.image_manifest).unwrap_or_default())
}

/// True if a repository has images.
pub(crate) fn has_images(cx: &Tx<'_>, repository: &Repository) -> Result<bool> {
    let range = ImageDetail::table(cx.scope()).text(repository.own_name()).prefix_range();
    Ok(cx.first::<ImageDetail>(&range, Direction::Ascending)?.is_some())
}

/// Finds the image with this digest or tag. If both are given, both must be its own.
pub(crate) fn find_by_id(cx: &Tx<'_>, repository: &str, id: &ImageIdentifier) -> Result<Option<ImageDetail>> {
    let tagged = match &id.image_tag {
        Some(tag) => match find_tag(cx, repository, tag)? {
            None => return Ok(None),
            found => found.and_then(|row| row.image_digest),
        },
        None => None,
    };
    let digest = match (tagged, &id.image_digest) {
        (Some(tagged), Some(digest)) if tagged != *digest => return Ok(None),
        (Some(tagged), _) => tagged,
        (None, Some(digest)) => digest.clone(),
        (None, None) => return Ok(None),
    };
    find(cx, repository, &digest)
}

/// Finds the image with this digest or tag, or refuses.
pub(crate) fn require(cx: &Tx<'_>, repository: &str, id: &ImageIdentifier) -> Result<ImageDetail> {
    let missing = || {
        let text = |value: &Option<Text>| value.clone().unwrap_or_else(|| "null".into());
        let (digest, tag) = (text(&id.image_digest), text(&id.image_tag));
        errors::image_not_found(digest, tag, repository, cx.scope().account()).with_field("imageId")
    };
    find_by_id(cx, repository, id)?.ok_or_else(missing)
}
