//! Uploads of layers: parts, each of which is a blob, until they are one layer.

use super::{UNUSED_TIME, add, find};
use crate::{
    Repository, RepositoryManager,
    access::{RegistryId, run_in_registry},
    errors, repository,
};
use nephos_cloud::{BlobDigest, Handler, Quota, Stored, Tx, Work, WrittenBlob};
use nephos_core::{Blob, Error, Record, Result, Text, operation};
use std::sync::Arc;

/// Size of parts that clients are asked to send.
const PART_SIZE: i64 = 10 << 20;

/// Minimum size of each part but the last.
const MIN_PART_SIZE: i64 = 5 << 20;

/// Maximum number of uploads of a registry that are not complete.
const OPEN_UPLOADS: Quota = Quota { counter: "ecr/upload", max: 10_000, what: "open uploads" };

/// Maximum number of parts of an upload.
const MAX_PARTS: usize = 4_200;

/// A part of an upload.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct UploadedPart {
    /// Digest of the blob.
    digest: Option<Text>,
    /// Size in bytes.
    size: Option<i64>,
}

/// Row of an upload.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct UploadRow {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// ID of the upload.
    upload_id: Option<Text>,
    /// Parts so far.
    parts: Option<Vec<UploadedPart>>,
}

nephos_cloud::stored!(UploadRow in "ecr/upload" by repository_name, upload_id);

impl UploadRow {
    /// Finds an upload, or refuses.
    pub(crate) fn require(cx: &Tx<'_>, repository: &str, id: &str) -> Result<Self> {
        let missing =
            || errors::upload_not_found(id, repository, cx.scope().account()).with_field("uploadId");
        cx.get(&Self::table(cx.scope()).text(repository).text(id))?.ok_or_else(missing)
    }

    pub(crate) fn id(&self) -> &str {
        self.upload_id.as_deref().unwrap_or_default()
    }

    /// Name of the user of the blob of a part.
    fn user_of(&self, part: usize) -> String {
        format!("ecr/upload/{}/{part}", self.id())
    }

    fn parts(&self) -> &[UploadedPart] {
        self.parts.as_deref().unwrap_or_default()
    }

    /// Number of bytes so far.
    pub(crate) fn size(&self) -> i64 {
        self.parts().iter().filter_map(|part| part.size).sum()
    }

    /// Adds a part.
    pub(crate) fn append(mut self, cx: &mut Tx<'_>, digest: &BlobDigest, size: i64) -> Result<Self> {
        if self.parts().len() >= MAX_PARTS {
            return Err(errors::too_many_parts());
        }
        cx.use_blob(digest, &self.user_of(self.parts().len()))?;
        let part = UploadedPart { digest: Some(digest.to_string().into()), size: Some(size) };
        self.parts.get_or_insert_default().push(part);
        cx.put(self.clone())?;
        Ok(self)
    }

    /// Makes the parts a layer with one of these digests. Returns the digest.
    pub(crate) fn complete(self, cx: &mut Tx<'_>, digests: &[Text]) -> Result<BlobDigest> {
        let parts: Option<Vec<_>> =
            self.parts().iter().map(|part| BlobDigest::parse(part.digest.as_deref()?)).collect();
        let parts = parts.unwrap_or_default();
        let is_wanted = |layer: &BlobDigest| digests.contains(&layer.to_string().into());
        // A layer of one part is that part.
        let layer = match &parts[..] {
            [one] => Some(*one).filter(is_wanted),
            _ => join(cx, parts, digests)?,
        };
        let layer = layer.ok_or_else(|| errors::layer_digest_differs().with_field("layerDigests"))?;
        let repository = self.repository_name.clone().unwrap_or_default();
        add(cx, &repository, &layer, self.size())?;
        self.remove(cx)?;
        Ok(layer)
    }

    /// Removes the upload and its parts.
    pub(crate) fn remove(&self, cx: &mut Tx<'_>) -> Result<()> {
        for (n, part) in self.parts().iter().enumerate() {
            if let Some(digest) = part.digest.as_deref().and_then(BlobDigest::parse) {
                cx.release_blob(&digest, &self.user_of(n))?;
            }
        }
        OPEN_UPLOADS.remove_one(cx)?;
        cx.remove(self)
    }
}

/// Joins parts to a layer with one of these digests; none if it has another one, or if the upload has changed meanwhile.
fn join(cx: &mut Tx<'_>, parts: Vec<BlobDigest>, digests: &[Text]) -> Result<Option<BlobDigest>> {
    let joined = parts.clone();
    let wanted = digests.to_vec();
    let layer = cx.with_blobs(&parts, move |blobs| {
        let layer = blobs.join(&joined, |layer| wanted.contains(&layer.to_string().into()))?;
        Ok(Arc::new((joined, layer)))
    })?;
    let (joined, layer) = &*layer;
    Ok(layer.as_ref().filter(|_| *joined == parts).map(WrittenBlob::digest))
}

/// Begins an upload. It is removed after a day.
pub(crate) fn begin(cx: &mut Tx<'_>, repository: &str) -> Result<UploadRow> {
    OPEN_UPLOADS.add_one(cx, errors::too_many_uploads)?;
    let row =
        UploadRow { repository_name: Some(repository.into()), upload_id: Some(cx.ids().uuid()), parts: None };
    let expire =
        ExpireUpload { repository_name: row.repository_name.clone(), upload_id: row.upload_id.clone() };
    cx.put(row.clone())?;
    cx.schedule(cx.now() + UNUSED_TIME, &expire)?;
    Ok(row)
}

/// Removes an upload that was not completed.
#[derive(Record)]
#[record(row, case = "camel")]
pub(crate) struct ExpireUpload {
    /// Name of the repository.
    repository_name: Option<Text>,
    /// ID of the upload.
    upload_id: Option<Text>,
}

