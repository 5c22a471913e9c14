//! Layers of images: blobs that are uploaded in parts.

mod availability;
mod upload;

pub use availability::*;
pub use upload::*;

use crate::image::links;
use nephos_cloud::{BlobDigest, Scope, Stored, Tx, Work};
use nephos_core::{Record, Result, SignedDuration, Text};

/// Time after which an upload, or a layer that no image needs, is removed.
const UNUSED_TIME: SignedDuration = SignedDuration::from_hours(24);

/// Row of a layer, or of a configuration, in a repository.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct LayerRow {
    /// Name of the repository.
    pub(crate) repository_name: Option<Text>,
    /// Digest of the content.
    pub(crate) layer_digest: Option<Text>,
    /// Size of the content.
    pub(crate) layer_size: Option<i64>,
}

nephos_cloud::stored!(LayerRow in "ecr/layer" by repository_name, layer_digest);

/// Name of the user of the blobs of a repository.
fn user_of(repository: &str) -> String {
    format!("ecr/layer/{repository}")
}

/// Finds a layer of a repository.
pub(crate) fn find(cx: &Tx<'_>, repository: &str, digest: &str) -> Result<Option<LayerRow>> {
    cx.get(&LayerRow::table(cx.scope()).text(repository).text(digest))
}

/// Adds a layer to a repository. It is removed after a day if no image needs it by then.
pub(crate) fn add(cx: &mut Tx<'_>, repository: &str, digest: &BlobDigest, size: i64) -> Result<()> {
    cx.use_blob(digest, &user_of(repository))?;
    let row = LayerRow {
        repository_name: Some(repository.into()),
        layer_digest: Some(digest.to_string().into()),
        layer_size: Some(size),
    };
    let unused =
        ExpireLayer { repository_name: row.repository_name.clone(), layer_digest: row.layer_digest.clone() };
    cx.put(row)?;
    cx.schedule(cx.now() + UNUSED_TIME, &unused)
}

/// Adds a layer of another repository of the registry; false if that does not have it.
pub(crate) fn mount(cx: &mut Tx<'_>, repository: &str, from: &str, digest: &BlobDigest) -> Result<bool> {
    let Some(row) = find(cx, from, &digest.to_string())? else { return Ok(false) };
    add(cx, repository, digest, row.layer_size.unwrap_or(0))?;
    Ok(true)
}

/// Removes a layer from a repository, if it is there.
pub(crate) fn remove(cx: &mut Tx<'_>, repository: &str, digest: &str) -> Result<()> {
    if let Some(row) = find(cx, repository, digest)? {
        cx.remove(&row)?;
    }
    match BlobDigest::parse(digest) {
        Some(digest) => cx.release_blob(&digest, &user_of(repository)),
        None => Ok(()),
    }
}

/// Removes all layers and uploads of a repository.
pub(crate) fn remove_all(cx: &mut Tx<'_>, repository: &str) -> Result<()> {
    for row in cx.all::<LayerRow>(&LayerRow::table(cx.scope()).text(repository))? {
        remove(cx, repository, row.layer_digest.as_deref().unwrap_or_default())?;
    }
    for upload in cx.all::<UploadRow>(&UploadRow::table(cx.scope()).text(repository))? {
        upload.remove(cx)?;
    }
    Ok(())
}

/// Removes a layer that no image needs.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ExpireLayer {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// Digest of the layer.
    layer_digest: Option<Text>,
}

impl Work for ExpireLayer {
    const NAME: &'static str = "ecr/expire-layer";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.unwrap_or_default();
        let digest = self.layer_digest.unwrap_or_default();
        if links::has_links(cx, &repository, links::LAYER, &digest)? {
            return Ok(());
        }
        remove(cx, &repository, &digest)
    }
}

/// Address of a layer for downloads.
pub(crate) fn download_url(host: Option<&str>, scope: &Scope, repository: &str, digest: &str) -> Text {
    let own = format!("https://{}", crate::repository::registry_host(scope.account(), scope.region()));
    format!("{}/v2/{repository}/blobs/{digest}", host.unwrap_or(&own)).into()
}
