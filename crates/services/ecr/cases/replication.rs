//! Cases: pushed images are copied to the registries that the replication of the registry names.

use super::{
    World, create, existing,
    images::{INDEX, by_digest, by_tag, push, put},
    layers, plan,
};
use nephos_core::{Record as _, Result, Session, Text};
use nephos_ecr::{
    Image, ImageReplicationStatus, ImageTagMutability, ReplicationConfiguration, ReplicationStatus,
    Repository, errors,
};
use nephos_testing::{HOUR, OTHER_ACCOUNT};

/// Sets a rule that replicates repositories to a Region of an account.
fn replicate(world: &World, region: &str, account: &str, filters: &str) -> Result<()> {
    let rule =
        format!(r#"{{"destinations": [{{"region": "{region}", "registryId": "{account}"}}]{filters}}}"#);
    let rules = ReplicationConfiguration::from_json(format!(r#"{{"rules": [{rule}, {rule}]}}"#))?;
    Repository::objects(&world.session()).set_replication(rules).wait().map(|_| ())
}

fn image(session: &Session, tag: &str) -> Result<Option<Image>> {
    Image::objects(session).get("web", by_tag(tag)).wait()
}

/// Registries that the image with this tag is replicated to.
fn statuses(session: &Session, tag: &str) -> Result<Vec<ImageReplicationStatus>> {
    let status = image(session, tag)?.unwrap().replication_status().wait()?;
    assert_eq!((status.repository_name(), status.image_id().unwrap().image_tag()), (Some("web"), Some(tag)));
    Ok(status.replication_statuses().unwrap().to_vec())
}

pub(super) fn pushed_images_are_copied_to_other_regions(world: &World) -> Result<()> {
    let session = world.session();
    let there = world.other_region();
    create(&session, "web")?;
    push(&session, "before", Some("v0"))?;
    replicate(world, "eu-west-1", "123456789012", "")?;
    let digest = push(&session, "one", Some("v1"))?;
    let [status] = &statuses(&session, "v1")?[..] else { panic!("one registry") };
    assert_eq!((status.region(), status.registry_id()), (Some("eu-west-1"), Some("123456789012")));
    assert_eq!((status.status(), status.failure_code()), (Some(&ReplicationStatus::Complete), None));
    assert_eq!(statuses(&session, "v0")?, [], "images that were pushed before are not copied");
    let copied = image(&there, "v1")?.unwrap();
    assert_eq!(copied.image_manifest(), image(&session, "v1")?.unwrap().image_manifest());
    assert_eq!(image(&there, "v0")?, None);
    assert_eq!(existing(&there, "web")?.image_tag_mutability(), Some(&ImageTagMutability::Mutable));
    push(&session, "one", Some("latest"))?;
    assert_eq!(image(&there, "latest")?.unwrap().image_id().unwrap().image_digest(), Some(digest.as_str()));
    world.advance(25 * HOUR)?;
    Image::objects(&session).delete("web", by_digest(&digest)).wait()?;
    assert!(image(&there, "v1")?.is_some(), "deletions are not replicated");
    assert!(layers::is_available(&there, b"one")? && !layers::is_available(&session, b"one")?);
    push(&session, "one", Some("v1"))?;
    Image::objects(&there).delete("web", by_digest(&digest)).wait()?;
    push(&session, "one", Some("v2"))?;
    assert!(image(&there, "v2")?.is_some());
    world.refused(&errors::IMAGE_NOT_FOUND, "imageId", || {
        Image::objects(&session).replication_status("web", by_tag("none")).wait()
    });
    Ok(())
}

pub(super) fn filters_restrict_what_is_replicated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let filters = |prefix: &str| {
        format!(r#", "repositoryFilters": [{{"filter": "{prefix}", "filterType": "PREFIX_MATCH"}}]"#)
    };
    replicate(world, "eu-west-1", "123456789012", &filters("prod"))?;
    push(&session, "one", Some("v1"))?;
    assert_eq!(statuses(&session, "v1")?, []);
    replicate(world, "eu-west-1", "123456789012", &filters("we"))?;
    push(&session, "two", Some("v2"))?;
    assert_eq!(statuses(&session, "v2")?.len(), 1);
    Ok(())
}

pub(super) fn lists_are_copied_with_their_images(world: &World) -> Result<()> {
    let session = world.session();
    let there = world.other_region();
    create(&session, "web")?;
    let child = push(&session, "one", None)?;
    replicate(world, "eu-west-1", "123456789012", "")?;
    let list = format!(r#"{{"mediaType":"{INDEX}","manifests":[{{"digest":"{child}","size":1}}]}}"#);
    put(&session, &list, Some("all"))?;
    assert!(image(&there, "all")?.is_some());
    assert!(Image::objects(&there).get("web", by_digest(&child)).wait()?.is_some());
    Ok(())
}

pub(super) fn copies_do_not_move_immutable_tags(world: &World) -> Result<()> {
    let session = world.session();
    let there = world.other_region();
    create(&session, "web")?;
    let immutable = plan("web").image_tag_mutability(ImageTagMutability::Immutable).build()?;
    Repository::objects(&there).create(&immutable).wait()?;
    let other = push(&there, "other", Some("v1"))?;
    replicate(world, "eu-west-1", "123456789012", "")?;
    let digest = push(&session, "one", Some("v1"))?;
    assert_eq!(image(&there, "v1")?.unwrap().image_id().unwrap().image_digest(), Some(other.as_str()));
    let copied = Image::objects(&there).get("web", by_digest(&digest)).wait()?;
    assert!(copied.is_some(), "the image is copied without the tag");
    Ok(())
}

pub(super) fn other_accounts_must_allow_replication(world: &World) -> Result<()> {
    let session = world.session();
    let there = world.other_account();
    create(&session, "web")?;
    replicate(world, "us-east-1", OTHER_ACCOUNT, "")?;
    push(&session, "one", Some("v1"))?;
    let code = || -> Result<(ReplicationStatus, Option<Text>)> {
        let [status] = &statuses(&session, "v1")?[..] else { panic!("one registry") };
        Ok((status.status().unwrap().clone(), status.failure_code().map(Text::from)))
    };
    assert_eq!(code()?, (ReplicationStatus::Failed, Some("AccessDeniedException".into())));
    assert!(Repository::objects(&there).get("web").wait()?.is_none());
    let policy = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS":
        "arn:aws:iam::123456789012:root"}, "Action": "ecr:ReplicateImage", "Resource": "*"}]}"#;
    Repository::objects(&there).set_registry_policy(policy).wait()?;
    push(&session, "one", Some("v2"))?;
    assert_eq!(code()?, (ReplicationStatus::Complete, None));
    assert_eq!(image(&there, "v2")?.unwrap().registry_id(), Some(OTHER_ACCOUNT));
    Ok(())
}
