//! Clusters of instances in several zones: their instances, changes, replicas and end.

use super::{
    World, clusters,
    instances::{self, instances},
    subnets,
};
use nephos_core::{Result, Session, prelude::*};
use nephos_rds::{
    CreateDBCluster, CreateDBInstance, CreateDBInstanceReadReplica, CreateDBSubnetGroup, DBCluster,
    DBInstance, DeleteDBCluster, FailoverDBCluster, ModifyDBCluster, ModifyDBInstance,
    PromoteReadReplicaDBCluster, RebootDBCluster, ServerlessV2ScalingConfiguration, StartDBCluster,
    StopDBCluster, errors,
};
use nephos_testing::{ask, names};

const MEMBERS: [&str; 3] = ["web-instance-1", "web-instance-2", "web-instance-3"];

fn request(id: &str, engine: &str) -> CreateDBCluster {
    let request = clusters::request(id, engine).db_cluster_instance_class("db.m6gd.large");
    request.allocated_storage(100).storage_type("io1").iops(1000)
}

fn create(session: &Session, engine: &str) -> Result<DBCluster> {
    Ok(ask(session, request("web", engine))?.db_cluster().unwrap().clone())
}

fn get(session: &Session) -> Result<DBCluster> {
    Ok(DBCluster::objects(session).get("web").wait()?.unwrap())
}

fn members(session: &Session) -> Result<Vec<DBInstance>> {
    MEMBERS.into_iter().map(|id| Ok(instances(session).get(id).wait()?.unwrap())).collect()
}

fn modify() -> ModifyDBCluster {
    ModifyDBCluster::new("web")
}

pub(super) fn cluster_is_created_with_instances(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "mysql")?;
    assert_eq!((created.status(), created.db_cluster_members().unwrap().len()), (Some("creating"), 3));
    let found = get(&session)?;
    assert_eq!((found.status(), found.multi_az()), (Some("available"), Some(true)));
    assert_eq!(found.db_cluster_instance_class(), Some("db.m6gd.large"));
    assert_eq!(
        (found.allocated_storage(), found.storage_type(), found.iops()),
        (Some(100), Some("io1"), Some(1000))
    );
    assert_eq!(found.db_cluster_parameter_group(), Some("default.mysql8.4"));
    assert_eq!(found.port(), Some(3306));
    assert!(found.endpoint().unwrap().starts_with("web.cluster-"));
    assert!(found.reader_endpoint().unwrap().starts_with("web.cluster-ro-"));
    let writers: Vec<_> =
        found.db_cluster_members().unwrap().iter().map(|one| one.is_cluster_writer()).collect();
    assert_eq!(writers, [Some(true), Some(false), Some(false)]);
    let members = members(&session)?;
    let zones: Vec<_> = members.iter().map(|member| member.availability_zone().unwrap()).collect();
    assert_eq!(zones, ["us-east-1a", "us-east-1b", "us-east-1c"]);
    for member in &members {
        assert_eq!(member.db_cluster_identifier(), Some("web"));
        assert_eq!((member.db_instance_status(), member.engine()), (Some("available"), Some("mysql")));
        assert_eq!((member.db_instance_class(), member.iops()), (Some("db.m6gd.large"), Some(1000)));
        assert_eq!((member.master_username(), member.promotion_tier()), (Some("root"), Some(1)));
        assert!(member.endpoint().unwrap().address().unwrap().starts_with(member.require_name()?));
    }
    assert_eq!(names(&found.instances().wait()?)?, MEMBERS);
    assert_eq!(world.cloud().run_in_transaction(|cx| cx.count("rds/instances"))?, 3);
    Ok(())
}

