//! States of clusters in several zones and of their instances over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_rds::{
    CreateDBCluster, DBCluster, DBInstance, DeleteDBCluster, ModifyDBCluster, RebootDBCluster,
    RebootDBInstance, errors,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

/// Creates a cluster with its maintenance window on Monday. The clock starts on Saturday at noon.
fn create(session: &Session) -> Result<()> {
    let create =
        CreateDBCluster::new("web", "mysql").master_username("root").master_user_password("correct-horse");
    let create = create.db_cluster_instance_class("db.m6gd.large").allocated_storage(100).iops(1000);
    let create = create.preferred_maintenance_window("mon:01:00-mon:02:00");
    ask(session, create.preferred_backup_window("05:00-06:00")).map(drop)
}

/// Statuses of the cluster and of its instances.
fn statuses(session: &Session) -> Result<Vec<String>> {
    let cluster = DBCluster::objects(session).get("web").wait()?;
    let mut found: Vec<_> = cluster.iter().filter_map(DBCluster::status).map(str::to_owned).collect();
    let members = DBInstance::objects(session).list().results().all().wait()?;
    found.extend(members.iter().filter_map(DBInstance::db_instance_status).map(str::to_owned));
    Ok(found)
}

#[test]
fn instances_have_the_status_of_their_cluster() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session)?;
    assert_eq!(statuses(&session)?, ["creating"; 4]);
    advance(&cloud, 60);
    assert_eq!(statuses(&session)?, ["available"; 4]);
    ask(&session, RebootDBInstance::new("web-instance-2"))?;
    assert_eq!(statuses(&session)?, ["available", "available", "rebooting", "available"]);
    ask(&session, RebootDBCluster::new("web"))?;
    assert_eq!(statuses(&session)?, ["rebooting"; 4]);
    advance(&cloud, 60);
    assert_eq!(statuses(&session)?, ["available"; 4]);
    ask(
        &session,
        ModifyDBCluster::new("web").db_cluster_instance_class("db.r6gd.large").apply_immediately(true),
    )?;
    assert_eq!(statuses(&session)?, ["scaling-compute", "modifying", "modifying", "modifying"]);
    let error = ask(&session, RebootDBInstance::new("web-instance-2")).unwrap_err();
    assert_eq!(error.code(), errors::INSTANCE_STATE.code);
    advance(&cloud, 600);
    assert_eq!(statuses(&session)?, ["available"; 4]);
    ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))?;
    advance(&cloud, 59);
    assert_eq!(statuses(&session)?, ["deleting"; 4]);
    advance(&cloud, 1);
    assert_eq!(statuses(&session)?, [""; 0]);
    Ok(())
}

#[test]
fn storage_grows_in_the_window() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&session)?;
    advance(&cloud, 60);
    ask(&session, ModifyDBCluster::new("web").allocated_storage(200))?;
    // Monday at one o'clock.
    advance(&cloud, 37 * 3600 - 60);
    assert_eq!(statuses(&session)?, ["scaling-storage", "modifying", "modifying", "modifying"]);
    advance(&cloud, 600);
    let cluster = DBCluster::objects(&session).get("web").wait()?.unwrap();
    assert_eq!((cluster.status(), cluster.allocated_storage()), (Some("available"), Some(200)));
    advance(&cloud, 8 * 24 * 3600);
    assert_eq!(statuses(&session)?, ["available"; 4], "once only");
    Ok(())
}
