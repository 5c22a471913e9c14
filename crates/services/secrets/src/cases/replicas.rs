//! Replicas in other Regions.

use super::{DAY, OTHER_REGION, World, errors, value};
use crate::{ReplicaRegion, ReplicaStatus, Secret};
use nephos_core::{Resource, Result, Tag, Tagged};

fn there() -> Vec<ReplicaRegion> {
    vec![ReplicaRegion::new(OTHER_REGION)]
}

/// A secret with a replica in the other Region.
fn replicated(world: &World) -> Result<Secret> {
    let secret = world.secret("web", "one")?;
    Secret::objects(&world.session()).replicate_to_regions("web", there()).wait()?;
    world.advance(0)?;
    Ok(secret)
}

/// The state and message of the replica, as the primary tells them.
fn status(world: &World) -> Result<Option<(ReplicaStatus, Option<String>)>> {
    let told = Secret::objects(&world.session()).describe("web").wait()?;
    let told = told.replication_status().and_then(<[_]>::first);
    Ok(told.and_then(|told| Some((told.status()?.clone(), told.status_message().map(str::to_owned)))))
}

/// A replica is as its primary is, and stays so.
pub(super) fn a_replica_follows_its_primary(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let primary = world.secret("web", "one")?;
    objects.tag("web", vec![Tag::new("team", "web")]).wait()?;
    let told = objects.replicate_to_regions("web", there()).wait()?;
    let begun = told.replication_status().and_then(<[_]>::first).and_then(|told| told.status().cloned());
    assert_eq!(begun, Some(ReplicaStatus::InProgress), "it takes a moment");
    assert_eq!(status(world)?, Some((ReplicaStatus::InSync, None)));
    let elsewhere = world.other_region();
    let replica = Secret::objects(&elsewhere).get("web").wait()?.expect("it was replicated");
    assert_eq!(replica.require_arn()?, primary.require_arn()?.replace("us-east-1", OTHER_REGION));
    assert_eq!((replica.primary_region(), replica.tags_map().wait()?.len()), (Some("us-east-1"), 1));
    assert_eq!(world.found_secret("web")?.primary_region(), Some("us-east-1"));
    assert_eq!(replica.secret_versions_to_stages(), world.found_secret("web")?.secret_versions_to_stages());
    assert_eq!(value(&elsewhere, "web")?, "one");
    assert_eq!(value(&elsewhere, replica.require_arn()?)?, "one");

    objects.set_value("web").secret_string("two").wait()?;
    let policy = r#"{"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
    objects.set_resource_policy("web", policy).wait()?;
    let mut changed = world.found_secret("web")?;
    changed.set_description("changed")?;
    changed.tags_mut().wait()?.clear()?;
    objects.update(&changed).wait()?;
    let replica = Secret::objects(&elsewhere).get("web").wait()?.expect("it is still there");
    assert_eq!((replica.description(), replica.tags_map().wait()?.len()), (Some("changed"), 0));
    assert_eq!(value(&elsewhere, "web")?, "two");
    let previous = Secret::objects(&elsewhere).get_value("web").version_stage("PROVIDERPREVIOUS").wait()?;
    assert_eq!(previous.secret_string().map(|text| text.expose()), Some("one"));
    assert_eq!(replica.get_resource_policy().wait()?.resource_policy(), Some(policy));
    assert_eq!(status(world)?, Some((ReplicaStatus::InSync, None)));
    let described = objects.describe("web").wait()?;
    let read =
        described.replication_status().and_then(<[_]>::first).and_then(|told| told.last_accessed_date());
    assert!(read.is_some(), "when a replica was read is told");
    assert_eq!(world.found_secret("web")?.last_accessed_date(), None, "the primary was not");
    assert_eq!(Secret::objects(&elsewhere).list().results().count().wait()?, 1);
    Ok(())
}

/// A replica is changed through its primary only.
pub(super) fn a_replica_is_only_read(world: &World) -> Result<()> {
    replicated(world)?;
    let elsewhere = world.other_region();
    let objects = Secret::objects(&elsewhere);
    let mut replica = objects.get("web").wait()?.expect("it was replicated");
    replica.set_description("changed")?;
    let refused = &errors::INVALID_REQUEST;
    world.refused(refused, None, || objects.set_value("web").secret_string("x").wait());
    world.refused(refused, None, || objects.update(&replica).wait());
    world.refused(refused, None, || objects.delete("web").wait());
    world.refused(refused, None, || objects.delete("web").force_delete_without_recovery(true).wait());
    world.refused(refused, None, || objects.restore("web").wait());
    world.refused(refused, None, || objects.rotate("web").rotation_function_arn("f").wait());
    world.refused(refused, None, || objects.tag("web", vec![Tag::new("a", "b")]).wait());
    world.refused(refused, None, || objects.update_version_stage("web", "x").wait());
    world.refused(refused, None, || objects.delete_resource_policy("web").wait());
    world.refused(refused, None, || {
        objects.replicate_to_regions("web", vec![ReplicaRegion::new("us-west-2")]).wait()
    });
    world.refused(&errors::EXISTS, None, || objects.create(&Secret::builder().name("web").build()?).wait());
    world.refused(refused, None, || Secret::objects(&world.session()).stop_replication("web").wait());
    Ok(())
}