pub(super) fn new_clusters_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    let subnets = subnets(&session);
    ask(&session, CreateDBSubnetGroup::new("two", "two", subnets[..2].to_vec()))?;
    let new = || request("web", "postgres");
    let capacity = ServerlessV2ScalingConfiguration::builder().min_capacity(1.0).max_capacity(2.0).build()?;
    let long = "a".repeat(53);
    for (field, request) in [
        ("DBClusterIdentifier", request(&long, "postgres")),
        ("DBClusterInstanceClass", clusters::request("web", "postgres").allocated_storage(100).iops(1000)),
        ("StorageType", new().storage_type("gp2")),
        ("PerformanceInsightsRetentionPeriod", {
            new().performance_insights_enabled(true).performance_insights_retention_period(8)
        }),
        ("MonitoringRoleArn", new().monitoring_interval(60).monitoring_role_arn("role")),
        ("ReplicationSourceIdentifier", new().replication_source_identifier("web")),
    ] {
        world.refused(&errors::INVALID, field, || ask(&session, request));
    }
    for (field, request) in [
        ("AllocatedStorage", new().allocated_storage(99)),
        ("Iops", new().iops(10)),
        (
            "Iops",
            clusters::request("web", "mysql")
                .db_cluster_instance_class("db.m6gd.large")
                .allocated_storage(100),
        ),
        ("DBClusterInstanceClass", new().db_cluster_instance_class("db.t4g.micro")),
        ("AvailabilityZones", new().availability_zones(["us-east-1a"])),
        ("ServerlessV2ScalingConfiguration", new().serverless_v2_scaling_configuration(capacity)),
        ("BacktrackWindow", new().backtrack_window(60)),
        ("EnableHttpEndpoint", new().http_endpoint_enabled(true)),
        ("EnableLocalWriteForwarding", new().enable_local_write_forwarding(true)),
    ] {
        world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, request));
    }
    let error = world.refused(&errors::TOO_FEW_ZONES, "DBSubnetGroupName", || {
        ask(&session, new().db_subnet_group_name("two"))
    });
    assert!(error.message().contains("at least 3 availability zones. Current coverage: 2"));
    world.refused(&errors::CERTIFICATE_NOT_FOUND, "CACertificateIdentifier", || {
        ask(&session, new().ca_certificate_identifier("rds-ca-2015"))
    });
    instances::create(&session, "web-instance-2", "mysql", "8.0")?;
    world.refused(&errors::INSTANCE_EXISTS, "DBInstanceIdentifier", || ask(&session, new()));
    world.cloud().run_in_transaction(|cx| cx.add_to_count("rds/instances", 37))?;
    world.refused(&errors::INSTANCE_QUOTA, None, || ask(&session, request("shop", "postgres")));
    Ok(())
}

pub(super) fn instances_are_changed_with_their_cluster(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "mysql")?;
    let mut member = CreateDBInstance::new("web-4", "db.m6gd.large", "mysql");
    member.db_cluster_identifier = Some("web".into());
    let error = world.refused(&errors::INVALID, "DBClusterIdentifier", || ask(&session, member));
    let text = "CreateDBInstance can't be used to create a DB instance in a Multi-AZ DB cluster. Use CreateDBCluster instead.";
    assert_eq!(error.message(), text);
    let field = "DBInstanceIdentifier";
    let delete = || instances(&session).delete(MEMBERS[1]).skip_final_snapshot(true).wait();
    let error = world.refused(&errors::INVALID, field, delete);
    assert_eq!(error.message(), "Deleting cluster instances isn't supported for DB engine mysql");
    let mut change = ModifyDBInstance::new(MEMBERS[1]);
    change.db_instance_class = Some("db.m6gd.xlarge".into());
    world.refused(&errors::INVALID, field, || ask(&session, change));
    let error =
        world.refused(&errors::INVALID_COMBINATION, field, || instances(&session).stop(MEMBERS[1]).wait());
    assert_eq!(error.message(), "mysql DB instances are not eligible for stopping and starting.");
    instances(&session).reboot(MEMBERS[1]).wait()?;
    let field = "DBClusterIdentifier";
    world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, StopDBCluster::new("web")));
    world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, StartDBCluster::new("web")));
    let key = world.crypto_key("web");
    let change = modify().performance_insights_enabled(true).performance_insights_crypto_key_id(key.clone());
    let role = "arn:aws:iam::123456789012:role/monitoring";
    ask(&session, change.monitoring_interval(60).monitoring_role_arn(role).backup_retention_period(7))?;
    for member in members(&session)? {
        assert_eq!(member.performance_insights_enabled(), Some(true));
        assert_eq!(member.performance_insights_crypto_key_id(), Some(key.as_str()));
        assert_eq!((member.monitoring_interval(), member.monitoring_role_arn()), (Some(60), Some(role)));
        assert_eq!(
            (member.backup_retention_period(), member.db_instance_status()),
            (Some(7), Some("available"))
        );
    }
    ask(&session, modify().performance_insights_enabled(false).monitoring_interval(0))?;
    let member = &members(&session)?[0];
    assert_eq!((member.performance_insights_crypto_key_id(), member.monitoring_role_arn()), (None, None));
    ask(&session, modify().ca_certificate_identifier("rds-ca-ecc384-g1"))?;
    assert_eq!(members(&session)?[2].ca_certificate_identifier(), Some("rds-ca-ecc384-g1"));
    Ok(())
}

