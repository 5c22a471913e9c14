//! Clusters: create, describe, change, stop, start, fail over, delete.

use super::{World, subnets};
use nephos_cloud::Addressed;
use nephos_core::{ErrorKind, Result, Session, Text, field_value::FieldType, prelude::*};
use nephos_rds::{
    AddRoleToDBCluster, CreateDBCluster, DBCluster, DBClusterManager, DBInstance, DBSubnetGroup,
    DeleteDBCluster, DeleteDBSubnetGroup, DescribeDBClusters, FailoverDBCluster, Filter,
    LogsExportConfiguration, ModifyDBCluster, RebootDBCluster, RemoveRoleFromDBCluster,
    ServerlessV2ScalingConfiguration, StartDBCluster, StopDBCluster, errors,
};
use nephos_testing::{DAY, ask, names, with_fields};

const ROLE: &str = "arn:aws:iam::123456789012:role/import";

fn clusters(session: &Session) -> DBClusterManager {
    DBCluster::objects(session)
}

pub(super) fn request(id: &str, engine: &str) -> CreateDBCluster {
    CreateDBCluster::new(id, engine).master_username("root").master_user_password("correct-horse")
}

fn create(session: &Session, id: &str) -> Result<DBCluster> {
    Ok(ask(session, request(id, "aurora-postgresql").engine_version("15.4"))?.db_cluster().unwrap().clone())
}

fn get(session: &Session, id: &str) -> Result<DBCluster> {
    Ok(clusters(session).get(id).wait()?.unwrap())
}

/// Adds instances to a cluster, as their creation does.
pub(super) fn add_members(world: &World, cluster: &str, ids: &'static [&'static str]) -> Result<()> {
    let cluster = Text::new(cluster);
    world.cloud().run_in_transaction(move |cx| {
        let mut owner = DBCluster::find_by(cx, &[&cluster])?.unwrap();
        for (n, id) in ids.iter().enumerate() {
            let zone = &owner.availability_zones().unwrap()[n];
            let version = owner.engine_version().unwrap();
            let fields = format!(
                r#"{{"DBInstanceIdentifier": "{id}", "DBInstanceStatus": "available", "DBClusterIdentifier": "{cluster}",
                "EngineVersion": "{version}", "AvailabilityZone": "{zone}"}}"#
            );
            owner.add_member(id, None);
            cx.put(with_fields(&DBInstance::blank(), &fields))?;
        }
        cx.put(owner)
    })
}

fn member(world: &World, id: &'static str) -> Result<DBInstance> {
    world.cloud().run_in_transaction(move |cx| Ok(DBInstance::find_by(cx, &[id])?.unwrap()))
}

fn modify(id: &str) -> ModifyDBCluster {
    ModifyDBCluster::new(id)
}

