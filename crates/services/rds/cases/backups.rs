//! Automated backups of instances: a snapshot a day, kept for the retention.

use super::{
    World, advance_days,
    instances::{instances, request},
    snapshots::{snapshots, take},
};
use nephos_core::{Result, Session, Tag};
use nephos_rds::{
    CreateDBInstanceReadReplica, DBInstance, DeleteDBCluster, DeleteDBInstance,
    DeleteDBInstanceAutomatedBackup, DeleteDBSnapshot, DescribeDBClusterAutomatedBackups,
    DescribeDBInstanceAutomatedBackups, Filter, ModifyDBInstance, PromoteReadReplica,
    RestoreDBInstanceToPointInTime, TagSpecification, errors,
};
use nephos_testing::{ask, names};

/// Tags of automated backups of a type, for the team `team`.
pub(super) fn backup_tags(kind: &str, team: &str) -> TagSpecification {
    let tags = TagSpecification::builder().resource_type(kind).tags([("team", team)]);
    tags.build().unwrap()
}

/// Creates an instance with a backup window in the morning and this retention. The clock starts at noon of the 31st of January.
fn create(session: &Session, id: &str, days: i64) -> Result<DBInstance> {
    let mut create = request(id, "mysql");
    create.backup_retention_period = Some(days);
    create.preferred_backup_window = Some("05:00-06:00".into());
    create.preferred_maintenance_window = Some("sun:08:00-sun:09:00".into());
    ask(session, create)?;
    get(session, id)
}

fn get(session: &Session, id: &str) -> Result<DBInstance> {
    Ok(instances(session).get(id).wait()?.unwrap())
}

fn automated(session: &Session) -> Result<Vec<String>> {
    names(&snapshots(session).list().snapshot_type("automated").results().all().wait()?)
}

pub(super) fn automated_snapshots_follow_the_window(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web", 2)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-01-31-12-00"], "the first one is made with the instance");
    let first = web.latest_restorable_time().unwrap();
    advance_days(world, 1)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-01-31-12-00", "rds:web-2026-02-01-05-00"]);
    let web = get(&session, "web")?;
    assert_eq!(web.db_instance_status(), Some("available"));
    assert!(web.latest_restorable_time().unwrap() > first, "it moves on");
    advance_days(world, 3)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-02-03-05-00", "rds:web-2026-02-04-05-00"]);
    ask(&session, ModifyDBInstance::new("web").preferred_backup_window("06:30-07:30"))?;
    advance_days(world, 1)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-02-04-05-00", "rds:web-2026-02-05-06-30"]);
    instances(&session).stop("web").wait()?;
    advance_days(world, 2)?;
    assert_eq!(automated(&session)?.len(), 2, "no backups of a stopped instance");
    let error = world.refused(&errors::SNAPSHOT_STATE, "DBSnapshotIdentifier", || {
        ask(&session, DeleteDBSnapshot::new("rds:web-2026-02-05-06-30"))
    });
    assert_eq!(error.message(), "automated snapshots cannot be deleted.");
    Ok(())
}

pub(super) fn automated_snapshots_go_with_the_instance(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", 7)?;
    take(&session, "one", "web")?;
    ask(&session, ModifyDBInstance::new("web").new_db_instance_identifier("store").apply_immediately(true))?;
    advance_days(world, 1)?;
    assert_eq!(
        automated(&session)?,
        ["rds:store-2026-02-01-05-00", "rds:web-2026-01-31-12-00"],
        "backups go on under another name"
    );
    ask(&session, DeleteDBInstance::new("store").skip_final_snapshot(true))?;
    assert_eq!(names(&snapshots(&session).list().results().all().wait()?)?, ["one"], "manual ones stay");
    let backups = ask(&session, DescribeDBInstanceAutomatedBackups::new())?;
    assert_eq!(backups.db_instance_automated_backups().unwrap().len(), 0);
    advance_days(world, 2)?;
    assert_eq!(automated(&session)?.len(), 0);
    Ok(())
}

pub(super) fn retention_turns_backups_on_and_off(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web", 0)?;
    assert_eq!(web.latest_restorable_time(), None);
    advance_days(world, 2)?;
    assert_eq!(automated(&session)?.len(), 0);
    take(&session, "one", "web")?;
    assert_eq!(get(&session, "web")?.latest_restorable_time(), None, "a manual snapshot is no backup");
    let set = |days: i64| {
        let modify = ModifyDBInstance::new("web").backup_retention_period(days).apply_immediately(true);
        ask(&session, modify)
    };
    set(5)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-02-02-12-00"], "one is made at once");
    assert!(get(&session, "web")?.latest_restorable_time().is_some());
    advance_days(world, 3)?;
    assert_eq!(automated(&session)?.len(), 4);
    set(1)?;
    assert_eq!(
        automated(&session)?,
        ["rds:web-2026-02-05-05-00"],
        "what the retention no longer covers is removed"
    );
    set(0)?;
    assert_eq!(automated(&session)?.len(), 0);
    assert_eq!(get(&session, "web")?.latest_restorable_time(), None);
    set(1)?;
    advance_days(world, 1)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-02-05-12-00", "rds:web-2026-02-06-05-00"]);
    Ok(())
}