/// A secret can be replicated from the start, with a key for each Region.
pub(super) fn a_secret_is_created_with_replicas(world: &World) -> Result<()> {
    let regions = vec![
        ReplicaRegion::builder().region(OTHER_REGION).crypto_key_id("alias/there").build()?,
        ReplicaRegion::new("us-west-2"),
    ];
    let create = Secret::objects(&world.session()).create(&Secret::builder().name("web").build()?);
    let secret = create.secret_string("one").add_replica_regions(regions).wait()?;
    assert_eq!(secret.primary_region(), Some("us-east-1"));
    let described = secret.describe().wait()?;
    let told: Vec<_> = described.replication_status().unwrap_or_default().iter().collect();
    assert_eq!(
        told.iter().map(|told| told.region()).collect::<Vec<_>>(),
        [Some(OTHER_REGION), Some("us-west-2")]
    );
    assert!(told.iter().all(|told| told.status() == Some(&ReplicaStatus::InSync)));
    let replica = Secret::objects(&world.other_region()).get("web").wait()?.expect("it was replicated");
    assert_eq!((replica.crypto_key_id(), secret.crypto_key_id()), (Some("alias/there"), None));
    assert_eq!(value(&world.other_region(), "web")?, "one");
    Ok(())
}

/// A replica takes the place of a secret of its name only if that is said.
pub(super) fn a_replica_does_not_take_the_place_of_another_secret(world: &World) -> Result<()> {
    let elsewhere = world.other_region();
    let other = Secret::builder().name("web").build()?;
    Secret::objects(&elsewhere).create(&other).secret_string("other").wait()?;
    let objects = Secret::objects(&world.session());
    world.secret("web", "one")?;
    objects.replicate_to_regions("web", there()).wait()?;
    let (state, message) = status(world)?.expect("it has a replica");
    assert_eq!(state, ReplicaStatus::Failed);
    assert!(message.is_some_and(|message| message.contains("Secret name web already exists")));
    assert_eq!(value(&elsewhere, "web")?, "other");
    objects.replicate_to_regions("web", there()).force_overwrite_replica_secret(true).wait()?;
    assert_eq!(status(world)?, Some((ReplicaStatus::InSync, None)), "what failed can be tried again");
    assert_eq!(value(&elsewhere, "web")?, "one");
    Ok(())
}

/// Removed replicas are gone at once; the primary is a secret like any other again.
pub(super) fn removed_replicas_are_gone_at_once(world: &World) -> Result<()> {
    replicated(world)?;
    let objects = Secret::objects(&world.session());
    world.invalid_secret("RemoveReplicaRegions", || {
        objects.remove_regions("web", vec!["us-west-2".into()]).wait()
    });
    let left = objects.remove_regions("web", vec![OTHER_REGION.into()]).wait()?;
    assert_eq!(left.replication_status(), Some(&[][..]));
    assert_eq!(Secret::objects(&world.other_region()).get("web").wait()?, None);
    let primary = world.found_secret("web")?;
    assert_eq!(primary.primary_region(), None);
    objects.replicate_to_regions("web", there()).wait()?;
    assert_eq!(value(&world.other_region(), "web")?, "one", "it can be replicated again");
    Ok(())
}

/// A promoted replica goes its own way.
pub(super) fn a_promoted_replica_is_a_secret_of_its_own(world: &World) -> Result<()> {
    replicated(world)?;
    let elsewhere = world.other_region();
    let objects = Secret::objects(&elsewhere);
    let replica = objects.get("web").wait()?.expect("it was replicated");
    assert_eq!(replica.stop_replication().wait()?.arn(), Some(replica.require_arn()?));
    assert_eq!(
        objects.get("web").wait()?.and_then(|secret| secret.primary_region().map(str::to_owned)),
        None
    );
    assert_eq!(status(world)?, None);
    objects.set_value("web").secret_string("there").wait()?;
    Secret::objects(&world.session()).set_value("web").secret_string("here").wait()?;
    assert_eq!(
        (value(&elsewhere, "web")?, value(&world.session(), "web")?),
        ("there".to_owned(), "here".to_owned())
    );
    Secret::objects(&world.session()).delete("web").force_delete_without_recovery(true).wait()?;
    assert_eq!(value(&elsewhere, "web")?, "there");
    objects.delete("web").recovery_window_in_days(7).wait()?;
    world.advance(7 * DAY)?;
    assert_eq!(objects.get("web").wait()?, None);
    Ok(())
}

/// A primary is not deleted as long as it has replicas.
pub(super) fn a_primary_with_replicas_is_not_deleted(world: &World) -> Result<()> {
    let secret = replicated(world)?;
    world.refused(&errors::INVALID_REQUEST, None, || secret.delete().wait());
    world.refused(&errors::INVALID_REQUEST, None, || {
        secret.delete().force_delete_without_recovery(true).wait()
    });
    Secret::objects(&world.session()).remove_regions("web", vec![OTHER_REGION.into()]).wait()?;
    secret.delete().wait()?;
    Ok(())
}

/// Regions are written as such, other than the secret's own, and given once.
pub(super) fn regions_have_rules(world: &World) -> Result<()> {
    replicated(world)?;
    let objects = Secret::objects(&world.session());
    let replicate = |regions: &[&str]| {
        objects
            .replicate_to_regions(
                "web",
                regions.iter().map(|region| ReplicaRegion::new(*region)).collect::<Vec<_>>(),
            )
            .wait()
    };
    world.invalid_secret("AddReplicaRegions", || replicate(&[]));
    world.invalid_secret("AddReplicaRegions", || replicate(&["us-east-1"]));
    world.invalid_secret("AddReplicaRegions", || replicate(&[OTHER_REGION]));
    world.invalid_secret("AddReplicaRegions", || replicate(&["us-west-2", "us-west-2"]));
    world.invalid_secret("AddReplicaRegions[0].Region", || replicate(&["Mars"]));
    world.invalid_secret("AddReplicaRegions", || {
        objects.replicate_to_regions("web", vec![ReplicaRegion::builder().build()?]).wait()
    });
    replicate(&["us-west-2"])?;
    Ok(())
}