pub(super) fn cluster_is_created_with_defaults(world: &World) -> Result<()> {
    let session = world.session();
    let model =
        DBCluster::builder().db_cluster_identifier("Web-1").engine("aurora-mysql").master_username("root");
    let created = clusters(&session).create(&model.build()?).master_user_password("correct-horse");
    let created = created.tag_list([("team", "web")]).wait()?;
    assert_eq!((created.require_name()?, created.status()), ("web-1", Some("creating")));
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:cluster:web-1");
    assert_eq!((created.port(), created.hosted_zone_id()), (Some(3306), Some("Z2R2ITUGPM61AM")));
    assert_eq!(created.latest_restorable_time(), None);
    assert_eq!(created.db_cluster_members().map(<[_]>::len), Some(0));
    let (writer, readers) = (created.hostname()?, created.reader_endpoint().unwrap());
    assert!(
        writer.starts_with("web-1.cluster-") && writer.ends_with(".us-east-1.rds.amazonaws.com"),
        "{writer}"
    );
    assert_eq!(readers, writer.replace(".cluster-", ".cluster-ro-"));
    let found = get(&session, "WEB-1")?;
    assert_eq!((found.status(), found.multi_az()), (Some("available"), Some(false)));
    assert_eq!(found.availability_zones().unwrap(), ["us-east-1a", "us-east-1b", "us-east-1c"]);
    assert_eq!(found.db_cluster_parameter_group(), Some("default.aurora-mysql8.0"));
    assert_eq!((found.allocated_storage(), found.engine_mode()), (Some(1), Some("provisioned")));
    assert_eq!((found.backup_retention_period(), found.storage_type()), (Some(1), None));
    assert_eq!((found.deletion_protection(), found.storage_encrypted()), (Some(false), Some(false)));
    assert_eq!(found.latest_restorable_time().unwrap().as_millisecond(), world.now());
    assert_eq!(found.tag_list().unwrap().len(), 1);
    assert_eq!(found.subnet_group().wait()?.unwrap().require_name()?, "default");
    assert_eq!(found.vpc().wait()?.unwrap().is_default(), Some(true));
    assert_eq!(found.subnets().wait()?.len(), 3);
    assert_eq!(found.security_groups().wait()?[0].group_name(), Some("default"));
    assert_eq!(found.managed_secret().wait()?, None);
    let error = found.credentials().wait().unwrap_err();
    assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("MasterUserSecret")));
    assert_eq!(names(&clusters(&session).list().results().all().wait()?)?, ["web-1"]);
    Ok(())
}

pub(super) fn cluster_is_found_by_filters(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web")?;
    ask(&session, request("docs", "docdb"))?;
    let list = |filter| -> Result<Vec<Text>> {
        let found =
            ask(&session, DescribeDBClusters::new().filters(vec![filter]))?.db_clusters().unwrap().to_vec();
        Ok(found.iter().filter_map(DBCluster::db_cluster_identifier).map(Text::new).collect())
    };
    let all = ask(&session, DescribeDBClusters::new())?.db_clusters().unwrap().to_vec();
    assert_eq!(names(&all)?, ["docs", "web"], "the operation describes all engines");
    assert_eq!(
        names(&clusters(&session).list().results().all().wait()?)?,
        ["web"],
        "a kind has its own only"
    );
    for (name, value) in [
        ("db-cluster-id", "WEB"),
        ("db-cluster-id", web.require_arn()?),
        ("db-cluster-resource-id", web.db_cluster_resource_id().unwrap()),
        ("engine", "aurora-postgresql"),
    ] {
        assert_eq!(list(Filter::of(name, value))?, ["web"], "{name}");
    }
    assert_eq!(list(Filter::of("domain", "d-1"))?.len(), 0);
    world.refused(&errors::INVALID, "Filters[0].Name", || list(Filter::of("status", "available")));
    assert_eq!(clusters(&session).get("none").wait()?, None);
    let missing = || ask(&session, DescribeDBClusters::new().db_cluster_identifier("none"));
    let error = world.refused(&errors::CLUSTER_NOT_FOUND, "DBClusterIdentifier", missing);
    assert_eq!(error.message(), "DBCluster none not found.");
    Ok(())
}

