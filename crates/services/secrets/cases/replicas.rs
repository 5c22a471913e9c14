//! Replicas in other Regions.

use super::{DAY, OTHER_REGION, World, errors, value};
use nephos_core::{Resource, Result, Tag, Tagged};
use nephos_secrets::{ReplicaRegion, ReplicaStatus, Secret};

fn other_region() -> Vec<ReplicaRegion> {
    vec![ReplicaRegion::new(OTHER_REGION)]
}

/// Creates a secret with a replica in the other Region.
fn create_replicated_secret(world: &World) -> Result<Secret> {
    let secret = world.create_secret("web", "one")?;
    Secret::objects(&world.session()).replicate_to_regions("web", other_region()).wait()?;
    world.advance(0)?;
    Ok(secret)
}

/// Returns the status and status message of the replica, as the primary reports them.
fn replica_status(world: &World) -> Result<Option<(ReplicaStatus, Option<String>)>> {
    let described = Secret::objects(&world.session()).describe("web").wait()?;
    let replica = described.replication_status().and_then(<[_]>::first);
    Ok(replica
        .and_then(|replica| Some((replica.status()?.clone(), replica.status_message().map(str::to_owned)))))
}

pub(super) fn replica_follows_changes_of_primary(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let primary = world.create_secret("web", "one")?;
    objects.tag("web", vec![Tag::new("team", "web")]).wait()?;
    let response = objects.replicate_to_regions("web", other_region()).wait()?;
    let begun =
        response.replication_status().and_then(<[_]>::first).and_then(|replica| replica.status().cloned());
    assert_eq!(begun, Some(ReplicaStatus::InProgress), "replication is asynchronous");
    assert_eq!(replica_status(world)?, Some((ReplicaStatus::InSync, None)));
    let elsewhere = world.other_region();
    let replica = Secret::objects(&elsewhere).get("web").wait()?.expect("the replica exists");
    assert_eq!(replica.require_arn()?, primary.require_arn()?.replace("us-east-1", OTHER_REGION));
    assert_eq!((replica.primary_region(), replica.tags_map().wait()?.len()), (Some("us-east-1"), 1));
    assert_eq!(world.existing_secret("web")?.primary_region(), Some("us-east-1"));
    assert_eq!(
        replica.secret_versions_to_stages(),
        world.existing_secret("web")?.secret_versions_to_stages()
    );
    assert_eq!(value(&elsewhere, "web")?, "one");
    assert_eq!(value(&elsewhere, replica.require_arn()?)?, "one");

    objects.set_value("web").secret_string("two").wait()?;
    let policy = r#"{"Statement": {"Effect": "Deny", "Principal": "*", "Action": "*", "Resource": "*"}}"#;
    objects.set_resource_policy("web", policy).wait()?;
    let mut changed = world.existing_secret("web")?;
    changed.set_description("changed")?;
    changed.tags_mut().wait()?.clear()?;
    objects.update(&changed).wait()?;
    let replica = Secret::objects(&elsewhere).get("web").wait()?.expect("the replica exists");
    assert_eq!((replica.description(), replica.tags_map().wait()?.len()), (Some("changed"), 0));
    assert_eq!(value(&elsewhere, "web")?, "two");
    let previous = Secret::objects(&elsewhere).get_value("web").version_stage("PROVIDERPREVIOUS").wait()?;
    assert_eq!(previous.secret_string().map(|text| text.expose()), Some("one"));
    assert_eq!(replica.get_resource_policy().wait()?.resource_policy(), Some(policy));
    assert_eq!(replica_status(world)?, Some((ReplicaStatus::InSync, None)));
    let described = objects.describe("web").wait()?;
    let read = described
        .replication_status()
        .and_then(<[_]>::first)
        .and_then(|replica| replica.last_accessed_date());
    assert!(read.is_some(), "the primary reports the last access of its replica");
    assert_eq!(world.existing_secret("web")?.last_accessed_date(), None, "the primary itself was not read");
    assert_eq!(Secret::objects(&elsewhere).list().results().count().wait()?, 1);
    Ok(())
}

pub(super) fn replica_is_read_only(world: &World) -> Result<()> {
    create_replicated_secret(world)?;
    let elsewhere = world.other_region();
    let objects = Secret::objects(&elsewhere);
    let mut replica = objects.get("web").wait()?.expect("the replica exists");
    replica.set_description("changed")?;
    let refused = &errors::INVALID;
    let error = world.refused(refused, None, || objects.set_value("web").secret_string("x").wait());
    assert_eq!(
        error.message(),
        "Operation not permitted on a replica secret. Call must be made in primary secret's region."
    );
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
    let primary = Secret::objects(&world.session());
    world.refused(&errors::INVALID_REQUEST, None, || primary.stop_replication("web").wait());
    Ok(())
}

/// Each Region can have its own key.
pub(super) fn secret_is_created_with_replicas(world: &World) -> Result<()> {
    let key = world.crypto_key_in(OTHER_REGION, "there");
    let regions = vec![
        ReplicaRegion::builder().region(OTHER_REGION).crypto_key_id(key.as_str()).build()?,
        ReplicaRegion::new("us-west-2"),
    ];
    let create = Secret::objects(&world.session()).create(&Secret::builder().name("web").build()?);
    let secret = create.secret_string("one").add_replica_regions(regions).wait()?;
    assert_eq!(secret.primary_region(), Some("us-east-1"));
    let described = secret.describe().wait()?;
    let replicas: Vec<_> = described.replication_status().unwrap_or_default().iter().collect();
    assert_eq!(
        replicas.iter().map(|replica| replica.region()).collect::<Vec<_>>(),
        [Some(OTHER_REGION), Some("us-west-2")]
    );
    assert!(replicas.iter().all(|replica| replica.status() == Some(&ReplicaStatus::InSync)));
    let replica = Secret::objects(&world.other_region()).get("web").wait()?.expect("the replica exists");
    assert_eq!((replica.crypto_key_id(), secret.crypto_key_id()), (Some(key.as_str()), None));
    assert_eq!(value(&world.other_region(), "web")?, "one");
    Ok(())
}

