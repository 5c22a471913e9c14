//! Snapshots and backups over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_rds::{
    CopyDBClusterSnapshot, CreateDBCluster, CreateDBClusterSnapshot, CreateDBInstance, CreateDBSnapshot,
    DBCluster, DBClusterSnapshot, DBInstance, DBSnapshot, DeleteDBClusterSnapshot, DeleteDBInstance,
    DeleteDBSnapshot, DescribeDBInstanceAutomatedBackups, RestoreDBClusterFromSnapshot,
    RestoreDBInstanceFromDBSnapshot, RestoreDBInstanceToPointInTime, StopDBInstance, errors,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

/// A cloud on a Saturday at noon.
fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

/// Creates an instance that is backed up at five o'clock.
fn create(session: &Session, id: &str) -> Result<()> {
    let create = CreateDBInstance::new(id, "db.t4g.micro", "mysql").allocated_storage(20);
    let create = create.master_username("boss").master_user_password("correct-horse");
    let create = create.preferred_backup_window("05:00-06:00").backup_retention_period(2);
    ask(session, create.preferred_maintenance_window("mon:01:00-mon:02:00"))?;
    Ok(())
}

fn get(session: &Session, id: &str) -> Result<DBInstance> {
    Ok(DBInstance::objects(session).get(id).wait()?.unwrap())
}

fn status(session: &Session, id: &str) -> Result<String> {
    Ok(get(session, id)?.db_instance_status().unwrap().to_owned())
}

fn snapshot(session: &Session, id: &str) -> Result<DBSnapshot> {
    Ok(DBSnapshot::objects(session).get(id).wait()?.unwrap())
}

#[test]
fn instance_is_backed_up_when_it_is_created_and_every_day() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session, "web")?;
    advance(&cloud, 5 * MINUTE);
    let web = get(&session, "web")?;
    assert_eq!((web.db_instance_status(), web.latest_restorable_time()), (Some("backing-up"), None));
    let backups = ask(&session, DescribeDBInstanceAutomatedBackups::new())?;
    assert_eq!(backups.db_instance_automated_backups().unwrap()[0].status(), Some("creating"));
    let first = snapshot(&session, "rds:web-2026-01-31-12-05")?;
    assert_eq!((first.status(), first.percent_progress()), (Some("creating"), Some(0)));
    advance(&cloud, 2 * MINUTE);
    assert_eq!(status(&session, "web")?, "available");
    assert_eq!(snapshot(&session, "rds:web-2026-01-31-12-05")?.status(), Some("available"));
    let latest = get(&session, "web")?.latest_restorable_time().unwrap();
    advance(&cloud, 13 * MINUTE);
    assert!(get(&session, "web")?.latest_restorable_time().unwrap() > latest, "it moves on");
    // Sunday at five o'clock.
    advance(&cloud, 17 * HOUR - 20 * MINUTE);
    assert_eq!(status(&session, "web")?, "backing-up");
    assert_eq!(snapshot(&session, "rds:web-2026-02-01-05-00")?.snapshot_type(), Some("automated"));
    advance(&cloud, 2 * MINUTE);
    assert_eq!(status(&session, "web")?, "available");
    Ok(())
}

#[test]
fn snapshot_takes_time_and_refuses_meanwhile() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session, "web")?;
    let take = |id: &str| ask(&session, CreateDBSnapshot::new(id, "web"));
    assert_eq!(take("one").unwrap_err().code(), errors::INSTANCE_STATE.code);
    advance(&cloud, 10 * MINUTE);
    take("one")?;
    assert_eq!(status(&session, "web")?, "backing-up");
    assert_eq!(take("two").unwrap_err().code(), errors::INSTANCE_STATE.code, "one at a time");
    let restore = || {
        let restore = RestoreDBInstanceFromDBSnapshot::new("copy").db_snapshot_identifier("one");
        ask(&session, restore)
    };
    assert_eq!(restore().unwrap_err().code(), errors::SNAPSHOT_STATE.code);
    assert_eq!(ask(&session, DeleteDBSnapshot::new("one")).unwrap_err().code(), errors::SNAPSHOT_STATE.code);
    advance(&cloud, 2 * MINUTE);
    assert_eq!(snapshot(&session, "one")?.percent_progress(), Some(100));
    assert_eq!(status(&session, "web")?, "available");
    restore()?;
    assert_eq!(status(&session, "copy")?, "creating");
    advance(&cloud, 10 * MINUTE);
    assert_eq!(status(&session, "copy")?, "available");
    Ok(())
}

