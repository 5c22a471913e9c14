//! Roles of read replicas over time, with realistic transitions.

use nephos_cloud::Transitions;
use nephos_core::{Result, Session, SignedDuration};
use nephos_rds::{
    CreateDBInstance, CreateDBInstanceReadReplica, DBInstance, DeleteDBInstance, ModifyDBInstance,
    PromoteReadReplica, SwitchoverReadReplica, errors,
};
use nephos_rds_cases::Cloud;
use nephos_testing::ask;

fn cloud() -> Cloud {
    Cloud::options().clock(nephos_testing::clock()).seed(7).transitions(Transitions::Realistic).in_memory()
}

fn advance(cloud: &Cloud, seconds: i64) {
    cloud.clock().advance(SignedDuration::from_secs(seconds)).unwrap();
}

/// Creates an instance and a read replica of it.
fn create(cloud: &Cloud, session: &Session, engine: &str) -> Result<()> {
    let create = CreateDBInstance::new("web", "db.r5.large", engine)
        .allocated_storage(200)
        .preferred_backup_window("01:00-02:00");
    ask(session, create.master_username("boss").master_user_password("correct-horse"))?;
    let replica = || CreateDBInstanceReadReplica::new("web-2").source_db_instance_identifier("web");
    let error = ask(session, replica()).unwrap_err();
    assert_eq!(error.code(), errors::INSTANCE_STATE.code, "the source is being created");
    advance(cloud, 600);
    ask(session, replica())?;
    let error = ask(session, PromoteReadReplica::new("web-2")).unwrap_err();
    assert_eq!(error.code(), errors::INSTANCE_STATE.code, "the replica is being created");
    advance(cloud, 300);
    Ok(())
}

fn get(session: &Session, id: &str) -> Result<DBInstance> {
    Ok(DBInstance::objects(session).get(id).wait()?.unwrap())
}

fn status(session: &Session, id: &str) -> Result<String> {
    Ok(get(session, id)?.db_instance_status().unwrap().to_owned())
}

#[test]
fn promoted_replica_makes_a_backup() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "mysql")?;
    assert_eq!(status(&session, "web-2")?, "available", "a replica makes no backup");
    ask(&session, PromoteReadReplica::new("web-2"))?;
    advance(&cloud, 179);
    let replica = get(&session, "web-2")?;
    assert_eq!(replica.db_instance_status(), Some("modifying"));
    assert_eq!(replica.read_replica_source_db_instance_identifier(), Some("web"));
    advance(&cloud, 1);
    let promoted = get(&session, "web-2")?;
    assert_eq!(promoted.db_instance_status(), Some("backing-up"));
    assert_eq!(promoted.read_replica_source_db_instance_identifier(), None);
    advance(&cloud, 120);
    assert_eq!(status(&session, "web-2")?, "available");
    Ok(())
}

#[test]
fn promotion_ends_without_the_source() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "mysql")?;
    ask(&session, PromoteReadReplica::new("web-2").backup_retention_period(0))?;
    ask(&session, DeleteDBInstance::new("web").skip_final_snapshot(true))?;
    advance(&cloud, 240);
    assert_eq!(DBInstance::objects(&session).get("web").wait()?, None);
    let promoted = get(&session, "web-2")?;
    assert_eq!(promoted.db_instance_status(), Some("available"));
    assert_eq!(promoted.backup_retention_period(), Some(0));
    Ok(())
}

#[test]
fn switchover_ends_without_the_source() -> Result<()> {
    let cloud = cloud();
    let session = cloud.session();
    create(&cloud, &session, "oracle-ee")?;
    ask(&session, ModifyDBInstance::new("web-2").backup_retention_period(1).apply_immediately(true))?;
    // The change, and the first backup.
    advance(&cloud, 300);
    ask(&session, SwitchoverReadReplica::new("web-2"))?;
    for id in ["web", "web-2"] {
        assert_eq!(status(&session, id)?, "modifying");
    }
    ask(&session, DeleteDBInstance::new("web").skip_final_snapshot(true))?;
    advance(&cloud, 240);
    let left = get(&session, "web-2")?;
    assert_eq!(left.db_instance_status(), Some("available"));
    assert_eq!(left.read_replica_source_db_instance_identifier(), None);
    assert_eq!(left.read_replica_db_instance_identifiers().map(<[_]>::len), Some(0));
    // Nothing of the deleted instance is left over for one of the same name.
    create_again(&cloud, &session)
}

/// Creates the source anew and changes it.
fn create_again(cloud: &Cloud, session: &Session) -> Result<()> {
    let create = CreateDBInstance::new("web", "db.r5.large", "oracle-ee")
        .allocated_storage(200)
        .preferred_backup_window("01:00-02:00");
    ask(session, create.master_username("boss").master_user_password("correct-horse"))?;
    advance(cloud, 600);
    ask(session, ModifyDBInstance::new("web").db_instance_class("db.r5.xlarge").apply_immediately(true))?;
    advance(cloud, 180);
    assert_eq!(get(session, "web")?.db_instance_class(), Some("db.r5.xlarge"));
    Ok(())
}
