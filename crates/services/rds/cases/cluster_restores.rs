//! Restores of clusters: from snapshots, to a point in time, and clones.

use super::{World, advance_days, cluster_snapshots::take, clusters::request, snapshots};
use nephos_core::{Error, Result, Session, SignedDuration, Text, prelude::*};
use nephos_rds::{
    CopyDBClusterSnapshot, DBCluster, DBClusterManager, DBInstance, DeleteDBCluster, DocDBCluster,
    ModifyDBCluster, ModifyDBClusterSnapshotAttribute, RestoreDBClusterFromSnapshot,
    RestoreDBClusterToPointInTime, RestoreDBInstanceFromDBSnapshot, ServerlessV2ScalingConfiguration, errors,
};
use nephos_testing::{OTHER_ACCOUNT, ask, names};

fn clusters(session: &Session) -> DBClusterManager {
    DBCluster::objects(session)
}

fn get(session: &Session, id: &str) -> Result<DBCluster> {
    Ok(clusters(session).get(id).wait()?.unwrap())
}

fn from(id: &str, engine: &str, snapshot: &str) -> RestoreDBClusterFromSnapshot {
    RestoreDBClusterFromSnapshot::new(id, engine, snapshot)
}

fn to(id: &str, source: &str) -> RestoreDBClusterToPointInTime {
    RestoreDBClusterToPointInTime::new(id).source_db_cluster_identifier(source)
}

pub(super) fn cluster_is_restored_from_a_snapshot(world: &World) -> Result<()> {
    let session = world.session();
    let capacity = ServerlessV2ScalingConfiguration::builder().min_capacity(1.0).max_capacity(8.0).build()?;
    let web = request("web", "aurora-postgresql").engine_version("15.4").database_name("shop").port(5433);
    let web = web.backup_retention_period(5).serverless_v2_scaling_configuration(capacity);
    ask(&session, web.storage_encrypted(true).tag_list(vec![Tag::new("team", "web")]))?;
    take(&session, "one", "web")?;
    let answer = ask(&session, from("Copy", "aurora-postgresql", "one"))?;
    assert_eq!(answer.db_cluster().unwrap().status(), Some("creating"));
    let copy = get(&session, "copy")?;
    assert_eq!((copy.engine_version(), copy.database_name()), (Some("15.4"), Some("shop")));
    assert_eq!((copy.master_username(), copy.port()), (Some("root"), Some(5433)));
    assert_eq!((copy.backup_retention_period(), copy.storage_encrypted()), (Some(5), Some(true)));
    assert_eq!(copy.crypto_key_id(), get(&session, "web")?.crypto_key_id());
    assert_eq!(copy.serverless_v2_scaling_configuration().unwrap().max_capacity(), Some(8.0));
    assert_eq!((copy.tags_map().wait()?.len(), copy.db_cluster_members().unwrap().len()), (0, 0));
    let other = from("other", "aurora-postgresql", "one").port(5434).deletion_protection(true);
    ask(&session, other.engine_version("16").tag_list(vec![Tag::new("stage", "test")]))?;
    let other = get(&session, "other")?;
    assert!(other.engine_version().unwrap().starts_with("16."));
    assert_eq!((other.port(), other.tags_map().wait()?.len()), (Some(5434), 1));
    assert_eq!(names(&get(&session, "web")?.snapshots().wait()?)?, ["one"]);
    ask(&session, ModifyDBCluster::new("copy").manage_master_user_password(true).apply_immediately(true))?;
    Ok(())
}