#[test]
fn last_snapshot_is_made_while_the_instance_goes() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session, "web")?;
    advance(&cloud, 10 * MINUTE);
    ask(&session, DeleteDBInstance::new("web").final_db_snapshot_identifier("last"))?;
    assert_eq!(status(&session, "web")?, "deleting");
    assert_eq!(snapshot(&session, "last")?.status(), Some("creating"));
    advance(&cloud, 5 * MINUTE);
    assert_eq!(DBInstance::objects(&session).get("web").wait()?, None);
    assert_eq!(snapshot(&session, "last")?.status(), Some("available"));
    Ok(())
}

#[test]
fn stopped_instance_is_restored_to_the_time_of_its_stop() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session, "web")?;
    advance(&cloud, 30 * MINUTE);
    ask(&session, StopDBInstance::new("web"))?;
    let stopped = get(&session, "web")?.latest_restorable_time().unwrap();
    advance(&cloud, HOUR);
    assert_eq!(get(&session, "web")?.latest_restorable_time(), Some(stopped));
    let restore = |time| {
        let restore = RestoreDBInstanceToPointInTime::new("copy").source_db_instance_identifier("web");
        ask(&session, restore.restore_time(time))
    };
    let late = restore(stopped + SignedDuration::from_mins(1)).unwrap_err();
    assert_eq!((late.code(), late.field()), (errors::INVALID.code, Some("RestoreTime")));
    restore(stopped)?;
    Ok(())
}

fn cluster_status(session: &Session, id: &str) -> Result<String> {
    Ok(DBCluster::objects(session).get(id).wait()?.unwrap().status().unwrap().to_owned())
}

#[test]
fn cluster_is_backed_up_in_its_window() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    let create = CreateDBCluster::new("web", "aurora-mysql").master_username("root");
    let create = create.master_user_password("correct-horse").preferred_backup_window("05:00-06:00");
    ask(&session, create.preferred_maintenance_window("mon:01:00-mon:02:00"))?;
    let take = |id: &str| ask(&session, CreateDBClusterSnapshot::new(id, "web"));
    assert_eq!(take("one").unwrap_err().code(), errors::CLUSTER_STATE.code);
    advance(&cloud, MINUTE);
    take("one")?;
    assert_eq!(cluster_status(&session, "web")?, "backing-up");
    let restore = || ask(&session, RestoreDBClusterFromSnapshot::new("copy", "aurora-mysql", "one"));
    assert_eq!(restore().unwrap_err().code(), errors::CLUSTER_SNAPSHOT_STATE.code);
    advance(&cloud, MINUTE);
    assert_eq!(cluster_status(&session, "web")?, "available");
    restore()?;
    ask(&session, CopyDBClusterSnapshot::new("one", "two"))?;
    ask(&session, DeleteDBClusterSnapshot::new("two"))?;
    assert_eq!(DBClusterSnapshot::objects(&session).get("two").wait()?, None, "the copy is cancelled");
    // Sunday at five o'clock.
    advance(&cloud, 17 * HOUR - 2 * MINUTE);
    assert_eq!(cluster_status(&session, "web")?, "backing-up");
    advance(&cloud, MINUTE);
    let automated = DBClusterSnapshot::objects(&session).get("rds:web-2026-02-01-05-00").wait()?.unwrap();
    assert_eq!((automated.status(), automated.snapshot_type()), (Some("available"), Some("automated")));
    Ok(())
}
