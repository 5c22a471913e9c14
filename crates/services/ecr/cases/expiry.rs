//! Cases: lifecycle policies delete and archive images every day, and are previewed.

use super::{
    World, create,
    images::{INDEX, by_digest, by_tag, push, put},
    lifecycle::{policy, rule},
};
use nephos_core::{Result, Session, Text};
use nephos_ecr::{
    BatchGetImage, DescribeImages, GetLifecyclePolicyPreview, ImageActionType, ImageFailureCode, ImageStatus,
    LifecyclePolicyPreviewFilter, LifecyclePolicyPreviewStatus, Repository, StartImageScan, TagStatus,
    errors,
};
use nephos_testing::{DAY, HOUR, ask};

/// A rule that keeps the newest image.
fn keep_newest() -> String {
    rule(1, r#""tagStatus": "any", "countType": "imageCountMoreThan", "countNumber": 1"#)
}

fn set(session: &Session, rules: &[String]) -> Result<()> {
    Repository::objects(session).set_lifecycle_policy("web", policy(rules)).wait().map(|_| ())
}

/// Digests of the images of the repository.
fn digests(session: &Session) -> Result<Vec<Text>> {
    let found = ask(session, DescribeImages::new("web"))?;
    let digests = found.image_details().unwrap().iter().filter_map(|image| image.image_digest());
    Ok(digests.map(Text::from).collect())
}

fn last_evaluated_at(session: &Session) -> Result<i64> {
    let policy = Repository::objects(session).get_lifecycle_policy("web").wait()?;
    Ok(policy.last_evaluated_at().unwrap().as_millisecond())
}

/// Pushes images one second after another, and returns the digest of the last.
fn push_each(world: &World, configs: &[&str]) -> Result<Text> {
    let mut last = Text::default();
    for config in configs {
        world.advance(1000)?;
        last = push(&world.session(), config, Some(config))?;
    }
    Ok(last)
}

pub(super) fn images_expire_once_a_day(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let newest = push_each(world, &["one", "two", "three"])?;
    set(&session, &[keep_newest()])?;
    world.advance(DAY - 1)?;
    assert_eq!((digests(&session)?.len(), last_evaluated_at(&session)?), (3, 0));
    world.advance(1)?;
    assert_eq!((digests(&session)?, last_evaluated_at(&session)?), (vec![newest], world.now()));
    let newest = push_each(world, &["four"])?;
    assert_eq!(digests(&session)?.len(), 2);
    world.advance(2 * DAY)?;
    assert_eq!(digests(&session)?, [newest], "the policy is evaluated every day");
    Ok(())
}

pub(super) fn replaced_policy_is_evaluated_at_the_same_time(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    push_each(world, &["one", "two"])?;
    let old =
        r#""tagStatus": "any", "countType": "sinceImagePushed", "countUnit": "days", "countNumber": 14"#;
    set(&session, &[rule(1, old)])?;
    world.advance(23 * HOUR)?;
    set(&session, &[keep_newest()])?;
    world.advance(HOUR)?;
    assert_eq!(digests(&session)?.len(), 1);
    Repository::objects(&session).delete_lifecycle_policy("web").wait()?;
    push_each(world, &["three"])?;
    world.advance(2 * DAY)?;
    assert_eq!(digests(&session)?.len(), 2, "a removed policy has no effect");
    world.advance(HOUR)?;
    set(&session, &[keep_newest()])?;
    world.advance(23 * HOUR)?;
    assert_eq!(digests(&session)?.len(), 2, "a new policy is evaluated after a day");
    Ok(())
}

pub(super) fn images_of_kept_lists_do_not_expire(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let child = push_each(world, &["one"])?;
    let list =
        |child: &str| format!(r#"{{"mediaType":"{INDEX}","manifests":[{{"digest":"{child}","size":1}}]}}"#);
    world.advance(1000)?;
    let list = put(&session, &list(&child), Some("all"))?;
    set(&session, &[keep_newest()])?;
    world.advance(DAY)?;
    let mut kept = vec![child, list];
    kept.sort();
    assert_eq!(digests(&session)?, kept);
    let newest = push_each(world, &["two"])?;
    world.advance(DAY)?;
    assert_eq!(digests(&session)?, [newest], "a list expires together with its images");
    Ok(())
}

pub(super) fn images_are_archived_before_they_expire(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let digest = push_each(world, &["one"])?;
    let archive = rule(
        1,
        r#""tagStatus": "any", "countType": "sinceImagePulled", "countUnit": "days", "countNumber": 2"#,
    );
    let archive = archive.replace(r#""expire""#, r#""transition", "targetStorageClass": "archive""#);
    let expire = rule(
        2,
        r#""tagStatus": "any", "storageClass": "archive", "countType": "sinceImageTransitioned", "countUnit": "days",
           "countNumber": 3"#,
    );
    set(&session, &[archive, expire])?;
    world.advance(3 * DAY)?;
    let found = ask(&session, DescribeImages::new("web"))?;
    let [image] = found.image_details().unwrap() else { panic!("one image") };
    assert_eq!(image.image_status(), Some(&ImageStatus::Archived));
    assert_eq!(image.last_archived_at().unwrap().as_millisecond(), world.now());
    let pulled = ask(&session, BatchGetImage::new("web", [by_digest(&digest)]))?;
    assert_eq!(pulled.failures().unwrap()[0].failure_code(), Some(&ImageFailureCode::ImageInaccessible));
    let scan = || ask(&session, StartImageScan::new("web", by_digest(&digest)));
    world.refused(&errors::IMAGE_ARCHIVED, "imageId", scan);
    world.advance(3 * DAY)?;
    assert_eq!(digests(&session)?.len(), 1);
    world.advance(DAY)?;
    assert_eq!(digests(&session)?, [""; 0]);
    Ok(())
}

pub(super) fn preview_returns_selected_images(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let repositories = Repository::objects(&session);
    let get = || repositories.get_lifecycle_policy_preview("web").wait();
    let error = world.refused(&errors::PREVIEW_NOT_FOUND, None, get);
    let text = "Lifecycle policy preview does not exist for the repository with name 'web' in the registry with id \
                '123456789012'";
    assert_eq!(error.wire_message(), text);
    let start = || repositories.start_lifecycle_policy_preview("web");
    world.refused(&errors::LIFECYCLE_POLICY_NOT_FOUND, None, || start().wait());
    let broken = || start().lifecycle_policy_text("x".repeat(100)).wait();
    world.refused(&errors::INVALID, "lifecyclePolicyText", broken);
    push_each(world, &["one", "two", "three"])?;
    world.advance(1000)?;
    push(&session, "four", None)?;
    set(&session, &[keep_newest()])?;
    let started = start().wait()?;
    assert_eq!(started.status(), Some(&LifecyclePolicyPreviewStatus::InProgress));
    let preview = get()?;
    assert_eq!(preview.status(), Some(&LifecyclePolicyPreviewStatus::Complete));
    assert_eq!(preview.lifecycle_policy_text(), started.lifecycle_policy_text());
    let results = preview.preview_results().unwrap();
    let tags: Vec<_> = results.iter().map(|result| result.image_tags().unwrap()[0].as_str()).collect();
    assert_eq!(tags, ["one", "two", "three"]);
    assert_eq!(results[0].applied_rule_priority(), Some(1));
    assert_eq!(results[0].action().unwrap().r#type(), Some(&ImageActionType::Expire));
    assert_eq!(preview.summary().unwrap().expiring_image_total_count(), Some(3));
    assert_eq!(digests(&session)?.len(), 4, "a preview deletes nothing");
    let count = |get: GetLifecyclePolicyPreview| -> Result<usize> {
        Ok(ask(&session, get)?.preview_results().unwrap().len())
    };
    let get = || GetLifecyclePolicyPreview::new("web");
    assert_eq!(count(get().image_ids([by_tag("two"), by_tag("none")]))?, 1);
    let untagged = LifecyclePolicyPreviewFilter::builder().tag_status(TagStatus::Untagged).build()?;
    assert_eq!(count(get().filter(untagged))?, 0);
    let page = ask(&session, get().max_results(2))?;
    assert_eq!(page.preview_results().unwrap().len(), 2);
    assert_eq!(count(get().max_results(2).next_token(page.next_token().unwrap()))?, 1);
    let both = || ask(&session, get().max_results(2).image_ids([by_tag("two")]));
    world.refused(&errors::INVALID, "maxResults", both);
    repositories.delete("web").force(true).wait()?;
    create(&session, "web")?;
    world.refused(&errors::PREVIEW_NOT_FOUND, None, || ask(&session, get()));
    Ok(())
}