pub(super) fn replica_overwrites_existing_secret_only_if_forced(world: &World) -> Result<()> {
    let elsewhere = world.other_region();
    let other = Secret::builder().name("web").build()?;
    Secret::objects(&elsewhere).create(&other).secret_string("other").wait()?;
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "one")?;
    objects.replicate_to_regions("web", other_region()).wait()?;
    let (state, message) = replica_status(world)?.expect("the secret has a replica");
    assert_eq!(state, ReplicaStatus::Failed);
    assert!(message.is_some_and(|message| message.contains("Secret name web already exists")));
    assert_eq!(value(&elsewhere, "web")?, "other");
    objects.replicate_to_regions("web", other_region()).force_overwrite_replica_secret(true).wait()?;
    assert_eq!(
        replica_status(world)?,
        Some((ReplicaStatus::InSync, None)),
        "a failed replica can be added again"
    );
    assert_eq!(value(&elsewhere, "web")?, "one");
    Ok(())
}

/// The primary becomes a standalone secret again.
pub(super) fn removed_replica_is_deleted_immediately(world: &World) -> Result<()> {
    create_replicated_secret(world)?;
    let objects = Secret::objects(&world.session());
    world.assert_invalid("RemoveReplicaRegions", || {
        objects.remove_regions("web", vec!["us-west-2".into()]).wait()
    });
    let left = objects.remove_regions("web", vec![OTHER_REGION.into()]).wait()?;
    assert_eq!(left.replication_status(), Some(&[][..]));
    assert_eq!(Secret::objects(&world.other_region()).get("web").wait()?, None);
    let primary = world.existing_secret("web")?;
    assert_eq!(primary.primary_region(), None);
    objects.replicate_to_regions("web", other_region()).wait()?;
    assert_eq!(value(&world.other_region(), "web")?, "one", "the secret can be replicated again");
    Ok(())
}

/// Changes of the primary no longer affect it.
pub(super) fn promoted_replica_is_standalone_secret(world: &World) -> Result<()> {
    create_replicated_secret(world)?;
    let elsewhere = world.other_region();
    let objects = Secret::objects(&elsewhere);
    let replica = objects.get("web").wait()?.expect("the replica exists");
    assert_eq!(replica.stop_replication().wait()?.arn(), Some(replica.require_arn()?));
    assert_eq!(
        objects.get("web").wait()?.and_then(|secret| secret.primary_region().map(str::to_owned)),
        None
    );
    assert_eq!(replica_status(world)?, None);
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

/// The status of a replica names its key.
pub(super) fn default_key_of_replicas_is_named(world: &World) -> Result<()> {
    let key = world.crypto_key_in(OTHER_REGION, "there");
    let regions = vec![
        ReplicaRegion::builder().region(OTHER_REGION).crypto_key_id(key.as_str()).build()?,
        ReplicaRegion::new("us-west-2"),
    ];
    world.create_secret("web", "one")?;
    let objects = Secret::objects(&world.session());
    let begun = objects.replicate_to_regions("web", regions).wait()?;
    let described = objects.describe("web").wait()?;
    for statuses in [begun.replication_status(), described.replication_status()] {
        let keys: Vec<_> = statuses.unwrap_or_default().iter().map(|status| status.crypto_key_id()).collect();
        assert_eq!(keys, [Some(key.as_str()), Some("alias/aws/secretsmanager")]);
    }
    Ok(())
}

pub(super) fn primary_with_replicas_cannot_be_deleted(world: &World) -> Result<()> {
    let secret = create_replicated_secret(world)?;
    let error = world.refused(&errors::INVALID, None, || secret.delete().wait());
    let arn = secret.require_arn()?;
    let text = format!("You can't delete secret {arn} that still has replica regions [{OTHER_REGION}].");
    assert_eq!(error.message(), text);
    world.refused(&errors::INVALID, None, || secret.delete().force_delete_without_recovery(true).wait());
    Secret::objects(&world.session()).remove_regions("web", vec![OTHER_REGION.into()]).wait()?;
    secret.delete().wait()?;
    Ok(())
}

/// A Region must be well-formed, other than that of the secret, and given once.
pub(super) fn replica_regions_are_checked(world: &World) -> Result<()> {
    create_replicated_secret(world)?;
    let objects = Secret::objects(&world.session());
    let replicate = |regions: &[&str]| {
        objects
            .replicate_to_regions(
                "web",
                regions.iter().map(|region| ReplicaRegion::new(*region)).collect::<Vec<_>>(),
            )
            .wait()
    };
    world.assert_violation("AddReplicaRegions", || replicate(&[]));
    world.assert_invalid("AddReplicaRegions", || replicate(&["us-east-1"]));
    world.assert_invalid("AddReplicaRegions", || replicate(&[OTHER_REGION]));
    world.assert_invalid("AddReplicaRegions", || replicate(&["us-west-2", "us-west-2"]));
    world.assert_violation("AddReplicaRegions[0].Region", || replicate(&["Mars"]));
    world.assert_invalid("AddReplicaRegions", || {
        objects.replicate_to_regions("web", vec![ReplicaRegion::builder().build()?]).wait()
    });
    replicate(&["us-west-2"])?;
    Ok(())
}
