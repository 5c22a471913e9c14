//! Cases: layers are uploaded in parts, checked and removed.

use super::{World, create};
use nephos_cloud::BlobDigest;
use nephos_core::{Blob, Result, Session, Text};
use nephos_ecr::{
    BatchCheckLayerAvailability, CompleteLayerUpload, GetDownloadUrlForLayer, InitiateLayerUpload,
    LayerAvailability, UploadLayerPart, errors,
};
use nephos_testing::{HOUR, ask};

/// Begins an upload, and returns its ID.
fn begin(session: &Session) -> Result<Text> {
    Ok(ask(session, InitiateLayerUpload::new("web"))?.upload_id().unwrap().into())
}

/// Uploads a part that starts at a position.
fn upload(session: &Session, id: &str, first: i64, bytes: &[u8]) -> Result<i64> {
    let last = first + bytes.len() as i64 - 1;
    let part = UploadLayerPart::new("web", id, first, last, Blob(bytes.to_vec()));
    Ok(ask(session, part)?.last_byte_received().unwrap())
}

fn complete(session: &Session, id: &str, digest: BlobDigest) -> Result<Text> {
    let completed = ask(session, CompleteLayerUpload::new("web", id, [digest.to_string()]))?;
    Ok(completed.layer_digest().unwrap().into())
}

/// Uploads a layer to the repository, and returns its digest.
pub(super) fn push(session: &Session, bytes: &[u8]) -> Result<Text> {
    let id = begin(session)?;
    upload(session, &id, 0, bytes)?;
    complete(session, &id, BlobDigest::of(bytes))
}

pub(super) fn is_available(session: &Session, bytes: &[u8]) -> Result<bool> {
    let digest = BlobDigest::of(bytes).to_string();
    let checked = ask(session, BatchCheckLayerAvailability::new("web", [digest]))?;
    Ok(checked.layers().unwrap()[0].layer_availability() == Some(&LayerAvailability::Available))
}

pub(super) fn layer_is_uploaded_in_parts(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let first = vec![b'a'; 5 << 20];
    let second = b"the end".to_vec();
    let id = begin(&session)?;
    assert_eq!(upload(&session, &id, 0, &first)?, (5 << 20) - 1);
    assert_eq!(upload(&session, &id, 5 << 20, &second)?, (5 << 20) + 6);
    let whole = [first, second].concat();
    assert!(!is_available(&session, &whole)?, "before it is complete");
    let digest = complete(&session, &id, BlobDigest::of(&whole))?;
    assert!(is_available(&session, &whole)?);
    let mut stored = world.cloud().blobs().require(&BlobDigest::of(&whole))?;
    assert_eq!(stored.read_to_end()?, whole);
    let download = ask(&session, GetDownloadUrlForLayer::new("web", digest.as_str()))?;
    let path = format!("/v2/web/blobs/{digest}");
    assert!(download.download_url().unwrap().contains(&path), "{download:?}");
    let error = world.refused(&errors::UPLOAD_NOT_FOUND, "uploadId", || upload(&session, &id, 0, b"x"));
    let text = format!(
        "Upload with id '{id}' could not be found for the repository with name 'web' in the registry with id '123456789012'"
    );
    assert_eq!(error.wire_message(), text);
    Ok(())
}

pub(super) fn parts_follow_each_other(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let id = begin(&session)?;
    let refused = |first: i64, last: i64, bytes: &[u8]| {
        let part = || UploadLayerPart::new("web", &id, first, last, Blob(bytes.to_vec()));
        world.refused(&errors::LAYER_PART_INVALID, "partFirstByte", || ask(&session, part()))
    };
    refused(1, 3, b"abc");
    refused(0, 3, b"abc");
    refused(0, 0, b"");
    refused(i64::MAX, i64::MAX, b"abc");
    upload(&session, &id, 0, b"abc")?;
    refused(0, 2, b"abc");
    upload(&session, &id, 3, b"def")?;
    let digest = BlobDigest::of(b"abcdef");
    world.refused(&errors::LAYER_PART_SMALL, "uploadId", || complete(&session, &id, digest));
    Ok(())
}

pub(super) fn completed_layers_have_their_digest(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let id = begin(&session)?;
    let abc = BlobDigest::of(b"abc");
    world.refused(&errors::UPLOAD_EMPTY, "uploadId", || complete(&session, &id, abc));
    upload(&session, &id, 0, b"abd")?;
    let error = world.refused(&errors::LAYER_INVALID, "layerDigests", || complete(&session, &id, abc));
    assert_eq!(error.wire_message(), "None of the provided layer digests match the calculated layer digest");
    push(&session, b"abc")?;
    world.refused(&errors::LAYER_EXISTS, "uploadId", || complete(&session, &id, abc));
    let checked = ask(&session, BatchCheckLayerAvailability::new("web", ["abc"]))?;
    assert_eq!(checked.failures().unwrap()[0].failure_reason(), Some("Invalid layer digest 'abc'"));
    let digest = BlobDigest::of(b"none").to_string();
    world.refused(&errors::LAYERS_NOT_FOUND, "layerDigest", || {
        ask(&session, GetDownloadUrlForLayer::new("web", digest.as_str()))
    });
    world.refused(&errors::REPOSITORY_NOT_FOUND, "repositoryName", || {
        ask(&session, InitiateLayerUpload::new("api"))
    });
    Ok(())
}

pub(super) fn unused_layers_and_uploads_expire(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push(&session, b"abc")?;
    let id = begin(&session)?;
    upload(&session, &id, 0, b"part")?;
    world.advance(23 * HOUR)?;
    assert!(is_available(&session, b"abc")?);
    assert_eq!(world.cloud().sweep_blobs()?, 0);
    world.advance(HOUR)?;
    assert!(!is_available(&session, b"abc")?);
    world.refused(&errors::UPLOAD_NOT_FOUND, "uploadId", || upload(&session, &id, 4, b"x"));
    assert_eq!(world.cloud().sweep_blobs()?, 2);
    Ok(())
}
