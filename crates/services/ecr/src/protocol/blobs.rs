//! Downloads of blobs.

use super::{Exchange, refusal::Refusal};
use crate::layer;
use nephos_cloud::{BlobDigest, FrontReply, FrontReplyBody};
use nephos_core::{Text, shape::Effect};

impl Exchange {
    pub(super) fn get_blob(&self, name: &str, digest: &BlobDigest) -> Result<FrontReply, Refusal> {
        let (repository, wanted) = (Text::from(name), Text::from(digest.to_string()));
        let action = if self.is_head() { "BatchCheckLayerAvailability" } else { "GetDownloadUrlForLayer" };
        let found = self.run(Effect::Read, action, name, move |cx| layer::find(cx, &repository, &wanted))?;
        let unknown = || Refusal::new(404, "BLOB_UNKNOWN", "blob unknown to registry");
        found.ok_or_else(unknown)?;
        let mut reader = self.cloud.blobs().require(digest)?;
        let size = reader.size();
        let reply = |status| {
            FrontReply::new(status)
                .header("Content-Type", "application/octet-stream")
                .header("Docker-Content-Digest", digest.to_string())
                .header("Accept-Ranges", "bytes")
                .header("ETag", format!("\"{digest}\""))
        };
        if self.is_head() {
            return Ok(FrontReply { body: FrontReplyBody::Head(size), ..reply(200) });
        }
        let Some(range) = self.request.header("range").and_then(|range| range.strip_prefix("bytes=")) else {
            return Ok(FrontReply { body: FrontReplyBody::Blob { reader, length: size }, ..reply(200) });
        };
        let Some((first, last)) = read_range(range, size) else {
            let refusal = Refusal::new(416, "RANGE_INVALID", "invalid content range");
            return Err(refusal.header("Content-Range", format!("bytes */{size}")));
        };
        reader.seek(first)?;
        let body = FrontReplyBody::Blob { reader, length: last - first + 1 };
        Ok(FrontReply { body, ..reply(206).header("Content-Range", format!("bytes {first}-{last}/{size}")) })
    }
}

/// Reads a range of bytes: first and last position. `None` if no byte is in it.
pub fn read_range(range: &str, size: u64) -> Option<(u64, u64)> {
    let (first, last) = range.trim().split_once('-')?;
    let end = size.checked_sub(1)?;
    if first.is_empty() {
        let length: u64 = last.parse().ok().filter(|length| *length > 0)?;
        return Some((size.saturating_sub(length), end));
    }
    let first: u64 = first.parse().ok()?;
    let last: u64 = if last.is_empty() { end } else { last.parse().ok()? };
    (first <= last && first <= end).then_some((first, last.min(end)))
}