pub(super) fn restores_of_clusters_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("web", "aurora-mysql"))?;
    take(&session, "one", "web")?;
    let refused = |code, field: &str, restore: RestoreDBClusterFromSnapshot| {
        world.refused(code, field, || ask(&session, restore))
    };
    let combination = &errors::INVALID_COMBINATION;
    let copy = || from("copy", "aurora-mysql", "one");
    refused(&errors::CLUSTER_EXISTS, "DBClusterIdentifier", from("web", "aurora-mysql", "one"));
    refused(&errors::CLUSTER_SNAPSHOT_NOT_FOUND, "SnapshotIdentifier", from("copy", "aurora-mysql", "none"));
    refused(&errors::INVALID, "DBClusterIdentifier", from("a--b", "aurora-mysql", "one"));
    refused(combination, "Engine", from("copy", "docdb", "one"));
    refused(combination, "EngineVersion", copy().engine_version("9.9"));
    refused(combination, "MonitoringInterval", copy().monitoring_interval(60));
    refused(combination, "EnableInternetAccessGateway", copy().enable_internet_access_gateway(true));
    refused(&errors::DOMAIN_NOT_FOUND, "Domain", copy().domain("d-1"));
    let unknown = copy().db_cluster_parameter_group_name("none");
    refused(&errors::CLUSTER_PARAMETER_GROUP_NOT_FOUND, "DBClusterParameterGroupName", unknown);
    refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", copy().db_subnet_group_name("none"));
    let refused = |code, field: &str, restore: RestoreDBClusterToPointInTime| {
        world.refused(code, field, || ask(&session, restore))
    };
    let latest = get(&session, "web")?.latest_restorable_time().unwrap();
    let error = refused(combination, "RestoreToTime", {
        to("copy", "web").restore_to_time(latest).use_latest_restorable_time(true)
    });
    assert_eq!(error.message(), "Cannot specify both RestoreToTime and UseLatestRestorableTime");
    let error = refused(combination, "RestoreToTime", {
        to("copy", "web").restore_to_time(latest).restore_type("copy-on-write")
    });
    assert_eq!(error.message(), "RestoreToTime cannot be specified when RestoreType is copy-on-write");
    refused(combination, "RestoreToTime", to("copy", "web"));
    let second = SignedDuration::from_secs(1);
    refused(&errors::INVALID, "RestoreToTime", to("copy", "web").restore_to_time(latest + second));
    refused(&errors::INVALID, "RestoreToTime", to("copy", "web").restore_to_time(latest - second));
    let copy = || to("copy", "web").use_latest_restorable_time(true);
    refused(&errors::INVALID, "RestoreType", copy().restore_type("copy"));
    refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", copy().db_subnet_group_name("none"));
    refused(combination, "CryptoKeyId", copy().crypto_key_id(world.crypto_key("own")));
    let none = to("copy", "none").use_latest_restorable_time(true);
    refused(&errors::CLUSTER_NOT_FOUND, "SourceDBClusterIdentifier", none);
    let none = RestoreDBClusterToPointInTime::new("copy").use_latest_restorable_time(true);
    refused(&errors::INVALID, "SourceDBClusterIdentifier", none.clone());
    refused(&errors::CLUSTER_BACKUP_NOT_FOUND, "SourceDbClusterResourceId", {
        none.source_db_cluster_resource_id("cluster-1")
    });
    Ok(())
}

pub(super) fn cluster_is_restored_to_a_point_in_time(world: &World) -> Result<()> {
    let session = world.session();
    let web = request("web", "aurora-mysql").port(3307).backup_retention_period(3);
    ask(&session, web.database_name("shop"))?;
    advance_days(world, 1)?;
    let web = get(&session, "web")?;
    let time = web.latest_restorable_time().unwrap() - SignedDuration::from_hours(2);
    ask(&session, to("one", "web").restore_to_time(time))?;
    let one = get(&session, "one")?;
    assert_eq!((one.port(), one.database_name()), (Some(3306), Some("shop")), "the default port");
    assert_eq!((one.backup_retention_period(), one.clone_group_id()), (Some(3), None));
    ask(&session, to("two", "web").restore_type("copy-on-write").use_latest_restorable_time(true))?;
    ask(&session, to("three", "two").restore_type("copy-on-write"))?;
    let group = get(&session, "web")?.clone_group_id().unwrap().to_owned();
    for id in ["two", "three"] {
        assert_eq!(get(&session, id)?.clone_group_id(), Some(group.as_str()), "all clones have one group");
    }
    let id = web.db_cluster_resource_id().unwrap();
    let delete = DeleteDBCluster::new("web").skip_final_snapshot(true).delete_automated_backups(false);
    ask(&session, delete)?;
    let again = RestoreDBClusterToPointInTime::new("again").use_latest_restorable_time(true);
    ask(&session, again.source_db_cluster_resource_id(id))?;
    assert_eq!(get(&session, "again")?.master_username(), Some("root"));
    Ok(())
}

pub(super) fn cluster_is_restored_from_a_shared_snapshot(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_account());
    ask(&session, request("web", "aurora-mysql"))?;
    let one = take(&session, "one", "web")?;
    let arn = one.require_arn()?;
    let restore = || ask(&other, from("copy", "aurora-mysql", arn));
    world.refused(&errors::CLUSTER_SNAPSHOT_NOT_FOUND, "SnapshotIdentifier", restore);
    let accounts = vec![Text::new(OTHER_ACCOUNT)];
    ask(&session, ModifyDBClusterSnapshotAttribute::new("one", "restore").values_to_add(accounts))?;
    restore()?;
    assert_eq!(get(&other, "copy")?.require_arn()?, "arn:aws:rds:us-east-1:210987654321:cluster:copy");
    ask(&other, CopyDBClusterSnapshot::new(arn, "mine"))?;
    ask(&other, from("mine", "aurora-mysql", "mine"))?;
    Ok(())
}