pub(super) fn class_and_storage_wait_for_the_window(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "postgres")?;
    ask(&session, modify().preferred_maintenance_window("mon:01:00-mon:02:00"))?;
    let refused = |field: &str, change| {
        world.refused(&errors::INVALID_COMBINATION, field, || ask(&session, change));
    };
    refused("Port", modify().port(5433));
    refused("AllocatedStorage", modify().allocated_storage(50));
    refused("DBClusterInstanceClass", modify().db_cluster_instance_class("db.t4g.micro"));
    let change = modify().db_cluster_instance_class("db.r6gd.large").allocated_storage(101).iops(2000);
    let answer = ask(&session, change.port(5432))?.db_cluster().unwrap().clone();
    assert_eq!(
        (answer.allocated_storage(), answer.db_cluster_instance_class()),
        (Some(100), Some("db.m6gd.large"))
    );
    let pending = answer.pending_modified_values().unwrap();
    assert_eq!((pending.allocated_storage(), pending.iops()), (Some(110), Some(2000)));
    let member = &members(&session)?[0];
    let shown = member.pending_modified_values().unwrap();
    assert_eq!((shown.db_instance_class(), shown.allocated_storage()), (Some("db.r6gd.large"), Some(110)));
    assert_eq!(member.db_instance_class(), Some("db.m6gd.large"));
    world.advance_to("2026-02-02T00:59:59Z")?;
    let found = get(&session)?;
    assert_eq!(
        (found.allocated_storage(), found.db_cluster_instance_class()),
        (Some(100), Some("db.m6gd.large"))
    );
    assert_eq!(found.pending_modified_values().unwrap().allocated_storage(), Some(110));
    world.advance_to("2026-02-02T01:00:01Z")?;
    let found = get(&session)?;
    assert_eq!((found.allocated_storage(), found.iops()), (Some(110), Some(2000)));
    assert_eq!(
        (found.db_cluster_instance_class(), found.status()),
        (Some("db.r6gd.large"), Some("available"))
    );
    assert_eq!(found.pending_modified_values().unwrap().allocated_storage(), None);
    for member in members(&session)? {
        assert_eq!(
            (member.db_instance_class(), member.allocated_storage()),
            (Some("db.r6gd.large"), Some(110))
        );
        assert_eq!(member.pending_modified_values().unwrap().db_instance_class(), None);
    }
    let change =
        modify().storage_type("gp3").db_cluster_instance_class("db.m6gd.large").apply_immediately(true);
    ask(&session, change)?;
    let (found, member) = (get(&session)?, &members(&session)?[1]);
    assert_eq!((found.storage_type(), found.iops()), (Some("gp3"), Some(3000)));
    assert_eq!((member.storage_type(), member.storage_throughput()), (Some("gp3"), Some(125)));
    assert_eq!(member.db_instance_class(), Some("db.m6gd.large"));
    Ok(())
}

pub(super) fn cluster_fails_over_and_reboots(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "mysql")?;
    let failover = || FailoverDBCluster::new("web");
    world.refused(&errors::INVALID_COMBINATION, "TargetDBInstanceIdentifier", || {
        ask(&session, failover().target_db_instance_identifier(MEMBERS[1]))
    });
    ask(&session, failover())?;
    assert_eq!(get(&session)?.writer(), Some(MEMBERS[1]));
    let rebooting = ask(&session, RebootDBCluster::new("web"))?.db_cluster().unwrap().clone();
    assert_eq!(rebooting.status(), Some("rebooting"));
    assert_eq!(get(&session)?.status(), Some("available"));
    assert!(members(&session)?.iter().all(|member| member.db_instance_status() == Some("available")));
    world.refused(&errors::INVALID_COMBINATION, "EngineVersion", || {
        ask(&session, modify().engine_version("8.0.35"))
    });
    Ok(())
}

pub(super) fn cluster_is_deleted_with_its_instances(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "mysql")?;
    let deleted =
        ask(&session, DeleteDBCluster::new("web").skip_final_snapshot(true))?.db_cluster().unwrap().clone();
    assert_eq!((deleted.status(), deleted.db_cluster_members().unwrap().len()), (Some("deleting"), 3));
    assert_eq!(DBCluster::objects(&session).get("web").wait()?, None);
    assert_eq!(instances(&session).list().results().all().wait()?.len(), 0);
    assert_eq!(world.cloud().run_in_transaction(|cx| cx.count("rds/instances"))?, 0);
    create(&session, "postgres").map(drop)
}

