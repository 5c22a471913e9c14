//! Cases: images are pushed, read, listed, tagged and deleted.

use super::{World, create, existing, layers, plan};
use nephos_cloud::BlobDigest;
use nephos_core::{Result, Session, Text, Value, prelude::*};
use nephos_ecr::{
    BatchDeleteImage, BatchGetImage, DescribeImages, Image, ImageFailureCode, ImageIdentifier,
    ImageTagMutability, ImageTagMutabilityExclusionFilter, ImageTagMutabilityExclusionFilterType,
    ImagesFilter, ListImages, PutImage, Repository, TagStatus, errors,
};
use nephos_testing::{HOUR, ask};

pub(super) const OCI: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// Manifest of an image with a configuration and one layer, which are uploaded.
pub(super) fn manifest(session: &Session, config: &str, layer: &str) -> Result<String> {
    for content in [config, layer] {
        if !layers::is_available(session, content.as_bytes())? {
            layers::push(session, content.as_bytes())?;
        }
    }
    let descriptor = |content: &str| {
        let digest = BlobDigest::of(content.as_bytes());
        format!(r#"{{"digest":"{digest}","size":{}}}"#, content.len())
    };
    let (config, layer) = (descriptor(config), descriptor(layer));
    Ok(format!(r#"{{"schemaVersion":2,"mediaType":"{OCI}","config":{config},"layers":[{layer}]}}"#))
}

/// Pushes an image, and returns its digest.
pub(super) fn push(session: &Session, config: &str, tag: Option<&str>) -> Result<Text> {
    put(session, &manifest(session, config, "layer")?, tag)
}

pub(super) fn put(session: &Session, manifest: &str, tag: Option<&str>) -> Result<Text> {
    let mut put = PutImage::new("web", manifest);
    put.image_tag = tag.map(Text::from);
    let answer = ask(session, put)?;
    Ok(answer.image().unwrap().image_id().unwrap().image_digest().unwrap().into())
}

pub(super) fn by_tag(tag: &str) -> ImageIdentifier {
    ImageIdentifier::new(None, Some(tag.into()))
}

pub(super) fn by_digest(digest: &str) -> ImageIdentifier {
    ImageIdentifier::new(Some(digest.into()), None)
}

/// Tags of the image with this digest.
fn tags(session: &Session, digest: &str) -> Result<Vec<Text>> {
    let found = ask(session, DescribeImages::new("web").image_ids([by_digest(digest)]))?;
    Ok(found.image_details().unwrap()[0].image_tags().unwrap_or_default().to_vec())
}

/// Deletes images, and returns the codes of the failures.
fn delete(session: &Session, ids: impl Into<Vec<ImageIdentifier>>) -> Result<Vec<ImageFailureCode>> {
    let mut request = BatchDeleteImage::new("web", [by_tag("")]);
    request.image_ids = ids.into();
    let deleted = ask(session, request)?;
    Ok(deleted.failures().unwrap().iter().map(|failure| failure.failure_code().unwrap().clone()).collect())
}

pub(super) fn image_is_pushed_read_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let text = manifest(&session, "config", "layer")?;
    let digest = put(&session, &text, Some("v1"))?;
    assert_eq!(digest, BlobDigest::of(text.as_bytes()).to_string());
    let images = Image::objects(&session);
    let image = images.get("web", by_tag("v1")).wait()?.unwrap();
    assert_eq!(image.image_manifest(), Some(text.as_str()));
    assert_eq!((image.image_manifest_media_type(), image.registry_id()), (Some(OCI), Some("123456789012")));
    let id = image.image_id().unwrap();
    assert_eq!((id.image_digest(), id.image_tag()), (Some(digest.as_str()), Some("v1")));
    assert_eq!(image.repository().wait()?.unwrap().repository_name(), Some("web"));
    assert_eq!(images.get("web", by_tag("v2")).wait()?, None);
    assert_eq!(images.get("api", by_tag("v1")).wait()?, None);
    assert_eq!(existing(&session, "web")?.images().wait()?.len(), 1);
    let found = ask(&session, DescribeImages::new("web"))?;
    let [detail] = found.image_details().unwrap() else { panic!("one image") };
    assert_eq!(detail.image_size_in_bytes(), Some(11));
    assert_eq!((detail.image_tags().unwrap().len(), detail.image_digest()), (1, Some(digest.as_str())));
    assert_eq!(detail.image_pushed_at().unwrap().as_millisecond(), world.now());
    let deleted = images.delete("web", by_tag("v1")).wait()?;
    let [deleted] = deleted.image_ids().unwrap() else { panic!("one image") };
    assert_eq!((deleted.image_digest(), deleted.image_tag()), (Some(digest.as_str()), Some("v1")));
    assert_eq!(images.list("web").results().all().wait()?.len(), 0);
    Ok(())
}

pub(super) fn manifests_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let error = world.refused(&errors::INVALID, "imageManifest", || put(&session, "{", None));
    let text = "Invalid parameter at 'ImageManifest' failed to satisfy constraint: 'Invalid JSON syntax'";
    assert_eq!(error.wire_message(), text);
    let error = world.refused(&errors::INVALID, "imageManifest", || put(&session, "{}", None));
    assert_eq!(error.wire_message(), "image manifest mediatype not provided in manifest or parameter");
    let missing = BlobDigest::of(b"missing");
    let content = format!(r#"{{"digest":"{missing}","size":7}}"#);
    let image = format!(r#"{{"mediaType":"{OCI}","config":{content},"layers":[]}}"#);
    let error = world.refused(&errors::LAYERS_NOT_FOUND, "imageManifest", || put(&session, &image, None));
    let text = format!(
        "Layers with digests '[{missing}]' required for pushing image into repository with name 'web' in the registry with id \
         '123456789012' do not exist"
    );
    assert_eq!(error.wire_message(), text);
    let list = format!(r#"{{"mediaType":"{INDEX}","manifests":[{content}]}}"#);
    world.refused(&errors::IMAGES_NOT_FOUND, "imageManifest", || put(&session, &list, None));
    let text = manifest(&session, "config", "layer")?;
    let wrong = || PutImage::new("web", text.as_str()).image_digest(missing.to_string());
    world.refused(&errors::IMAGE_DIGEST_DIFFERS, "imageDigest", || ask(&session, wrong()));
    world.refused(&errors::INVALID, "imageTag", || put(&session, &text, Some("a+b")));
    let digest = put(&session, &text, Some("v1"))?;
    let error = world.refused(&errors::IMAGE_EXISTS, "imageTag", || put(&session, &text, Some("v1")));
    let text = format!(
        "Image with digest '{digest}' and tag 'v1' already exists in the repository with name 'web' in registry with id \
         '123456789012'"
    );
    assert_eq!(error.wire_message(), text);
    Ok(())
}

pub(super) fn tags_are_moved_unless_they_are_immutable(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = create(&session, "web")?;
    let one = push(&session, "one", Some("v1"))?;
    assert_eq!(push(&session, "one", Some("latest"))?, one, "the same image gets another tag");
    assert_eq!(tags(&session, &one)?, ["v1", "latest"]);
    let two = push(&session, "two", Some("latest"))?;
    assert_eq!(tags(&session, &one)?, ["v1"]);
    assert_eq!(tags(&session, &two)?, ["latest"]);
    web.set_image_tag_mutability(ImageTagMutability::Immutable)?;
    web.save().wait()?;
    let error =
        world.refused(&errors::IMAGE_TAG_EXISTS, "imageTag", || push(&session, "one", Some("latest")));
    let text = "The image tag 'latest' already exists in the 'web' repository and cannot be overwritten because the repository \
                is immutable.";
    assert_eq!(error.wire_message(), text);
    let filter = ImageTagMutabilityExclusionFilter::builder()
        .filter_type(ImageTagMutabilityExclusionFilterType::Wildcard)
        .filter("lat*");
    let mut web = existing(&session, "web")?;
    web.set_image_tag_mutability(ImageTagMutability::ImmutableWithExclusion)?;
    web.set_image_tag_mutability_exclusion_filters([filter.build()?])?;
    web.save().wait()?;
    push(&session, "one", Some("latest"))?;
    world.refused(&errors::IMAGE_TAG_EXISTS, "imageTag", || push(&session, "two", Some("v1")));
    let mut web = existing(&session, "web")?;
    web.set_image_tag_mutability(ImageTagMutability::MutableWithExclusion)?;
    web.save().wait()?;
    push(&session, "two", Some("v1"))?;
    world.refused(&errors::IMAGE_TAG_EXISTS, "imageTag", || push(&session, "two", Some("latest")));
    Ok(())
}

pub(super) fn batches_report_failures_one_by_one(world: &World) -> Result<()> {
    use ImageFailureCode::{
        ImageNotFound, ImageTagDoesNotMatchDigest, InvalidImageDigest, MissingDigestAndTag,
    };
    let session = world.session();
    create(&session, "web")?;
    let one = push(&session, "one", Some("v1"))?;
    let two = push(&session, "two", Some("v2"))?;
    let mixed = ImageIdentifier::new(Some(two), Some("v1".into()));
    let ids = || vec![mixed.clone(), by_tag("v3"), by_digest("abc"), ImageIdentifier::new(None, None)];
    let expected = [ImageTagDoesNotMatchDigest, ImageNotFound, InvalidImageDigest, MissingDigestAndTag];
    assert_eq!(delete(&session, ids())?, expected);
    let mut get = BatchGetImage::new("web", [by_digest(&one)]);
    get.image_ids.extend(ids());
    let found = ask(&session, get)?;
    assert_eq!((found.images().unwrap().len(), found.failures().unwrap().len()), (1, 4));
    assert_eq!(found.failures().unwrap()[1].failure_reason(), Some("Requested image not found"));
    let other = BatchGetImage::new("web", [by_tag("v1")]).accepted_media_types([INDEX]);
    assert_eq!(ask(&session, other)?.failures().unwrap().len(), 1);
    let describe = || DescribeImages::new("web").image_ids([by_tag("v3")]);
    let error = world.refused(&errors::IMAGE_NOT_FOUND, "imageId", || ask(&session, describe()));
    let text = "The image with imageId {imageDigest:'null', imageTag:'v3'} does not exist within the repository with name 'web' \
                in the registry with id '123456789012'";
    assert_eq!(error.wire_message(), text);
    Ok(())
}

pub(super) fn only_a_missing_image_is_none(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web")?;
    let images = Image::objects(&session);
    let one = push(&session, "one", Some("v1"))?;
    let two = push(&session, "two", None)?;
    let get = |digest: Option<&str>, tag: Option<&str>| {
        images.get("web", ImageIdentifier::new(digest.map(Text::from), tag.map(Text::from))).wait()
    };
    assert_eq!(get(None, Some("v2"))?, None);
    assert_eq!(get(Some("sha256:00"), None)?, None);
    world.refused(&errors::IMAGE_UNNAMED, "imageId", || get(None, None));
    world.refused(&errors::IMAGE_DIGEST_INVALID, "imageId.imageDigest", || get(Some("nonsense"), None));
    world.refused(&errors::IMAGE_TAG_DIFFERS, "imageId.imageTag", || get(Some(&two), Some("v1")));
    let by_repository = || web.get_image(ImageIdentifier::new(None, None)).wait();
    world.refused(&errors::IMAGE_UNNAMED, "imageId", by_repository);
    assert!(get(Some(&one), Some("v1"))?.is_some());
    Ok(())
}

pub(super) fn strict_batches_fail_as_a_whole(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let images = Image::objects(&session);
    push(&session, "one", Some("v1"))?;
    let get = |strict: bool| images.get_many("web", [by_tag("v1"), by_tag("v2")]).strict(strict).wait();
    assert_eq!(get(false)?.failures().unwrap().len(), 1);
    let error = world.refused(&errors::IMAGE_OF_BATCH_NOT_FOUND, "imageIds", || get(true));
    assert!(error.to_string().contains("v2"), "{error}");
    assert_eq!(images.get_many("web", [by_tag("v1")]).strict(true).wait()?.images().unwrap().len(), 1);
    assert_eq!(images.delete("web", by_tag("v2")).wait()?.failures().unwrap().len(), 1);
    let delete = |tag: &str| images.delete("web", by_tag(tag)).strict(true).wait();
    world.refused(&errors::IMAGE_OF_BATCH_NOT_FOUND, "imageId", || delete("v2"));
    assert_eq!(delete("v1")?.image_ids().unwrap().len(), 1);
    Ok(())
}

pub(super) fn name_of_an_image_is_for_container_clients(world: &World) -> Result<()> {
    let session = world.session();
    let uri = create(&session, "web")?.repository_uri().unwrap().to_owned();
    let tagged = push(&session, "one", Some("v1"))?;
    let untagged = push(&session, "two", None)?;
    let images = Image::objects(&session);
    let name = |id: ImageIdentifier| -> Result<String> {
        Ok(images.get("web", id).wait()?.unwrap().require_name()?.to_owned())
    };
    assert_eq!(name(by_tag("v1"))?, format!("{uri}:v1"));
    assert_eq!(name(by_digest(&tagged))?, format!("{uri}@{tagged}"));
    let listed = images.list("web").results().order_by("name").values_flat("name").wait()?;
    assert_eq!(listed, [format!("{uri}:v1").into(), Value::from(format!("{uri}@{untagged}"))]);
    let elsewhere = images.get_many("web", [by_tag("v1")]).wait()?;
    assert_eq!(elsewhere.images().unwrap()[0].name()?, Some(&*format!("{uri}:v1")));
    Ok(())
}

pub(super) fn images_of_lists_are_kept(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let one = push(&session, "one", None)?;
    let list = format!(r#"{{"mediaType":"{INDEX}","manifests":[{{"digest":"{one}","size":1}}]}}"#);
    let list = put(&session, &list, Some("all"))?;
    let deleted = ask(&session, BatchDeleteImage::new("web", [by_digest(&one)]))?;
    let [failure] = deleted.failures().unwrap() else { panic!("one failure") };
    assert_eq!(failure.failure_code(), Some(&ImageFailureCode::ImageReferencedByManifestList));
    let reason = format!("Requested image referenced by manifest list: [{list}]");
    assert_eq!(failure.failure_reason(), Some(reason.as_str()));
    let found = ask(&session, DescribeImages::new("web"))?;
    let sizes: Vec<_> =
        found.image_details().unwrap().iter().map(|image| image.image_size_in_bytes()).collect();
    assert_eq!(sizes, [Some(8), Some(8)], "a list has the size of its largest image");
    assert_eq!(delete(&session, [by_digest(&list), by_digest(&one)])?, []);
    Ok(())
}

pub(super) fn images_are_filtered_and_paged(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push(&session, "untagged", None)?;
    for n in 0..5 {
        push(&session, "one", Some(&format!("v{n}")))?;
    }
    let count = |status: TagStatus| -> Result<(usize, usize)> {
        let filter = ImagesFilter::builder().tag_status(status).build()?;
        let ids = ask(&session, ListImages::new("web").filter(filter.clone()))?;
        let details = ask(&session, DescribeImages::new("web").filter(filter))?;
        Ok((ids.image_ids().unwrap().len(), details.image_details().unwrap().len()))
    };
    assert_eq!(count(TagStatus::Any)?, (6, 2));
    assert_eq!(count(TagStatus::Tagged)?, (5, 1));
    assert_eq!(count(TagStatus::Untagged)?, (1, 1));
    let first = ask(&session, ListImages::new("web").max_results(4))?;
    let rest = ask(&session, ListImages::new("web").max_results(4).next_token(first.next_token().unwrap()))?;
    assert_eq!((first.image_ids().unwrap().len(), rest.image_ids().unwrap().len()), (4, 2));
    assert_eq!(rest.next_token(), None);
    assert_eq!(Image::objects(&session).list("web").results().all().wait()?.len(), 6);
    Ok(())
}

pub(super) fn layers_are_removed_with_their_last_image(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let one = push(&session, "one", None)?;
    let two = push(&session, "two", None)?;
    world.advance(25 * HOUR)?;
    assert!(layers::is_available(&session, b"layer")?, "images need it");
    delete(&session, [by_digest(&one)])?;
    assert!(layers::is_available(&session, b"layer")? && !layers::is_available(&session, b"one")?);
    delete(&session, [by_digest(&two)])?;
    assert!(!layers::is_available(&session, b"layer")?);
    assert_eq!(world.cloud().sweep_blobs()?, 3);
    Ok(())
}

pub(super) fn pulls_are_recorded_once_a_day(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push(&session, "one", Some("v1"))?;
    let pulled = || -> Result<Option<i64>> {
        let found = ask(&session, DescribeImages::new("web"))?;
        Ok(found.image_details().unwrap()[0].last_recorded_pull_time().map(|time| time.as_millisecond()))
    };
    assert_eq!(pulled()?, None);
    let first = world.now();
    for hours in [0, 23] {
        world.advance(hours * HOUR)?;
        Image::objects(&session).get("web", by_tag("v1")).wait()?;
        assert_eq!(pulled()?, Some(first));
    }
    world.advance(HOUR)?;
    Image::objects(&session).get("web", by_tag("v1")).wait()?;
    assert_eq!(pulled()?, Some(world.now()));
    Ok(())
}

pub(super) fn repository_with_images_is_deleted_by_force(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push(&session, "one", Some("v1"))?;
    let repositories = Repository::objects(&session);
    let error =
        world.refused(&errors::REPOSITORY_NOT_EMPTY, "repositoryName", || repositories.delete("web").wait());
    let text = "The repository with name 'web' in registry with id '123456789012' cannot be deleted because it still contains \
                images";
    assert_eq!(error.wire_message(), text);
    repositories.create(&plan("api").build()?).wait()?;
    repositories.delete("web").force(true).wait()?;
    assert_eq!(world.cloud().sweep_blobs()?, 2);
    create(&session, "web")?;
    assert_eq!(Image::objects(&session).list("web").results().all().wait()?.len(), 0);
    assert!(!layers::is_available(&session, b"layer")?);
    Ok(())
}
