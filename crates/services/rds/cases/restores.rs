//! Restores of instances: from snapshots, and to a point in time.

use super::{
    World, advance_days,
    instances::{create, instances, request},
    snapshots::take,
};
use nephos_core::{Result, Session, SignedDuration, Text, prelude::*};
use nephos_rds::{
    CopyDBSnapshot, DBInstance, ModifyDBInstance, ModifyDBSnapshot, ModifyDBSnapshotAttribute,
    RestoreDBInstanceFromDBSnapshot, RestoreDBInstanceToPointInTime, errors,
};
use nephos_testing::{OTHER_ACCOUNT, ask};

fn get(session: &Session, id: &str) -> Result<DBInstance> {
    Ok(instances(session).get(id).wait()?.unwrap())
}

fn restore(id: &str, snapshot: &str) -> RestoreDBInstanceFromDBSnapshot {
    RestoreDBInstanceFromDBSnapshot::new(id).db_snapshot_identifier(snapshot)
}

pub(super) fn instance_is_restored_from_a_snapshot(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = request("web", "mysql");
    web.engine_version = Some("8.0.35".into());
    web.db_name = Some("shop".into());
    web.db_instance_port = Some(3307);
    web.multi_az = Some(true);
    web.storage_type = Some("io1".into());
    web.allocated_storage = Some(100);
    web.iops = Some(1000);
    web.backup_retention_period = Some(3);
    web.tag_list = Some(vec![Tag::new("team", "web")]);
    ask(&session, web)?;
    take(&session, "one", "web")?;
    let answer = ask(&session, restore("Copy", "one"))?;
    let answer = answer.db_instance().unwrap();
    assert_eq!((answer.require_name()?, answer.db_instance_status()), ("copy", Some("creating")));
    let options = &answer.option_group_memberships().unwrap()[0];
    assert_eq!(options.status(), Some("pending-apply"));
    assert_eq!(answer.pending_modified_values().unwrap().master_user_password(), None);
    let copy = get(&session, "copy")?;
    assert_eq!((copy.engine(), copy.engine_version()), (Some("mysql"), Some("8.0.35")));
    assert_eq!((copy.db_name(), copy.master_username(), copy.port()?), (Some("shop"), Some("boss"), 3307));
    assert_eq!((copy.multi_az(), copy.iops(), copy.storage_type()), (Some(false), Some(1000), Some("io1")));
    assert_eq!((copy.db_instance_class(), copy.backup_retention_period()), (Some("db.t4g.micro"), Some(3)));
    assert_eq!(copy.option_group_memberships().unwrap()[0].status(), Some("in-sync"));
    assert_eq!(copy.tags_map().wait()?.len(), 1, "the tags of the source");
    assert_ne!(copy.dbi_resource_id(), get(&session, "web")?.dbi_resource_id());
    let other = restore("other", "one").db_instance_class("db.r6g.large").storage_type("gp3");
    let other = other.allocated_storage(400).tag_list(vec![Tag::new("stage", "test"), Tag::new("a", "b")]);
    ask(&session, other.deletion_protection(true).backup_retention_period(0))?;
    let other = get(&session, "other")?;
    assert_eq!((other.storage_type(), other.iops()), (Some("gp3"), Some(12_000)));
    assert_eq!((other.db_instance_class(), other.deletion_protection()), (Some("db.r6g.large"), Some(true)));
    assert_eq!((other.tags_map().wait()?.len(), other.backup_retention_period()), (2, Some(0)));
    ask(&session, ModifyDBSnapshot::new("one").engine_version("8.4"))?;
    let upgraded =
        instances(&session).restore_from_snapshot("upgraded").db_snapshot_identifier("one").wait()?;
    assert!(upgraded.engine_version().unwrap().starts_with("8.4."), "the version of the snapshot");
    Ok(())
}