pub(super) fn new_clusters_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let error = world.refused(&errors::CLUSTER_EXISTS, "DBClusterIdentifier", || create(&session, "WEB"));
    assert_eq!(error.message(), "DB Cluster already exists");
    let new = || request("api", "aurora-mysql");
    let capacity = |min: f64, max: f64| {
        ServerlessV2ScalingConfiguration::builder().min_capacity(min).max_capacity(max).build().unwrap()
    };
    for (field, request) in [
        ("DBClusterIdentifier", request("a--b", "aurora-mysql")),
        ("Engine", request("api", "mongo")),
        ("Engine", request("api", "mariadb")),
        ("MasterUserPassword", CreateDBCluster::new("api", "docdb").master_username("root")),
        ("MasterUsername", CreateDBCluster::new("api", "docdb").master_user_password("correct-horse")),
        ("AvailabilityZones", new().availability_zones(["eu-west-1a"])),
        ("DatabaseName", new().database_name("1st")),
        ("EngineMode", new().engine_mode("serverless")),
        ("ReplicationSourceIdentifier", new().replication_source_identifier("web")),
        ("StorageType", new().storage_type("gp3")),
        ("ServerlessV2ScalingConfiguration", new().serverless_v2_scaling_configuration(capacity(0.5, 0.5))),
        ("ServerlessV2ScalingConfiguration", new().serverless_v2_scaling_configuration(capacity(4.0, 2.0))),
        ("ServerlessV2ScalingConfiguration", new().serverless_v2_scaling_configuration(capacity(0.7, 2.0))),
        ("MonitoringInterval", new().monitoring_interval(7)),
        ("PreferredBackupWindow", {
            new().preferred_backup_window("01:00-02:00").preferred_maintenance_window("mon:01:30-mon:02:30")
        }),
    ] {
        world.refused(&errors::INVALID, field, || ask(&session, request));
    }
    for (field, request) in [
        ("DBClusterInstanceClass", new().db_cluster_instance_class("db.m5d.large")),
        ("AllocatedStorage", new().allocated_storage(100)),
        ("BacktrackWindow", request("api", "docdb").backtrack_window(60)),
        ("EngineVersion", new().engine_version("9.9")),
        ("PreSignedUrl", new().pre_signed_url("https://rds.eu-west-1.amazonaws.com/")),
        ("EnabledLogExports", new().enabled_log_exports(["postgresql"])),
        ("MonitoringRoleArn", new().monitoring_interval(60)),
        ("MasterUserPassword", new().manage_master_user_password(true)),
    ] {
        world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, request));
    }
    world.refused(&errors::DOMAIN_NOT_FOUND, "Domain", || ask(&session, new().domain("d-1")));
    world.refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", || {
        ask(&session, new().db_subnet_group_name("none"))
    });
    world.refused(&errors::CLUSTER_PARAMETER_GROUP_NOT_FOUND, "DBClusterParameterGroupName", || {
        ask(&session, new().db_cluster_parameter_group_name("none"))
    });
    world.refused(&errors::GLOBAL_CLUSTER_NOT_FOUND, "GlobalClusterIdentifier", || {
        ask(&session, new().global_cluster_identifier("world"))
    });
    world.cloud().run_in_transaction(|cx| cx.add_to_count("rds/clusters", 39))?;
    world.refused(&errors::CLUSTER_QUOTA, None, || ask(&session, new()));
    Ok(())
}

pub(super) fn used_subnet_group_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let group = DBSubnetGroup::builder().db_subnet_group_name("data").db_subnet_group_description("data");
    DBSubnetGroup::objects(&session).create(&group.subnet_ids(subnets(&session)).build()?).wait()?;
    ask(&session, request("web", "aurora-mysql").db_subnet_group_name("Data"))?;
    assert_eq!(get(&session, "web")?.db_subnet_group(), Some("data"));
    let delete = || ask(&session, DeleteDBSubnetGroup::new("data"));
    let error = world.refused(&errors::SUBNET_GROUP_STATE, "DBSubnetGroupName", delete);
    let text =
        "Cannot delete the subnet group 'data' because at least one database cluster: web is still using it.";
    assert_eq!(error.message(), text);
    ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))?;
    delete().map(drop)
}

