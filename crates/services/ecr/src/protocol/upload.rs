//! Uploads of blobs.

use super::{Exchange, refusal::Refusal, to_reply};
use crate::{
    layer::{self, UploadRow},
    registry,
};
use nephos_cloud::{BlobDigest, BlobWriter, FrontAnswer, FrontReceiver, FrontReply, Tx, WrittenBlob};
use nephos_core::{Result, Text, shape::Effect};
use std::{ops::ControlFlow, sync::Arc};

/// Address of an upload.
fn location(name: &str, id: &str) -> String {
    format!("/v2/{name}/blobs/uploads/{id}")
}

/// Bytes of an upload of this size.
fn range(size: i64) -> String {
    format!("0-{}", (size - 1).max(0))
}

/// Answer about an upload of `size` bytes so far.
fn upload_reply(status: u16, name: &str, id: &str, size: i64) -> FrontReply {
    FrontReply::new(status)
        .header("Location", location(name, id))
        .header("Range", range(size))
        .header("Docker-Upload-UUID", id)
}

/// Answer about a blob that is in the repository now.
fn created(name: &str, digest: &BlobDigest) -> FrontReply {
    FrontReply::new(201)
        .header("Location", format!("/v2/{name}/blobs/{digest}"))
        .header("Docker-Content-Digest", digest.to_string())
}

/// Refusal of a part that does not follow the parts of an upload, which has `size` bytes.
fn out_of_order(name: &str, id: &str, size: i64) -> Refusal {
    let refusal = Refusal::new(416, "BLOB_UPLOAD_INVALID", "The part does not follow the parts before it.");
    refusal.header("Location", location(name, id)).header("Range", range(size))
}

impl Exchange {
    /// Begins an upload; or mounts a layer of another repository; or stores a whole layer, if the digest is given.
    pub(super) fn begin_upload(self, name: Text) -> Result<FrontAnswer, Refusal> {
        if let Some(digest) = self.request.parameter("mount")
            && let Some(from) = self.request.parameter("from")
            && let Some(reply) = self.mount(&name, &digest, &from)?
        {
            return Ok(FrontAnswer::Reply(to_reply(Ok(reply))));
        }
        if let Some(digest) = self.request.parameter("digest") {
            self.run(Effect::Read, "InitiateLayerUpload", &name, |_| Ok(()))?;
            return self.receive(name, Target::Layer { digest });
        }
        let repository = name.clone();
        let upload =
            self.run(Effect::Write, "InitiateLayerUpload", &name, move |cx| layer::begin(cx, &repository))?;
        Ok(FrontAnswer::Reply(to_reply(Ok(upload_reply(202, &name, upload.id(), 0)))))
    }

    /// Adds a layer of another repository that the caller may read; none if that is not possible.
    fn mount(&self, name: &str, digest: &str, from: &str) -> Result<Option<FrontReply>, Refusal> {
        let Some(digest) = BlobDigest::parse(digest) else { return Ok(None) };
        let may_read = self.run(Effect::Read, "GetDownloadUrlForLayer", from, registry::has_blob_mounting);
        if !matches!(may_read, Ok(true)) {
            return Ok(None);
        }
        let repository = Text::from(name);
        let from = Text::from(from);
        let mount = move |cx: &mut Tx<'_>| layer::mount(cx, &repository, &from, &digest);
        let is_mounted = self.run(Effect::Write, "InitiateLayerUpload", name, mount)?;
        Ok(is_mounted.then(|| created(name, &digest)))
    }

    /// Adds a whole layer that was received.
    fn add_layer(
        &self,
        name: &str,
        digest: &str,
        written: Option<WrittenBlob>,
    ) -> Result<FrontReply, Refusal> {
        let Some(written) = written.filter(|written| written.digest().to_string() == digest) else {
            let text = "None of the provided layer digests match the calculated layer digest";
            return Err(Refusal::new(400, "DIGEST_INVALID", text));
        };
        let repository = Text::from(name);
        let layer = written.digest();
        let size = size_of(&written);
        let written = Arc::new(written);
        self.run(Effect::Write, "CompleteLayerUpload", name, move |cx| {
            let _pinned = &written;
            layer::add(cx, &repository, &layer, size)
        })?;
        Ok(created(name, &layer))
    }

    pub(super) fn get_upload(&self, name: &str, id: &str) -> Result<FrontReply, Refusal> {
        Ok(upload_reply(204, name, id, self.size_of_upload(name, id)?))
    }

    fn size_of_upload(&self, name: &str, id: &str) -> Result<i64> {
        let repository = Text::from(name);
        let upload = Text::from(id);
        self.run(Effect::Read, "UploadLayerPart", name, move |cx| {
            Ok(UploadRow::require(cx, &repository, &upload)?.size())
        })
    }

    pub(super) fn append_to_upload(self, name: Text, id: Text) -> Result<FrontAnswer, Refusal> {
        let start = self.start_of_part(&name, &id)?;
        self.receive(name, Target::Upload { id, start, digest: None })
    }