pub(super) fn restores_from_snapshots_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    take(&session, "one", "web")?;
    let refused = |code, field: &str, restore: RestoreDBInstanceFromDBSnapshot| {
        world.refused(code, field, || ask(&session, restore))
    };
    let (invalid, combination) = (&errors::INVALID, &errors::INVALID_COMBINATION);
    refused(&errors::INSTANCE_EXISTS, "DBInstanceIdentifier", restore("web", "one"));
    refused(&errors::SNAPSHOT_NOT_FOUND, "DBSnapshotIdentifier", restore("copy", "none"));
    refused(invalid, "DBInstanceIdentifier", restore("a--b", "one"));
    refused(invalid, "DBSnapshotIdentifier", RestoreDBInstanceFromDBSnapshot::new("copy"));
    let both = restore("copy", "one").db_cluster_snapshot_identifier("two");
    refused(combination, "DBSnapshotIdentifier", both);
    let cluster = RestoreDBInstanceFromDBSnapshot::new("copy").db_cluster_snapshot_identifier("two");
    refused(&errors::CLUSTER_SNAPSHOT_NOT_FOUND, "DBClusterSnapshotIdentifier", cluster);
    let error = refused(combination, "AllocatedStorage", restore("copy", "one").allocated_storage(19));
    assert_eq!(
        error.message(),
        "The allocated storage size can't be less than the source snapshot or backup size."
    );
    refused(combination, "Engine", restore("copy", "one").engine("postgres"));
    refused(combination, "DBName", restore("copy", "one").db_name("shop"));
    refused(invalid, "DBInstanceClass", restore("copy", "one").db_instance_class("large"));
    refused(
        combination,
        "ManageMasterUserPassword",
        restore("copy", "one").manage_master_user_password(true),
    );
    refused(combination, "ProcessorFeatures", {
        let features = vec![nephos_rds::ProcessorFeature::builder().name("coreCount").value("4").build()?];
        restore("copy", "one").processor_features(features).use_default_processor_features(true)
    });
    refused(&errors::DOMAIN_NOT_FOUND, "Domain", restore("copy", "one").domain("d-1"));
    refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", {
        restore("copy", "one").db_subnet_group_name("none")
    });
    Ok(())
}

pub(super) fn instance_is_restored_from_a_shared_snapshot(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_account());
    ask(&session, request("web", "mysql"))?;
    let one = take(&session, "one", "web")?;
    let arn = one.require_arn()?;
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "DBSnapshotIdentifier", || ask(&other, restore("copy", arn)));
    let share = |id: &str| {
        let accounts = vec![Text::new(OTHER_ACCOUNT)];
        ask(&session, ModifyDBSnapshotAttribute::new(id, "restore").values_to_add(accounts))
    };
    share("one")?;
    ask(&other, restore("copy", arn))?;
    let copy = get(&other, "copy")?;
    assert_eq!(copy.require_arn()?, "arn:aws:rds:us-east-1:210987654321:db:copy");
    assert_eq!((copy.master_username(), copy.allocated_storage()), (Some("boss"), Some(20)));
    world.refused(&errors::SNAPSHOT_NOT_FOUND, "DBSnapshotIdentifier", || {
        ask(&world.other_region(), restore("copy", arn))
    });
    let copy = CopyDBSnapshot::new("one", "secret").crypto_key_id(world.crypto_key("own"));
    let copy = ask(&session, copy)?;
    let copy = copy.db_snapshot().unwrap();
    if copy.crypto_key_id().is_some() && share("secret").is_ok() {
        world.refused(&errors::CRYPTO_KEY, "DBSnapshotIdentifier", || {
            ask(&other, restore("secret", copy.require_arn().unwrap()))
        });
    }
    Ok(())
}

pub(super) fn managed_password_is_restored_as_a_password(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = request("web", "mysql");
    web.master_user_password = None;
    web.manage_master_user_password = Some(true);
    ask(&session, web)?;
    take(&session, "one", "web")?;
    ask(&session, restore("copy", "one"))?;
    let copy = get(&session, "copy")?;
    assert_eq!(copy.master_user_secret(), None, "the password is not managed");
    ask(&session, ModifyDBInstance::new("copy").manage_master_user_password(true))?;
    assert_eq!(get(&session, "copy")?.credentials().wait()?.username(), Some("boss"));
    Ok(())
}