pub(super) fn settings_change_at_once(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let mut web = get(&session, "web")?;
    web.set_backup_retention_period(7)?;
    web.set_deletion_protection(true)?;
    web.set_preferred_backup_window("01:00-02:00")?;
    web.set_preferred_maintenance_window("Sun:05:00-Sun:06:00")?;
    web.tags_mut().wait()?.insert("stage", "test")?;
    web.save().wait()?;
    assert_eq!(web.preferred_maintenance_window(), Some("sun:05:00-sun:06:00"));
    let exported = LogsExportConfiguration::builder().enable_log_types(["postgresql"]).build()?;
    let storage = || modify("web").storage_type("aurora-iopt1");
    let answer = ask(&session, storage().logs_export_configuration(exported))?.db_cluster().unwrap().clone();
    assert_eq!(answer.status(), Some("available"), "the answer has the status before");
    let found = get(&session, "web")?;
    assert_eq!((found.backup_retention_period(), found.deletion_protection()), (Some(7), Some(true)));
    assert_eq!(found.enabled_log_exports().unwrap(), ["postgresql"]);
    assert_eq!(found.tags_map().wait()?.len(), 1);
    assert_eq!(found.storage_type(), Some("aurora-iopt1"));
    ask(&session, modify("web").storage_type("aurora"))?;
    assert_eq!(get(&session, "web")?.storage_type(), None, "the default is not returned");
    world.refused(&errors::INVALID_COMBINATION, "StorageType", || ask(&session, storage()));
    world.advance(30 * DAY)?;
    ask(&session, storage())?;
    let error = world.refused(&errors::PROTECTED, "DBClusterIdentifier", || {
        ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))
    });
    assert_eq!(
        error.message(),
        "Cannot delete protected Cluster, please disable deletion protection and try again."
    );
    Ok(())
}

pub(super) fn capacity_keeps_what_is_not_given(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let capacity = || ServerlessV2ScalingConfiguration::builder();
    let change = |capacity| ask(&session, modify("web").serverless_v2_scaling_configuration(capacity));
    let incomplete = capacity().min_capacity(1.0).build()?;
    world.refused(&errors::INVALID, "ServerlessV2ScalingConfiguration", || change(incomplete));
    change(capacity().min_capacity(0.0).max_capacity(4.0).build()?)?;
    let found = get(&session, "web")?;
    assert_eq!(found.serverless_v2_scaling_configuration().unwrap().seconds_until_auto_pause(), Some(300));
    change(capacity().min_capacity(1.5).build()?)?;
    let found = get(&session, "web")?;
    let kept = found.serverless_v2_scaling_configuration().unwrap();
    assert_eq!((kept.min_capacity(), kept.max_capacity()), (Some(1.5), Some(4.0)));
    assert_eq!(kept.seconds_until_auto_pause(), None);
    Ok(())
}

pub(super) fn cluster_is_renamed(world: &World) -> Result<()> {
    let session = world.session();
    let web = create(&session, "web")?;
    create(&session, "api")?;
    add_members(world, "web", &["web-1"])?;
    let rename = |id: &str| modify("web").new_db_cluster_identifier(id).apply_immediately(true);
    world.refused(&errors::CLUSTER_EXISTS, "NewDBClusterIdentifier", || ask(&session, rename("API")));
    let answer = clusters(&session).update(&get(&session, "web")?);
    let answer = answer.new_db_cluster_identifier("Store").apply_immediately(true).wait()?;
    assert_eq!(answer.db_cluster_resource_id(), web.db_cluster_resource_id());
    let renamed = get(&session, "store")?;
    assert_eq!((renamed.require_name()?, renamed.status()), ("store", Some("available")));
    assert_eq!(renamed.require_arn()?, "arn:aws:rds:us-east-1:123456789012:cluster:store");
    assert_eq!(renamed.db_cluster_resource_id(), web.db_cluster_resource_id());
    assert!(renamed.hostname()?.starts_with("store.cluster-"));
    assert_eq!(renamed.pending_modified_values().unwrap().db_cluster_identifier(), None);
    assert_eq!(clusters(&session).get("web").wait()?, None);
    assert_eq!(member(world, "web-1")?.db_cluster_identifier(), Some("store"));
    Ok(())
}

