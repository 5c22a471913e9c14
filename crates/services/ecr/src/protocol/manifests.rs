//! Manifests: get, put and delete.

use super::{Exchange, refusal::Refusal, to_reply};
use crate::{
    BatchDeleteImage, ImageIdentifier, PutImage, errors,
    image::{manifest::Manifest, record_pull, rows},
    repository,
};
use nephos_cloud::{BlobDigest, FrontAnswer, FrontReply, FrontReplyBody, Handler, WholeBody};
use nephos_core::{Error, Result, Text, shape::Effect};

/// Maximum size of a manifest.
const MAX_MANIFEST: usize = 4 << 20;

/// Returns the ID that a tag or a digest in a path stands for.
fn id_of(reference: &str) -> ImageIdentifier {
    if reference.contains(':') {
        ImageIdentifier::new(Some(reference.into()), None)
    } else {
        ImageIdentifier::new(None, Some(reference.into()))
    }
}

impl Exchange {
    pub(super) fn get_manifest(&self, name: &str, reference: &str) -> Result<FrontReply, Refusal> {
        let (repository, id) = (Text::from(name), id_of(reference));
        let (image, text) = self.run(Effect::Read, "BatchGetImage", name, move |cx| {
            let image = rows::require(cx, &repository, &id)?;
            if image.is_archived() {
                return Err(errors::image_archived(image.digest()));
            }
            record_pull(cx, &image)?;
            let text = rows::manifest_of(cx, &image)?;
            Ok((image, text))
        })?;
        let media_type = image.image_manifest_media_type.clone().unwrap_or_default();
        let reply = FrontReply::new(200)
            .header("Content-Type", media_type.as_str())
            .header("Docker-Content-Digest", image.digest());
        Ok(match self.is_head() {
            true => FrontReply { body: FrontReplyBody::Head(text.len() as u64), ..reply },
            false => reply.bytes(text.as_bytes()),
        })
    }

    /// Receives a manifest, and stores it.
    pub(super) fn receive_manifest(self, name: Text, reference: Text) -> FrontAnswer {
        FrontAnswer::Whole(WholeBody {
            max_bytes: MAX_MANIFEST,
            answer: Box::new(move |body| {
                let text = body.map_err(|error| refused_body(&error)).and_then(read_text);
                to_reply(text.and_then(|text| self.put_manifest(&name, &reference, text)))
            }),
        })
    }

    fn put_manifest(&self, name: &str, reference: &str, text: Text) -> Result<FrontReply, Refusal> {
        let media_type = self.request.header("content-type").map(|value| {
            let value = value.split_once(';').map_or(value, |(value, _)| value);
            Text::from(value.trim())
        });
        let media_type = media_type.filter(|value| value != "application/json");
        let digest = Text::from(BlobDigest::of(text.as_bytes()).to_string());
        let subject =
            Manifest::parse(&text, media_type.as_deref()).ok().and_then(|manifest| manifest.subject);
        let ImageIdentifier { image_digest, image_tag, .. } = id_of(reference);
        let repository = Text::from(name);
        self.run(Effect::Write, "PutImage", name, move |cx| {
            let mut put = PutImage::new(&repository, &text);
            put.image_manifest_media_type.clone_from(&media_type);
            put.image_tag.clone_from(&image_tag);
            put.image_digest.clone_from(&image_digest);
            match put.run(cx) {
                // Clients push what is there already, too. A tag that must stay is refused all the same.
                Err(error) if error.code() == errors::IMAGE_EXISTS.code => {
                    let tag = image_tag.as_deref().unwrap_or_default();
                    let found = repository::require(cx, &repository)?;
                    if image_tag.is_none() || found.can_move(tag) {
                        return Ok(());
                    }
                    Err(errors::image_tag_exists(tag, &repository).with_field("imageTag"))
                }
                put => put.map(drop),
            }
        })?;
        let mut reply = FrontReply::new(201)
            .header("Location", format!("/v2/{name}/manifests/{digest}"))
            .header("Docker-Content-Digest", digest.as_str());
        if let Some(subject) = subject {
            reply = reply.header("OCI-Subject", subject.as_str());
        }
        Ok(reply)
    }

    pub(super) fn delete_manifest(&self, name: &str, reference: &str) -> Result<FrontReply, Refusal> {
        let (repository, id) = (Text::from(name), id_of(reference));
        let refused = self.run(Effect::Write, "BatchDeleteImage", name, move |cx| {
            rows::require(cx, &repository, &id)?;
            let deleted = BatchDeleteImage::new(&repository, [id.clone()]).run(cx)?;
            Ok(deleted.failure_reason())
        })?;
        match refused {
            Some(reason) => Err(Refusal::new(409, "DENIED", reason)),
            None => Ok(FrontReply::new(202)),
        }
    }
}

/// Refusal of a manifest that did not arrive.
fn refused_body(error: &Error) -> Refusal {
    match error.status() {
        413 => Refusal::new(413, "MANIFEST_INVALID", error.message()),
        _ => error.clone().into(),
    }
}

/// Reads the text of a manifest.
fn read_text(body: &[u8]) -> Result<Text, Refusal> {
    match std::str::from_utf8(body) {
        Ok(text) if !text.is_empty() => Ok(text.into()),
        _ => Err(Refusal::new(400, "MANIFEST_INVALID", "Invalid JSON syntax")),
    }
}