    /// Returns the size of an upload, at which the body of the request begins.
    fn start_of_part(&self, name: &str, id: &str) -> Result<i64, Refusal> {
        let start = self.size_of_upload(name, id)?;
        let range = self.request.header("content-range").map(|range| range.trim_start_matches("bytes "));
        let first = range.and_then(|range| range.split_once('-')?.0.trim().parse::<i64>().ok());
        if range.is_some() && first != Some(start) {
            return Err(out_of_order(name, id, start));
        }
        Ok(start)
    }

    /// Appends what was received to an upload of `start` bytes, and returns its size.
    fn append(&self, name: &str, id: &str, start: i64, written: Option<WrittenBlob>) -> Result<i64, Refusal> {
        let Some(written) = written else { return Ok(start) };
        let repository = Text::from(name);
        let upload = Text::from(id);
        let digest = written.digest();
        let length = size_of(&written);
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
        appended.map_err(|size| out_of_order(name, id, size))
    }

    pub(super) fn complete_upload(self, name: Text, id: Text) -> Result<FrontAnswer, Refusal> {
        let Some(digest) = self.request.parameter("digest") else {
            return Err(Refusal::new(400, "DIGEST_INVALID", "The digest of the blob is missing."));
        };
        let start = self.start_of_part(&name, &id)?;
        self.receive(name, Target::Upload { id, start, digest: Some(digest) })
    }

    /// Makes the parts of an upload a layer with this digest.
    fn complete(&self, name: &str, id: &str, digest: &Text) -> Result<FrontReply, Refusal> {
        let repository = Text::from(name);
        let upload = Text::from(id);
        let digest = digest.clone();
        let layer = self.run(Effect::Write, "CompleteLayerUpload", name, move |cx| {
            let row = UploadRow::require(cx, &repository, &upload)?;
            row.complete(cx, std::slice::from_ref(&digest))
        })?;
        Ok(created(name, &layer))
    }

    pub(super) fn cancel_upload(&self, name: &str, id: &str) -> Result<FrontReply, Refusal> {
        let repository = Text::from(name);
        let upload = Text::from(id);
        self.run(Effect::Write, "UploadLayerPart", name, move |cx| {
            UploadRow::require(cx, &repository, &upload)?.remove(cx)
        })?;
        Ok(FrontReply::new(204))
    }

    /// Receives the body as a blob, or as the next part of one.
    fn receive(self, name: Text, target: Target) -> Result<FrontAnswer, Refusal> {
        let announced = self.request.header("content-length").and_then(|length| length.parse().ok());
        let received = Received { exchange: self, name, target, writer: None };
        received.check_size(announced.unwrap_or(0))?;
        Ok(FrontAnswer::Pieces(Box::new(received)))
    }
}

/// Use of a body that is received.
enum Target {
    /// It is a whole layer with this digest.
    Layer { digest: Text },
    /// It is the next part of an upload of `start` bytes, which it completes if the digest of the layer is given.
    Upload { id: Text, start: i64, digest: Option<Text> },
}

/// A body that is being received.
struct Received {
    exchange: Exchange,
    name: Text,
    target: Target,
    /// None as long as the body is empty.
    writer: Option<BlobWriter>,
}

impl Received {
    /// Refuses a body of `size` bytes that makes the blob too large.
    fn check_size(&self, size: u64) -> Result<(), Refusal> {
        let max = self.exchange.request.max_blob_bytes;
        let before = match self.target {
            Target::Layer { .. } => 0,
            Target::Upload { start, .. } => start.unsigned_abs(),
        };
        if before.saturating_add(size) <= max {
            return Ok(());
        }
        Err(Refusal::new(413, "SIZE_INVALID", format!("A blob can have at most {max} bytes.")))
    }

    fn write(&mut self, piece: &[u8]) -> Result<(), Refusal> {
        let size = self.writer.as_ref().map_or(0, BlobWriter::size) + piece.len() as u64;
        self.check_size(size)?;
        let writer = match &mut self.writer {
            Some(writer) => writer,
            None => self.writer.insert(self.exchange.cloud.blobs().writer()?),
        };
        Ok(writer.write(piece)?)
    }

    fn complete(self) -> Result<FrontReply, Refusal> {
        let Self { exchange, name, target, writer } = self;
        let written = writer.map(BlobWriter::finish).transpose()?;
        match target {
            Target::Layer { digest } => exchange.add_layer(&name, &digest, written),
            Target::Upload { id, start, digest } => {
                let size = exchange.append(&name, &id, start, written)?;
                match digest {
                    Some(digest) => exchange.complete(&name, &id, &digest),
                    None => Ok(upload_reply(202, &name, &id, size)),
                }
            }
        }
    }
}

impl FrontReceiver for Received {
    fn account(&self) -> &str {
        self.exchange.access.source.caller.account()
    }

    fn take(&mut self, piece: &[u8]) -> ControlFlow<FrontReply> {
        match self.write(piece) {
            Ok(()) => ControlFlow::Continue(()),
            Err(refusal) => ControlFlow::Break(to_reply(Err(refusal))),
        }
    }

    fn finish(self: Box<Self>) -> FrontReply {
        to_reply(self.complete())
    }
}

fn size_of(written: &WrittenBlob) -> i64 {
    i64::try_from(written.size()).unwrap_or(i64::MAX)
}
