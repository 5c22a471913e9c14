//! States of clusters over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_rds::{
    CreateDBCluster, DBCluster, DeleteDBCluster, ModifyDBCluster, StartDBCluster, StopDBCluster, errors,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

const DAY: i64 = 24 * 3600;

/// Creates a cluster with its maintenance window on Monday. The clock starts on Saturday at noon.
fn create(cloud: &Cloud, session: &Session, id: &str) -> Result<()> {
    let create = CreateDBCluster::new(id, "aurora-mysql").master_username("root");
    let create =
        create.master_user_password("correct-horse").preferred_maintenance_window("mon:01:00-mon:02:00");
    ask(session, create.preferred_backup_window("05:00-06:00"))?;
    assert_eq!(status(session, id)?.as_deref(), Some("creating"));
    advance(cloud, 60);
    Ok(())
}

fn get(session: &Session, id: &str) -> Result<Option<DBCluster>> {
    DBCluster::objects(session).get(id).wait()
}

fn status(session: &Session, id: &str) -> Result<Option<String>> {
    Ok(get(session, id)?.and_then(|cluster| cluster.status().map(str::to_owned)))
}

#[test]
fn cluster_takes_time_to_stop_start_and_go() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "web")?;
    ask(&session, StopDBCluster::new("web"))?;
    assert_eq!(status(&session, "web")?.as_deref(), Some("stopping"));
    let error = ask(&session, StartDBCluster::new("web")).unwrap_err();
    assert_eq!(error.code(), errors::CLUSTER_STATE.code);
    advance(&cloud, 180);
    assert_eq!(status(&session, "web")?.as_deref(), Some("stopped"));
    ask(&session, StartDBCluster::new("web"))?;
    assert_eq!(status(&session, "web")?.as_deref(), Some("starting"));
    advance(&cloud, 300);
    assert_eq!(status(&session, "web")?.as_deref(), Some("available"));
    ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))?;
    advance(&cloud, 59);
    assert_eq!(status(&session, "web")?.as_deref(), Some("deleting"));
    advance(&cloud, 1);
    assert_eq!(get(&session, "web")?, None);
    Ok(())
}

#[test]
fn stopped_cluster_starts_after_seven_days() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "web")?;
    ask(&session, StopDBCluster::new("web"))?;
    advance(&cloud, 180);
    ask(&session, StartDBCluster::new("web"))?;
    advance(&cloud, 300);
    ask(&session, StopDBCluster::new("web"))?;
    advance(&cloud, 7 * DAY - 1);
    assert_eq!(status(&session, "web")?.as_deref(), Some("stopped"), "only the last stop counts");
    advance(&cloud, 1);
    assert_eq!(status(&session, "web")?.as_deref(), Some("starting"));
    Ok(())
}

#[test]
fn new_name_waits_for_the_window() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "web")?;
    let rename =
        ModifyDBCluster::new("web").new_db_cluster_identifier("store").master_user_password("battery-staple");
    let answer = ask(&session, rename.backup_retention_period(5))?;
    let answer = answer.db_cluster().unwrap();
    let pending = answer.pending_modified_values().unwrap();
    assert_eq!(
        (pending.db_cluster_identifier(), pending.master_user_password()),
        (Some("store"), Some("****"))
    );
    assert_eq!(answer.backup_retention_period(), Some(5), "other settings change at once");
    advance(&cloud, 60);
    assert_eq!(status(&session, "web")?.as_deref(), Some("available"));
    // Monday at one o'clock.
    advance(&cloud, 37 * 3600 - 120);
    assert_eq!(status(&session, "web")?.as_deref(), Some("renaming"));
    advance(&cloud, 60);
    let store = get(&session, "store")?.unwrap();
    let pending = store.pending_modified_values().unwrap();
    assert_eq!((pending.db_cluster_identifier(), pending.master_user_password()), (None, None));
    assert_eq!(get(&session, "web")?, None);
    // Once only.
    create(&cloud, &session, "web")?;
    advance(&cloud, 7 * DAY);
    assert_eq!(status(&session, "web")?.as_deref(), Some("available"));
    Ok(())
}

#[test]
fn pending_change_of_a_stopped_cluster_waits_for_the_next_window() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "web")?;
    ask(&session, ModifyDBCluster::new("web").new_db_cluster_identifier("store"))?;
    ask(&session, StopDBCluster::new("web"))?;
    advance(&cloud, 2 * DAY);
    assert_eq!(status(&session, "web")?.as_deref(), Some("stopped"));
    ask(&session, StartDBCluster::new("web"))?;
    advance(&cloud, 7 * DAY);
    assert_eq!(status(&session, "store")?.as_deref(), Some("available"));
    Ok(())
}