pub(super) fn version_is_upgraded_with_members(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let upgrade = |version: &str| modify("web").engine_version(version).apply_immediately(true);
    let refused = |code, field: &str, change| world.refused(code, field, || ask(&session, change));
    let error = refused(&errors::CLUSTER_STATE, "EngineVersion", upgrade("15.5"));
    let text = "Cannot modify engine version without a healthy primary instance in DB cluster: web";
    assert_eq!(error.message(), text);
    add_members(world, "web", &["web-1"])?;
    let error = refused(&errors::INVALID_COMBINATION, "EngineVersion", upgrade("15.2"));
    assert_eq!(error.message(), "Cannot upgrade aurora-postgresql from 15.4 to 15.2");
    refused(&errors::INVALID_COMBINATION, "AllowMajorVersionUpgrade", upgrade("16.4"));
    refused(
        &errors::INVALID_COMBINATION,
        "DBInstanceParameterGroupName",
        upgrade("15.5").db_instance_parameter_group_name("mine"),
    );
    ask(&session, upgrade("16.4").allow_major_version_upgrade(true))?;
    let found = get(&session, "web")?;
    assert_eq!((found.engine_version(), found.status()), (Some("16.4"), Some("available")));
    assert_eq!(found.db_cluster_parameter_group(), Some("default.aurora-postgresql16"));
    let member = member(world, "web-1")?;
    assert_eq!(member.engine_version(), Some("16.4"));
    let groups = member.db_parameter_groups().unwrap();
    assert_eq!(groups[0].db_parameter_group_name(), Some("default.aurora-postgresql16"));
    Ok(())
}

pub(super) fn managed_password_is_read_and_rotated(world: &World) -> Result<()> {
    let session = world.session();
    let managed = CreateDBCluster::new("web", "aurora-mysql").master_username("root");
    ask(&session, managed.manage_master_user_password(true))?;
    let web = get(&session, "web")?;
    let secret = web.master_user_secret().unwrap();
    assert_eq!(secret.secret_status(), Some("active"));
    assert!(web.managed_secret().wait()?.unwrap().require_name()?.starts_with("rds!cluster-"));
    let read = || -> Result<String> {
        let credentials = web.credentials().wait()?;
        assert_eq!(credentials.username(), Some("root"));
        Ok(credentials.password().unwrap().expose().to_owned())
    };
    let first = read()?;
    assert_eq!(first.len(), 28);
    world.advance(7 * DAY)?;
    let second = read()?;
    assert_ne!(first, second, "rotated after seven days");
    let rotate = || modify("web").rotate_master_user_password(true);
    world.refused(&errors::INVALID_COMBINATION, "RotateMasterUserPassword", || ask(&session, rotate()));
    ask(&session, rotate().apply_immediately(true))?;
    let third = read()?;
    assert_ne!(second, third);
    let other = || modify("web").manage_master_user_password(false);
    world.refused(&errors::INVALID_COMBINATION, "MasterUserPassword", || ask(&session, other()));
    ask(&session, other().master_user_password("battery-staple"))?;
    assert_eq!(get(&session, "web")?.master_user_secret(), None);
    world.advance(7 * DAY)
}

pub(super) fn cluster_stops_and_starts_with_members(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    add_members(world, "web", &["web-1", "web-2"])?;
    assert_eq!(get(&session, "web")?.multi_az(), Some(true));
    let error = world
        .refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || ask(&session, StartDBCluster::new("web")));
    let text = "DbCluster web is in available state but expected it to be one of \
        stopped,inaccessible-encryption-credentials-recoverable.";
    assert_eq!(error.message(), text);
    let stopped = ask(&session, StopDBCluster::new("web"))?.db_cluster().unwrap().clone();
    assert_eq!(stopped.status(), Some("available"), "the answer has the status before");
    let found = get(&session, "web")?;
    assert_eq!(found.status(), Some("stopped"));
    assert_eq!(found.automatic_restart_time().unwrap().as_millisecond(), world.now() + 7 * DAY);
    assert!(["stopping", "stopped"].contains(&member(world, "web-1")?.db_instance_status().unwrap()));
    let error = world
        .refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || ask(&session, StopDBCluster::new("web")));
    assert_eq!(error.message(), "DbCluster web is in stopped state but expected it to be one of available.");
    world.refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || {
        ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))
    });
    world.refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || {
        ask(&session, modify("web").backup_retention_period(3))
    });
    let started = ask(&session, StartDBCluster::new("web"))?.db_cluster().unwrap().clone();
    assert_eq!(started.status(), Some("stopped"));
    let found = get(&session, "web")?;
    assert_eq!((found.status(), found.automatic_restart_time()), (Some("available"), None));
    world.refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || {
        ask(&session, RebootDBCluster::new("web"))
    });
    Ok(())
}

