//! Copies of images in other registries.

use crate::{
    CreateRepository, ImageDetail, PutImage, Repository, SERVICE, errors,
    image::{manifest::Manifest, rows},
    layer, repository,
};
use nephos_cloud::{Addressed, BlobDigest, Handler, Scope, Tx};
use nephos_core::{Result, Text, Value};

/// Rows of an image in the source registry.
struct Source {
    image: ImageDetail,
    text: Text,
    /// Digests and sizes of the layers.
    layers: Vec<(BlobDigest, i64)>,
    manifest: Manifest,
}

impl Source {
    /// Finds an image in the registry of the scope.
    fn find(cx: &Tx<'_>, repository: &str, digest: &str) -> Result<Option<Self>> {
        let Some(image) = rows::find(cx, repository, digest)? else { return Ok(None) };
        let text = rows::manifest_of(cx, &image)?;
        let manifest = Manifest::parse(&text, image.image_manifest_media_type.as_deref())?;
        let mut layers = Vec::new();
        for digest in &manifest.layers {
            let size = layer::find(cx, repository, digest)?.and_then(|row| row.layer_size);
            layers.extend(BlobDigest::parse(digest).zip(size));
        }
        Ok(Some(Self { image, text, layers, manifest }))
    }
}

/// Copies an image with its tags, its layers and the images of a list to another registry, whose policy must allow it.
pub(super) fn copy(cx: &mut Tx<'_>, to: &Scope, repository: &str, digest: &str) -> Result<()> {
    let from = cx.scope().clone();
    if to.account() != from.account() {
        let arn = repository::arn_of(to, repository);
        cx.check_shared_with(&SERVICE, "ecr:ReplicateImage", &arn, from.account(), &[])?;
    }
    cx.in_scope(to, |cx| match Repository::find_by(cx, &[repository])? {
        Some(_) => Ok(()),
        None => CreateRepository::new(repository).run(cx).map(|_| ()),
    })?;
    copy_image(cx, to, repository, digest)
}

fn copy_image(cx: &mut Tx<'_>, to: &Scope, repository: &str, digest: &str) -> Result<()> {
    let Some(source) = Source::find(cx, repository, digest)? else { return Ok(()) };
    for child in &source.manifest.children {
        copy_image(cx, to, repository, child)?;
    }
    let from = cx.scope().clone();
    cx.in_scope(to, |cx| {
        for (digest, size) in &source.layers {
            if layer::find(cx, repository, &digest.to_string())?.is_none() {
                layer::add(cx, repository, digest, *size)?;
            }
        }
        if rows::find(cx, repository, digest)?.is_none() {
            put(cx, repository, &source, None)?;
        }
        for tag in source.image.tags() {
            put(cx, repository, &source, Some(tag))?;
        }
        send_event(cx, &from, &source.image)
    })
}

/// Stores an image, or adds a tag to it. A tag that cannot be moved stays where it is.
fn put(cx: &mut Tx<'_>, repository: &str, source: &Source, tag: Option<&Text>) -> Result<()> {
    let mut put = PutImage::new(repository, source.text.as_str());
    put.image_manifest_media_type.clone_from(&source.image.image_manifest_media_type);
    put.image_tag = tag.cloned();
    let repository = repository::require(cx, repository)?;
    match put.push(cx, &repository, &source.manifest) {
        Err(error) if is_there(error.code()) => Ok(()),
        stored => stored.map(|_| ()),
    }
}

fn is_there(code: &str) -> bool {
    code == errors::IMAGE_EXISTS.code || code == errors::IMAGE_TAG_EXISTS.code
}

fn send_event(cx: &mut Tx<'_>, from: &Scope, image: &ImageDetail) -> Result<()> {
    let tag = image.tags().first().map(Text::as_str).unwrap_or_default();
    let detail = Value::from_iter([
        ("result", "SUCCESS"),
        ("repository-name", image.repository()),
        ("image-digest", image.digest()),
        ("source-account", from.account()),
        ("action-type", "REPLICATE"),
        ("source-region", from.region()),
        ("image-tag", tag),
    ]);
    let arn = repository::arn_of(cx.scope(), image.repository());
    cx.send_own_event("aws.ecr", "ECR Replication Action", &detail, vec![arn])
}