pub(super) fn instance_is_restored_to_a_point_in_time(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    advance_days(world, 1)?;
    let web = get(&session, "web")?;
    let latest = web.latest_restorable_time().unwrap();
    let to = |id: &str| RestoreDBInstanceToPointInTime::new(id).source_db_instance_identifier("web");
    let hour = latest - SignedDuration::from_hours(1);
    let answer = ask(&session, to("One").restore_time(hour).db_instance_class("db.r6g.large"))?;
    assert_eq!(answer.db_instance().unwrap().require_name()?, "one");
    ask(&session, to("two").use_latest_restorable_time(true).max_allocated_storage(100))?;
    let resource_id = web.dbi_resource_id().unwrap();
    let three = instances(&session).restore_to_point_in_time("three").use_latest_restorable_time(true);
    three.source_dbi_resource_id(resource_id).wait()?;
    let one = get(&session, "one")?;
    assert_eq!((one.db_instance_class(), one.allocated_storage()), (Some("db.r6g.large"), Some(20)));
    assert_eq!((one.master_username(), one.storage_encrypted()), (Some("boss"), Some(true)));
    assert_eq!(get(&session, "two")?.max_allocated_storage(), Some(100));
    Ok(())
}

pub(super) fn restores_to_a_point_in_time_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let mut plain = request("plain", "mysql");
    plain.backup_retention_period = Some(0);
    ask(&session, plain)?;
    let web = get(&session, "web")?;
    let latest = web.latest_restorable_time().unwrap();
    let to = |source: &str| RestoreDBInstanceToPointInTime::new("copy").source_db_instance_identifier(source);
    let refused = |code, field: &str, restore: RestoreDBInstanceToPointInTime| {
        world.refused(code, field, || ask(&session, restore))
    };
    let combination = &errors::INVALID_COMBINATION;
    let error = refused(
        &errors::INVALID,
        "RestoreTime",
        to("web").restore_time(latest + SignedDuration::from_secs(1)),
    );
    assert_eq!(
        error.message(),
        "The specified instance cannot be restored to a time later than 2026-01-31T12:00:00Z."
    );
    refused(&errors::INVALID, "RestoreTime", to("web").restore_time(latest - SignedDuration::from_hours(1)));
    let error =
        refused(combination, "RestoreTime", to("web").restore_time(latest).use_latest_restorable_time(true));
    assert_eq!(error.message(), "Cannot specify both RestoreTime and UseLatestRestorableTime");
    refused(combination, "RestoreTime", to("web"));
    let latest = |source: &str| to(source).use_latest_restorable_time(true);
    refused(&errors::INSTANCE_NOT_FOUND, "SourceDBInstanceIdentifier", latest("none"));
    refused(&errors::RESTORE_NOT_ENABLED, "SourceDBInstanceIdentifier", latest("plain"));
    refused(combination, "SourceDBInstanceIdentifier", latest("web").source_dbi_resource_id("db-1"));
    let unknown = RestoreDBInstanceToPointInTime::new("copy").use_latest_restorable_time(true);
    refused(&errors::INVALID, "SourceDBInstanceIdentifier", unknown.clone());
    refused(
        &errors::AUTOMATED_BACKUP_NOT_FOUND,
        "SourceDbiResourceId",
        unknown.source_dbi_resource_id("db-1"),
    );
    let error = refused(combination, "AllocatedStorage", latest("web").allocated_storage(10));
    assert_eq!(error.message(), "Allocated storage size can't be less than the source instance size.");
    let mut taken = latest("web");
    taken.target_db_instance_identifier = "plain".into();
    refused(&errors::INSTANCE_EXISTS, "TargetDBInstanceIdentifier", taken);
    Ok(())
}