pub(super) fn another_instance_takes_writes(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let failover = || FailoverDBCluster::new("web");
    add_members(world, "web", &["web-1"])?;
    let error = world.refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || ask(&session, failover()));
    assert_eq!(
        error.message(),
        "Database cluster:web should have at least two database instances for failover"
    );
    add_members(world, "web", &["web-2", "web-3"])?;
    let error = world.refused(&errors::INSTANCE_STATE, "TargetDBInstanceIdentifier", || {
        ask(&session, failover().target_db_instance_identifier("api"))
    });
    assert_eq!(error.message(), "Cannot find target instance: api");
    let writer = || Ok::<_, nephos_core::Error>(get(&session, "web")?.writer().map(str::to_owned));
    ask(&session, failover().target_db_instance_identifier("WEB-3"))?;
    assert_eq!(writer()?.as_deref(), Some("web-3"));
    get(&session, "web")?.failover().wait()?;
    assert_eq!(writer()?.as_deref(), Some("web-1"), "the first reader with the lowest tier");
    Ok(())
}

pub(super) fn roles_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    let add = || ask(&session, AddRoleToDBCluster::new(ROLE, "web").feature_name("s3Import"));
    add()?;
    let found = get(&session, "web")?;
    let role = &found.associated_roles().unwrap()[0];
    assert_eq!((role.status(), role.feature_name()), (Some("ACTIVE"), Some("s3Import")));
    let error = world.refused(&errors::CLUSTER_ROLE_EXISTS, "RoleArn", add);
    let text = format!(
        "Role ARN {ROLE} is already associated with DB Cluster: web. Verify your role ARN and try again."
    );
    assert_eq!(error.message(), text);
    let remove = || ask(&session, RemoveRoleFromDBCluster::new(ROLE, "web"));
    remove()?;
    world.refused(&errors::CLUSTER_ROLE_NOT_FOUND, "RoleArn", remove);
    Ok(())
}

pub(super) fn cluster_is_deleted_after_its_members(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web")?;
    add_members(world, "web", &["web-1"])?;
    let delete = || DeleteDBCluster::new("web");
    let refused = |code, field: &str, request| world.refused(code, field, || ask(&session, request));
    let error = refused(&errors::INVALID_COMBINATION, "FinalDBSnapshotIdentifier", delete());
    assert_eq!(
        error.message(),
        "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified."
    );
    let both = delete().skip_final_snapshot(true).final_db_snapshot_identifier("last");
    refused(&errors::INVALID_COMBINATION, "FinalDBSnapshotIdentifier", both);
    refused(&errors::INVALID, "FinalDBSnapshotIdentifier", delete().final_db_snapshot_identifier("1st"));
    let error = refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", delete().skip_final_snapshot(true));
    let text = "Cluster cannot be deleted, it still contains DB instances in non-deleting state.";
    assert_eq!(error.message(), text);
    world.cloud().run_in_transaction(|cx| {
        let instance = DBInstance::find_by(cx, &["web-1"])?.unwrap();
        cx.put(with_fields(&instance, r#"{"DBInstanceStatus": "deleting"}"#))
    })?;
    let deleted = get(&session, "web")?.delete().skip_final_snapshot(true).wait()?;
    assert_eq!((deleted.status(), deleted.db_cluster_members().unwrap().len()), (Some("deleting"), 1));
    assert_eq!(clusters(&session).get("web").wait()?, None);
    create(&session, "web").map(drop)
}