pub(super) fn backups_are_kept_after_deletion(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web", 3)?;
    create(&session, "none", 0)?;
    let resource_id = web.dbi_resource_id().unwrap();
    let describe = || ask(&session, DescribeDBInstanceAutomatedBackups::new());
    let active = describe()?;
    let active = active.db_instance_automated_backups().unwrap();
    assert_eq!((active.len(), active[0].status()), (1, Some("active")));
    let arn = active[0].db_instance_automated_backups_arn().unwrap();
    assert!(arn.starts_with("arn:aws:rds:us-east-1:123456789012:auto-backup:ab-"), "{arn}");
    world.refused(&errors::AUTOMATED_BACKUP_STATE, "DbiResourceId", || {
        ask(&session, DeleteDBInstanceAutomatedBackup::new().dbi_resource_id(resource_id))
    });
    advance_days(world, 1)?;
    let delete = DeleteDBInstance::new("web").skip_final_snapshot(true).delete_automated_backups(false);
    ask(&session, delete)?;
    let filter = vec![Filter::of("status", "retained")];
    let kept = ask(&session, DescribeDBInstanceAutomatedBackups::new().filters(filter))?;
    let kept = &kept.db_instance_automated_backups().unwrap()[0];
    assert_eq!((kept.db_instance_identifier(), kept.dbi_resource_id()), (Some("web"), Some(resource_id)));
    assert_eq!(automated(&session)?.len(), 2);
    let restore = RestoreDBInstanceToPointInTime::new("again").use_latest_restorable_time(true);
    ask(&session, restore.clone().source_dbi_resource_id(resource_id))?;
    let again = get(&session, "again")?;
    assert_eq!((again.master_username(), again.allocated_storage()), (Some("boss"), Some(20)));
    ask(&session, DeleteDBInstance::new("again").skip_final_snapshot(true))?;
    ask(&session, restore.source_db_instance_automated_backups_arn(arn))?;
    ask(&session, DeleteDBInstance::new("again").skip_final_snapshot(true))?;
    advance_days(world, 2)?;
    assert_eq!(automated(&session)?, ["rds:web-2026-02-01-05-00"], "each is kept for the retention");
    advance_days(world, 1)?;
    assert_eq!(automated(&session)?.len(), 0);
    assert_eq!(describe()?.db_instance_automated_backups().unwrap().len(), 0);
    world.refused(&errors::AUTOMATED_BACKUP_NOT_FOUND, "DbiResourceId", || {
        ask(&session, DescribeDBInstanceAutomatedBackups::new().dbi_resource_id(resource_id))
    });
    let api = create(&session, "api", 3)?;
    let delete = DeleteDBInstance::new("api").skip_final_snapshot(true).delete_automated_backups(false);
    ask(&session, delete)?;
    let id = api.dbi_resource_id().unwrap();
    ask(&session, DeleteDBInstanceAutomatedBackup::new().dbi_resource_id(id))?;
    assert_eq!(describe()?.db_instance_automated_backups().unwrap().len(), 0);
    assert_eq!(automated(&session)?.len(), 0);
    Ok(())
}

/// Returns the team in the tags of the automated backups of an instance.
fn team(session: &Session, id: &str) -> Result<Option<String>> {
    let found = ask(session, DescribeDBInstanceAutomatedBackups::new().db_instance_identifier(id))?;
    let backups = found.db_instance_automated_backups().unwrap();
    let tags = backups[0].tag_list().unwrap();
    Ok(tags.first().and_then(Tag::value).map(str::to_owned))
}

pub(super) fn backups_have_tags_of_their_own(world: &World) -> Result<()> {
    let session = world.session();
    let tagged = |team: &str| Some(vec![backup_tags("auto-backup", team)]);
    let mut web = request("web", "mysql");
    web.tag_list = Some(vec![Tag::new("team", "instance")]);
    web.tag_specifications = tagged("web");
    ask(&session, web)?;
    assert_eq!(team(&session, "web")?.as_deref(), Some("web"), "not the tags of the instance");
    let mut modify = ModifyDBInstance::new("web");
    modify.tag_specifications = tagged("api");
    ask(&session, modify)?;
    assert_eq!(team(&session, "web")?.as_deref(), Some("api"));
    let restore = RestoreDBInstanceToPointInTime::new("copy").source_db_instance_identifier("web");
    let restore = restore.use_latest_restorable_time(true).tag_specifications(tagged("copy").unwrap());
    ask(&session, restore)?;
    assert_eq!(team(&session, "copy")?.as_deref(), Some("copy"));
    ask(&session, CreateDBInstanceReadReplica::new("replica").source_db_instance_identifier("web"))?;
    ask(&session, PromoteReadReplica::new("replica").tag_specifications(tagged("promoted").unwrap()))?;
    assert_eq!(team(&session, "replica")?.as_deref(), Some("promoted"));
    let delete = DeleteDBInstance::new("web").skip_final_snapshot(true).delete_automated_backups(false);
    ask(&session, delete)?;
    assert_eq!(team(&session, "web")?.as_deref(), Some("api"), "backups that are kept keep their tags");
    let mut other = request("other", "mysql");
    other.tag_specifications = Some(vec![backup_tags("snapshot", "web")]);
    world.refused(&errors::INVALID, "TagSpecifications", || ask(&session, other));
    let cluster = super::clusters::request("cluster", "aurora-mysql");
    ask(&session, cluster.tag_specifications(vec![backup_tags("cluster-auto-backup", "web")]))?;
    let of_cluster = || {
        let found = ask(&session, DescribeDBClusterAutomatedBackups::new().db_cluster_identifier("cluster"))?;
        let backups = found.db_cluster_automated_backups().unwrap();
        Ok::<_, nephos_core::Error>(backups[0].tag_list().unwrap().len())
    };
    assert_eq!(of_cluster()?, 1);
    let delete = DeleteDBCluster::new("cluster").skip_final_snapshot(true).delete_automated_backups(false);
    ask(&session, delete)?;
    assert_eq!(of_cluster()?, 1);
    Ok(())
}