impl Work for ExpireUpload {
    const NAME: &'static str = "ecr/expire-upload";

    fn run(self, cx: &mut Tx<'_>) -> Result<()> {
        let repository = self.repository_name.unwrap_or_default();
        let key = UploadRow::table(cx.scope()).text(&repository).text(&self.upload_id.unwrap_or_default());
        let found: Option<UploadRow> = cx.get(&key)?;
        found.map_or(Ok(()), |upload| upload.remove(cx))
    }
}

/// A new upload.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct NewUpload {
    /// ID of the upload.
    upload_id: Option<Text>,
    /// Size of the parts, but for the last one.
    part_size: Option<i64>,
}

/// Begins the upload of a layer.
#[operation(
    of = Repository, case = "camel", call = "begin_layer_upload", needs(repository_name), include(RegistryId), effect = write,
    output = NewUpload
)]
pub struct InitiateLayerUpload {}

impl Handler for InitiateLayerUpload {
    fn run(self, cx: &mut Tx<'_>) -> Result<NewUpload> {
        run_in_registry(cx, self, |operation, cx| {
            repository::require(cx, &operation.repository_name)?;
            let row = begin(cx, &operation.repository_name)?;
            Ok(NewUpload { upload_id: row.upload_id, part_size: Some(PART_SIZE) })
        })
    }
}

/// State of an upload after a part.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct UploadState {
    /// Account whose registry it is.
    registry_id: Option<Text>,
    /// Name of the repository.
    repository_name: Option<Text>,
    /// ID of the upload.
    upload_id: Option<Text>,
    /// Position of the last byte.
    last_byte_received: Option<i64>,
}

/// Uploads a part of a layer, which follows the parts before it.
#[operation(
    of = Repository, case = "camel", call = "upload_layer_part", needs(repository_name), include(RegistryId), effect = write,
    output = UploadState
)]
pub struct UploadLayerPart {
    /// ID of the upload.
    #[field(pattern = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")]
    pub upload_id: Text,
    /// Position of the first byte of the part.
    #[field(range(0..))]
    pub part_first_byte: i64,
    /// Position of the last byte of the part.
    #[field(range(0..))]
    pub part_last_byte: i64,
    /// Bytes of the part.
    #[field(length(..=20_971_520))]
    pub layer_part_blob: Blob,
}

impl Handler for UploadLayerPart {
    fn run(self, cx: &mut Tx<'_>) -> Result<UploadState> {
        run_in_registry(cx, self, |mut operation, cx| {
            let name = &operation.repository_name;
            repository::require(cx, name)?;
            let upload = UploadRow::require(cx, name, &operation.upload_id)?;
            let length = operation.layer_part_blob.0.len() as i64;
            let end = operation.part_first_byte.checked_add(length);
            if operation.part_first_byte != upload.size()
                || end != operation.part_last_byte.checked_add(1)
                || length == 0
            {
                let refused = errors::layer_part_invalid(&operation.upload_id, name, cx.scope().account());
                return Err(refused.with_field("partFirstByte"));
            }
            let bytes = std::mem::take(&mut operation.layer_part_blob.0);
            let written = cx.with_blobs(&[], move |blobs| blobs.put(&bytes).map(Arc::new))?;
            let upload = upload.append(cx, &written.digest(), length)?;
            Ok(UploadState {
                registry_id: Some(cx.scope().account().into()),
                last_byte_received: Some(upload.size() - 1),
                repository_name: upload.repository_name,
                upload_id: upload.upload_id,
            })
        })
    }
}

/// A completed layer.
#[derive(Record)]
#[record(answer, case = "camel")]
pub struct CompletedLayer {
    /// Account whose registry it is.
    registry_id: Option<Text>,
    /// Name of the repository.
    repository_name: Option<Text>,
    /// ID of the upload.
    upload_id: Option<Text>,
    /// Digest of the layer.
    layer_digest: Option<Text>,
}

/// Completes the upload of a layer, which must have one of the digests.
#[operation(
    of = Repository, case = "camel", call = "complete_layer_upload", needs(repository_name), include(RegistryId), effect = write,
    output = CompletedLayer
)]
pub struct CompleteLayerUpload {
    /// ID of the upload.
    #[field(pattern = "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}")]
    pub upload_id: Text,
    /// Digests, one of which the layer must have.
    #[field(length(1..=100), each(pattern = "[a-zA-Z0-9-_+.]+:[a-fA-F0-9]+"))]
    pub layer_digests: Vec<Text>,
}

impl Handler for CompleteLayerUpload {
    fn run(self, cx: &mut Tx<'_>) -> Result<CompletedLayer> {
        run_in_registry(cx, self, |operation, cx| {
            let name = &operation.repository_name;
            repository::require(cx, name)?;
            let upload = UploadRow::require(cx, name, &operation.upload_id)?;
            let account = Text::from(cx.scope().account());
            let refused = |error: Error| Err(error.with_field("uploadId"));
            let Some((_, full)) = upload.parts().split_last() else {
                return refused(errors::upload_empty(&operation.upload_id, name, &account));
            };
            if full.iter().any(|part| part.size.unwrap_or(0) < MIN_PART_SIZE) {
                return refused(errors::layer_part_small());
            }
            for digest in &operation.layer_digests {
                if find(cx, name, digest)?.is_some() {
                    return refused(errors::layer_exists(digest, name, &account));
                }
            }
            let layer = upload.complete(cx, &operation.layer_digests)?;
            Ok(CompletedLayer {
                registry_id: Some(account),
                repository_name: Some(name.clone()),
                upload_id: Some(operation.upload_id),
                layer_digest: Some(layer.to_string().into()),
            })
        })
    }
}