pub(super) fn cluster_is_made_of_a_snapshot_of_an_instance(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, super::instances::request("web", "mysql"))?;
    let one = snapshots::take(&session, "one", "web")?;
    let arn = one.require_arn()?;
    ask(&session, from("aurora", "aurora-mysql", arn))?;
    assert_eq!(get(&session, "aurora")?.master_username(), Some("boss"));
    world.refused(&errors::INVALID_COMBINATION, "Engine", || {
        ask(&session, from("other", "aurora-postgresql", arn))
    });
    Ok(())
}

pub(super) fn cluster_in_several_zones_is_restored(world: &World) -> Result<()> {
    let session = world.session();
    let zones = request("zones", "mysql").db_cluster_instance_class("db.m6gd.large").allocated_storage(100);
    ask(&session, zones.storage_type("io1").iops(1000))?;
    let one = take(&session, "one", "zones")?;
    assert_eq!((one.allocated_storage(), one.port()), (Some(100), Some(3306)));
    ask(&session, from("copy", "mysql", "one"))?;
    let copy = get(&session, "copy")?;
    assert_eq!((copy.iops(), copy.db_cluster_instance_class()), (Some(1000), Some("db.m6gd.large")));
    assert_eq!(copy.db_cluster_members().unwrap().len(), 3);
    let restore = RestoreDBInstanceFromDBSnapshot::new("single").db_cluster_snapshot_identifier("one");
    ask(&session, restore)?;
    let single = DBInstance::objects(&session).get("single").wait()?.unwrap();
    assert_eq!((single.allocated_storage(), single.master_username()), (Some(100), Some("root")));
    ask(&session, request("web", "aurora-mysql"))?;
    take(&session, "two", "web")?;
    world.refused(&errors::INVALID_COMBINATION, "DBClusterSnapshotIdentifier", || {
        ask(&session, RestoreDBInstanceFromDBSnapshot::new("other").db_cluster_snapshot_identifier("two"))
    });
    Ok(())
}

pub(super) fn document_cluster_is_restored(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("docs", "docdb"))?;
    take(&session, "one", "docs")?;
    let documents = DocDBCluster::objects(&session);
    let copy = documents.restore_from_snapshot("copy", "one").tags([("team", "web")]).port(27018).wait()?;
    assert_eq!((copy.require_name()?, copy.status()), ("copy", Some("creating")));
    let copy = documents.get("copy").wait()?.unwrap();
    assert_eq!((copy.engine(), copy.port()), (Some("docdb"), Some(27018)));
    assert_eq!(copy.tags_map().wait()?.len(), 1);
    let again = documents.restore_to_point_in_time("again", "docs").use_latest_restorable_time(true);
    let again = again.enable_logs_exports(["audit"]).deletion_protection(true).wait()?;
    assert_eq!((again.master_username(), again.deletion_protection()), (Some("root"), Some(true)));
    assert_eq!(again.enabled_log_exports().unwrap(), ["audit"]);
    let docs = documents.get("docs").wait()?.unwrap();
    assert_eq!(names(&docs.snapshots().wait()?)?, ["one"]);
    let error = documents.restore_to_point_in_time("more", "docs").restore_type("half").wait().unwrap_err();
    assert_eq!(error.field(), Some("RestoreType"));
    Ok(())
}

pub(super) fn restored_document_cluster_has_the_port_of_its_source(world: &World) -> Result<()> {
    let session = world.session();
    ask(&session, request("docs", "docdb").port(27019))?;
    let documents = DocDBCluster::objects(&session);
    let latest =
        |id: &'static str| documents.restore_to_point_in_time(id, "docs").use_latest_restorable_time(true);
    latest("same").wait()?;
    latest("other").port(27020).wait()?;
    ask(&session, to("wire", "docs").use_latest_restorable_time(true))?;
    let port = |id: &str| Ok::<_, Error>(documents.get(id).wait()?.unwrap().port());
    assert_eq!((port("same")?, port("other")?), (Some(27019), Some(27020)));
    assert_eq!(port("wire")?, Some(27017), "the operation has the default port of the engine");
    take(&session, "one", "docs")?;
    documents.restore_from_snapshot("copy", "one").wait()?;
    assert_eq!(port("copy")?, Some(27019));
    Ok(())
}
