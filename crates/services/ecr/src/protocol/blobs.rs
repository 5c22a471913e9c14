//! Blobs: downloads and uploads.

use super::{Exchange, refusal::Refusal};
use crate::{
    layer::{self, UploadRow},
    registry,
};
use nephos_cloud::{BlobDigest, FrontBody, FrontReply, FrontReplyBody, WrittenBlob};
use nephos_core::{Result, Text, shape::Effect};
use std::sync::Arc;

/// Address of an upload.
fn upload_location(name: &str, id: &str) -> String {
    format!("/v2/{name}/blobs/uploads/{id}")
}

/// Answer about an upload of `size` bytes so far.
fn upload_reply(status: u16, name: &str, id: &str, size: i64) -> FrontReply {
    FrontReply::new(status)
        .header("Location", upload_location(name, id))
        .header("Range", format!("0-{}", (size - 1).max(0)))
        .header("Docker-Upload-UUID", id)
}

/// Answer about a blob that is in the repository now.
fn created(name: &str, digest: &BlobDigest) -> FrontReply {
    FrontReply::new(201)
        .header("Location", format!("/v2/{name}/blobs/{digest}"))
        .header("Docker-Content-Digest", digest.to_string())
}

impl Exchange<'_> {
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

    /// Begins an upload; or mounts a layer of another repository; or stores a whole layer, if the digest is given.
    pub(super) fn begin_upload(&self, name: &str, body: &mut dyn FrontBody) -> Result<FrontReply, Refusal> {
        if let Some(digest) = self.request.parameter("mount")
            && let Some(from) = self.request.parameter("from")
            && let Some(reply) = self.mount(name, &digest, &from)?
        {
            return Ok(reply);
        }
        if let Some(digest) = self.request.parameter("digest") {
            return self.store_whole(name, &digest, body);
        }
        let repository = Text::from(name);
        let upload =
            self.run(Effect::Write, "InitiateLayerUpload", name, move |cx| layer::begin(cx, &repository))?;
        Ok(upload_reply(202, name, upload.id(), 0))
    }

    /// Adds a layer of another repository that the caller may read; none if that is not possible.
    fn mount(&self, name: &str, digest: &str, from: &str) -> Result<Option<FrontReply>, Refusal> {
        let Some(digest) = BlobDigest::parse(digest) else { return Ok(None) };
        let may_read = self.run(Effect::Read, "GetDownloadUrlForLayer", from, registry::has_blob_mounting);
        if !matches!(may_read, Ok(true)) {
            return Ok(None);
        }
        let (repository, from) = (Text::from(name), Text::from(from));
        let mount = move |cx: &mut nephos_cloud::Tx<'_>| layer::mount(cx, &repository, &from, &digest);
        let is_mounted = self.run(Effect::Write, "InitiateLayerUpload", name, mount)?;
        Ok(is_mounted.then(|| created(name, &digest)))
    }

    /// Stores a layer that is the body of one request.
    fn store_whole(&self, name: &str, digest: &str, body: &mut dyn FrontBody) -> Result<FrontReply, Refusal> {
        let repository = Text::from(name);
        self.run(Effect::Read, "InitiateLayerUpload", name, |_| Ok(()))?;
        let written = self.receive(body)?;
        let Some(written) = written.filter(|written| written.digest().to_string() == digest) else {
            let text = "None of the provided layer digests match the calculated layer digest";
            return Err(Refusal::new(400, "DIGEST_INVALID", text));
        };
        let (layer, size) = (written.digest(), size_of(&written));
        let written = Arc::new(written);
        self.run(Effect::Write, "CompleteLayerUpload", name, move |cx| {
            let _pinned = &written;
            layer::add(cx, &repository, &layer, size)
        })?;
        Ok(created(name, &layer))
    }

    pub(super) fn get_upload(&self, name: &str, id: &str) -> Result<FrontReply, Refusal> {
        let (repository, upload) = (Text::from(name), Text::from(id));
        let size = self.run(Effect::Read, "UploadLayerPart", name, move |cx| {
            Ok(UploadRow::require(cx, &repository, &upload)?.size())
        })?;
        Ok(upload_reply(204, name, id, size))
    }

    pub(super) fn append_to_upload(
        &self,
        name: &str,
        id: &str,
        body: &mut dyn FrontBody,
    ) -> Result<FrontReply, Refusal> {
        let size = self.append(name, id, body)?;
        Ok(upload_reply(202, name, id, size))
    }

    /// Appends the body to an upload, and returns its size.
    fn append(&self, name: &str, id: &str, body: &mut dyn FrontBody) -> Result<i64, Refusal> {
        let (repository, upload) = (Text::from(name), Text::from(id));
        let find = {
            let (repository, upload) = (repository.clone(), upload.clone());
            move |cx: &mut nephos_cloud::Tx<'_>| Ok(UploadRow::require(cx, &repository, &upload)?.size())
        };
        let start = self.run(Effect::Read, "UploadLayerPart", name, find)?;
        let out_of_order = |size: i64| {
            let refusal =
                Refusal::new(416, "BLOB_UPLOAD_INVALID", "The part does not follow the parts before it.");
            refusal
                .header("Location", upload_location(name, id))
                .header("Range", format!("0-{}", (size - 1).max(0)))
        };
        let range = self.request.header("content-range").map(|range| range.trim_start_matches("bytes "));
        let first = range.and_then(|range| range.split_once('-')?.0.trim().parse::<i64>().ok());
        if range.is_some() && first != Some(start) {
            return Err(out_of_order(start));
        }
        let Some(written) = self.receive(body)? else { return Ok(start) };
        let (digest, length) = (written.digest(), size_of(&written));
        let written = Arc::new(written);
        let appended = self.run(Effect::Write, "UploadLayerPart", name, move |cx| {
            let _pinned = &written;
            let row = UploadRow::require(cx, &repository, &upload)?;
            // Another request may have appended meanwhile.
            if row.size() != start {
                return Ok(Err(row.size()));
            }
            Ok(Ok(row.append(cx, &digest, length)?.size()))
        })?;
        appended.map_err(out_of_order)
    }

    pub(super) fn complete_upload(
        &self,
        name: &str,
        id: &str,
        body: &mut dyn FrontBody,
    ) -> Result<FrontReply, Refusal> {
        let Some(digest) = self.request.parameter("digest") else {
            return Err(Refusal::new(400, "DIGEST_INVALID", "The digest of the blob is missing."));
        };
        self.append(name, id, body)?;
        let (repository, upload) = (Text::from(name), Text::from(id));
        let layer = self.run(Effect::Write, "CompleteLayerUpload", name, move |cx| {
            let row = UploadRow::require(cx, &repository, &upload)?;
            row.complete(cx, std::slice::from_ref(&digest))
        })?;
        Ok(created(name, &layer))
    }

    pub(super) fn cancel_upload(&self, name: &str, id: &str) -> Result<FrontReply, Refusal> {
        let (repository, upload) = (Text::from(name), Text::from(id));
        self.run(Effect::Write, "UploadLayerPart", name, move |cx| {
            UploadRow::require(cx, &repository, &upload)?.remove(cx)
        })?;
        Ok(FrontReply::new(204))
    }

    /// Writes the body as a blob; none if it is empty.
    fn receive(&self, body: &mut dyn FrontBody) -> Result<Option<WrittenBlob>, Refusal> {
        let max = self.request.max_blob_bytes;
        let too_large = || Refusal::new(413, "SIZE_INVALID", format!("A blob can have at most {max} bytes."));
        let announced =
            self.request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        if announced > max {
            return Err(too_large());
        }
        let mut writer = None;
        while let Some(piece) = body.next_piece()? {
            if piece.is_empty() {
                continue;
            }
            let writer = match &mut writer {
                Some(writer) => writer,
                None => writer.insert(self.cloud.blobs().writer()?),
            };
            if writer.size() + piece.len() as u64 > max {
                return Err(too_large());
            }
            writer.write(piece)?;
        }
        Ok(writer.map(|writer| writer.finish()).transpose()?)
    }
}

fn size_of(written: &WrittenBlob) -> i64 {
    i64::try_from(written.size()).unwrap_or(i64::MAX)
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