pub(super) fn instance_is_a_replica_of_a_cluster(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "postgres")?;
    let replica = |id: &str| CreateDBInstanceReadReplica::new(id).source_db_cluster_identifier("web");
    let group = replica("api").db_parameter_group_name("default.postgres17");
    ask(&session, group.db_instance_class("db.m6gd.large"))?;
    world.refused(&errors::INVALID_COMBINATION, "AllocatedStorage", || {
        ask(&session, replica("shop").allocated_storage(200))
    });
    let member = CreateDBInstanceReadReplica::new("shop").source_db_instance_identifier(MEMBERS[0]);
    world.refused(&errors::INSTANCE_STATE, "SourceDBInstanceIdentifier", || ask(&session, member));
    let api = instances(&session).get("api").wait()?.unwrap();
    assert_eq!(api.read_replica_source_db_cluster_identifier(), Some("web"));
    assert_eq!((api.status_infos().map(<[_]>::len), api.iops()), (Some(1), Some(1000)));
    assert_eq!(get(&session)?.read_replica_identifiers().unwrap(), ["api"]);
    world.refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || instances(&session).stop("api").wait());
    ask(&session, modify().new_db_cluster_identifier("shop").apply_immediately(true))?;
    let renamed = instances(&session).get("api").wait()?.unwrap();
    assert_eq!(renamed.read_replica_source_db_cluster_identifier(), Some("shop"));
    assert_eq!(members(&session)?[0].db_cluster_identifier(), Some("shop"));
    ask(&session, DeleteDBCluster::new("shop").skip_final_snapshot(true))?;
    let left = instances(&session).get("api").wait()?.unwrap();
    assert_eq!((left.read_replica_source_db_cluster_identifier(), left.status_infos()), (None, None));
    Ok(())
}

pub(super) fn cluster_is_a_replica_of_an_instance(world: &World) -> Result<()> {
    let session = world.session();
    let mut source = instances::request("shop", "mysql");
    (source.engine_version, source.allocated_storage) = (Some("8.0.35".into()), Some(100));
    source.db_name = Some("orders".into());
    ask(&session, source)?;
    let shop = instances(&session).get("shop").wait()?.unwrap();
    let source = || {
        let request = CreateDBCluster::new("web", "mysql").db_cluster_instance_class("db.m6gd.large");
        let request = request.allocated_storage(100).iops(1000);
        request.replication_source_identifier(shop.require_arn().unwrap())
    };
    for (code, field, request) in [
        (&errors::INVALID_COMBINATION, "MasterUsername", source().master_username("root")),
        (&errors::INVALID_COMBINATION, "EngineVersion", source().engine_version("8.0.34")),
        (&errors::INVALID_COMBINATION, "EngineVersion", source().engine_version("8.4.5")),
        (&errors::INVALID_COMBINATION, "StorageEncrypted", source().storage_encrypted(true)),
        (&errors::INSTANCE_NOT_FOUND, "ReplicationSourceIdentifier", {
            source().replication_source_identifier("arn:aws:rds:us-east-1:123456789012:db:none")
        }),
        (&errors::INVALID, "ReplicationSourceIdentifier", {
            source().replication_source_identifier("arn:aws:rds:us-east-1:123456789012:cluster:none")
        }),
    ] {
        world.refused(code, field, || ask(&session, request));
    }
    ask(&session, source())?;
    let web = get(&session)?;
    assert_eq!((web.engine_version(), web.master_username()), (Some("8.0.35"), Some("boss")));
    assert_eq!((web.database_name(), web.status_infos().map(<[_]>::len)), (Some("orders"), Some(1)));
    let shop = || Ok::<_, nephos_core::Error>(instances(&session).get("shop").wait()?.unwrap());
    assert_eq!(shop()?.read_replica_db_cluster_identifiers().unwrap(), ["web"]);
    let stop = || instances(&session).stop("shop").wait();
    world.refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", stop);
    let mut upgrade = ModifyDBInstance::new("shop");
    upgrade.engine_version = Some("8.0.36".into());
    world.refused(&errors::UPGRADE_DEPENDENCY, "EngineVersion", || ask(&session, upgrade));
    let promoted = ask(&session, PromoteReadReplicaDBCluster::new("web"))?.db_cluster().unwrap().clone();
    assert_eq!(promoted.status(), Some("promoting"));
    let web = get(&session)?;
    assert_eq!((web.replication_source_identifier(), web.status_infos()), (None, None));
    assert_eq!(shop()?.read_replica_db_cluster_identifiers().map(<[_]>::len), Some(0));
    world.refused(&errors::CLUSTER_STATE, "DBClusterIdentifier", || web.promote().wait());
    stop().map(drop)
}
