//! Read replicas: creation, promotion, switchover, and what happens to them with their source.

use super::{
    World,
    backups::backup_tags,
    instances::{create, instances, request},
};
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_rds::{
    CreateDBInstanceReadReplica, CreateDBSubnetGroup, DBInstance, DBParameterGroup, ModifyDBInstance,
    PromoteReadReplica, ReplicaMode, SwitchoverReadReplica, errors,
};
use nephos_testing::{OTHER_REGION, ask, names};

fn get(session: &Session, id: &str) -> Result<DBInstance> {
    Ok(instances(session).get(id).wait()?.unwrap())
}

fn replica_of(id: &str, source: &str) -> CreateDBInstanceReadReplica {
    CreateDBInstanceReadReplica::new(id).source_db_instance_identifier(source)
}

fn change(session: &Session, id: &str, by: impl FnOnce(&mut ModifyDBInstance)) -> Result<()> {
    let mut request = ModifyDBInstance::new(id);
    request.apply_immediately = Some(true);
    by(&mut request);
    ask(session, request).map(drop)
}

fn turn_on_backups(session: &Session, id: &str) -> Result<()> {
    change(session, id, |request| request.backup_retention_period = Some(1))
}

/// Creates an instance of an engine with the class and the storage of a larger one.
fn create_commercial(session: &Session, id: &str, engine: &str) -> Result<()> {
    let mut request = request(id, engine);
    request.db_instance_class = "db.r5.xlarge".into();
    request.allocated_storage = Some(200);
    ask(session, request).map(drop)
}

fn replicas(instance: &DBInstance) -> Vec<&str> {
    instance.read_replica_db_instance_identifiers().unwrap().iter().map(Text::as_str).collect()
}

pub(super) fn replica_follows_its_source(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0.35")?;
    change(&session, "web", |request| {
        request.db_port_number = Some(3307);
        request.max_allocated_storage = Some(100);
    })?;
    let created = instances(&session)
        .create_read_replica("Web-2")
        .source_db_instance_identifier("WEB")
        .db_instance_class("db.t4g.small")
        .tag_list([("team", "web")])
        .wait()?;
    assert_eq!((created.require_name()?, created.db_instance_status()), ("web-2", Some("creating")));
    assert_eq!(created.read_replica_source_db_instance_identifier(), Some("web"));
    assert_eq!((created.endpoint(), created.status_infos()), (None, None));
    let (source, replica) = (get(&session, "web")?, get(&session, "web-2")?);
    assert_eq!(replicas(&source), ["web-2"]);
    assert_eq!(replica.db_instance_status(), Some("available"));
    assert_eq!((replica.engine(), replica.engine_version()), (Some("mysql"), Some("8.0.35")));
    assert_eq!(
        (replica.master_username(), replica.db_instance_class()),
        (Some("boss"), Some("db.t4g.small"))
    );
    assert_eq!((replica.allocated_storage(), replica.storage_type()), (Some(20), Some("gp3")));
    assert_eq!((replica.backup_retention_period(), replica.max_allocated_storage()), (Some(0), Some(100)));
    assert_eq!(replica.endpoint().unwrap().port(), Some(3307));
    assert_eq!(replica.crypto_key_id(), source.crypto_key_id());
    assert_eq!((replica.tag_list().unwrap().len(), replica.pending_modified_values().is_some()), (1, true));
    let status = &replica.status_infos().unwrap()[0];
    assert_eq!((status.status_type(), status.status()), (Some("read replication"), Some("replicating")));
    assert_eq!(status.normal(), Some(true));
    assert_eq!(replica.source().wait()?.unwrap().require_name()?, "web");
    assert_eq!(names(&source.replicas().wait()?)?, ["web-2"]);
    let by_source =
        instances(&session).list().results().filter_by([("source__DBInstanceClass", "db.t4g.micro")])?;
    assert_eq!(names(&by_source.all().wait()?)?, ["web-2"]);
    Ok(())
}

pub(super) fn new_replicas_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let refused = |code, field: &str, request| world.refused(code, field, || ask(&session, request));
    let combination = &errors::INVALID_COMBINATION;
    refused(&errors::INVALID, "SourceDBInstanceIdentifier", CreateDBInstanceReadReplica::new("two"));
    refused(&errors::INVALID, "SourceDBInstanceIdentifier", replica_of("two", "we--b"));
    refused(&errors::INSTANCE_NOT_FOUND, "SourceDBInstanceIdentifier", replica_of("two", "api"));
    let elsewhere = "arn:aws:rds:eu-west-1:123456789012:db:web";
    refused(&errors::INSTANCE_NOT_FOUND, "SourceDBInstanceIdentifier", replica_of("two", elsewhere));
    let foreign = "arn:aws:rds:us-east-1:210987654321:db:web";
    refused(&errors::INSTANCE_NOT_FOUND, "SourceDBInstanceIdentifier", replica_of("two", foreign));
    let both = replica_of("two", "web").source_db_cluster_identifier("web");
    refused(combination, "SourceDBClusterIdentifier", both);
    let unknown = CreateDBInstanceReadReplica::new("two").source_db_cluster_identifier("web");
    refused(&errors::CLUSTER_NOT_FOUND, "SourceDBClusterIdentifier", unknown);
    refused(&errors::INSTANCE_EXISTS, "DBInstanceIdentifier", replica_of("web", "web"));
    refused(combination, "AllocatedStorage", replica_of("two", "web").allocated_storage(19));
    refused(combination, "ReplicaMode", replica_of("two", "web").replica_mode(ReplicaMode::Mounted));
    refused(combination, "PreSignedUrl", replica_of("two", "web").pre_signed_url("https://example.com"));
    refused(&errors::INVALID, "TagSpecifications", {
        replica_of("two", "web").tag_specifications(vec![backup_tags("cluster-auto-backup", "web")])
    });
    refused(&errors::INVALID, "DBInstanceClass", replica_of("two", "web").db_instance_class("large"));
    refused(&errors::INVALID, "DbInstancePort", replica_of("two", "web").db_instance_port(80));
    ask(&session, request("plain", "mysql"))?;
    refused(combination, "CryptoKeyId", replica_of("two", "plain").crypto_key_id(world.crypto_key("web")));
    let group = replica_of("two", "web").db_parameter_group_name("default.mysql8.0");
    let error = refused(combination, "DBParameterGroupName", group);
    assert_eq!(
        error.message(),
        "A parameter group can't be specified during Read Replica creation for the following DB engine: mysql"
    );
    let error = refused(
        &errors::SUBNET_GROUP_NOT_ALLOWED,
        "DBSubnetGroupName",
        replica_of("two", "web").db_subnet_group_name("default"),
    );
    assert_eq!(
        error.message(),
        "DbSubnetGroupName should not be specified for read replicas that are created in the same region as the master"
    );
    let source = get(&session, "web")?;
    ask(&session, replica_of("two", source.require_arn()?).db_subnet_group_name("default"))?;
    assert_eq!(get(&session, "two")?.read_replica_source_db_instance_identifier(), Some("web"));
    let error = refused(&errors::INSTANCE_STATE, "SourceDBInstanceIdentifier", replica_of("three", "two"));
    assert_eq!(
        error.message(),
        "Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance \
         to set the backup retention period to a non-zero value."
    );
    instances(&session).reboot("two").wait()?;
    Ok(())
}

pub(super) fn engines_limit_replicas(world: &World) -> Result<()> {
    let session = world.session();
    let source = "SourceDBInstanceIdentifier";
    for engine in ["sqlserver-se", "oracle-se2"] {
        create_commercial(&session, "web", engine)?;
        let error =
            world.refused(&errors::INVALID_COMBINATION, source, || ask(&session, replica_of("web-1", "web")));
        assert_eq!(error.message(), format!("Read replicas aren't supported for DB engine {engine}."));
        instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    }
    create_commercial(&session, "shop", "sqlserver-ee")?;
    for n in 1..=5 {
        ask(&session, replica_of(&format!("shop-{n}"), "shop"))?;
    }
    world.refused(&errors::INSTANCE_QUOTA, source, || ask(&session, replica_of("shop-6", "shop")));
    let shop = get(&session, "shop")?;
    let other = world.other_region();
    world.refused(&errors::INVALID_COMBINATION, source, || {
        ask(&other, replica_of("shop", shop.require_arn()?))
    });
    let backups = || turn_on_backups(&session, "shop-1");
    let error = world.refused(&errors::INVALID_COMBINATION, "BackupRetentionPeriod", backups);
    assert_eq!(error.message(), "DB Backups not supported on a read replica for engine sqlserver-ee");
    create(&session, "web", "postgres", "16")?;
    for (n, name) in ["web-1", "web-2", "web-3"].into_iter().enumerate() {
        let source = if n == 0 { "web".into() } else { format!("web-{n}") };
        ask(&session, replica_of(name, &source))?;
        turn_on_backups(&session, name)?;
    }
    world.refused(&errors::INSTANCE_STATE, source, || ask(&session, replica_of("web-4", "web-3")));
    Ok(())
}

pub(super) fn replica_is_promoted(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    ask(&session, replica_of("web-2", "web"))?;
    let promote = |id: &str| ask(&session, PromoteReadReplica::new(id));
    let error = world.refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || promote("web"));
    assert_eq!(error.message(), "DB Instance is not a read replica");
    world.refused(&errors::INVALID, "BackupRetentionPeriod", || {
        ask(&session, PromoteReadReplica::new("web-2").backup_retention_period(36))
    });
    let window = get(&session, "web-2")?.preferred_maintenance_window().unwrap()[4..9].to_owned();
    world.refused(&errors::INVALID, "PreferredBackupWindow", || {
        let window = format!("{window}-{}:59", &window[..2]);
        ask(&session, PromoteReadReplica::new("web-2").preferred_backup_window(window))
    });
    let mut small = ModifyDBInstance::new("web-2");
    small.db_instance_class = Some("db.t4g.small".into());
    ask(&session, small)?;
    let answer = get(&session, "web-2")?.promote().backup_retention_period(3).wait()?;
    assert_eq!(answer.db_instance_status(), Some("modifying"));
    assert_eq!(answer.read_replica_source_db_instance_identifier(), Some("web"), "until it ends");
    let (source, promoted) = (get(&session, "web")?, get(&session, "web-2")?);
    assert_eq!(promoted.db_instance_status(), Some("available"));
    assert_eq!(
        (promoted.read_replica_source_db_instance_identifier(), promoted.status_infos()),
        (None, None)
    );
    assert_eq!((promoted.backup_retention_period(), replicas(&source).len()), (Some(3), 0));
    let pending = promoted.pending_modified_values().unwrap();
    assert_eq!(pending.db_instance_class(), Some("db.t4g.small"), "other changes wait for the window");
    instances(&session).stop("web").wait()?;
    instances(&session).stop("web-2").wait()?;
    Ok(())
}

pub(super) fn replicas_outlive_their_source(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres", "16")?;
    ask(&session, replica_of("web-2", "web"))?;
    turn_on_backups(&session, "web-2")?;
    ask(&session, replica_of("web-3", "web-2"))?;
    for id in ["web", "web-2", "web-3"] {
        let error = world
            .refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || instances(&session).stop(id).wait());
        assert_eq!(error.message(), "Cannot stop or start a Read-Replica instance");
    }
    let error = world.refused(&errors::INVALID_COMBINATION, "FinalDBSnapshotIdentifier", || {
        instances(&session).delete("web-3").final_db_snapshot_identifier("last").wait()
    });
    assert_eq!(
        error.message(),
        "FinalDBSnapshotIdentifier can not be specified when deleting a replica instance"
    );
    let no_backups = || change(&session, "web-2", |request| request.backup_retention_period = Some(0));
    world.refused(&errors::INVALID_COMBINATION, "BackupRetentionPeriod", no_backups);
    change(&session, "web-2", |request| request.new_db_instance_identifier = Some("shop".into()))?;
    assert_eq!(replicas(&get(&session, "web")?), ["shop"]);
    assert_eq!(get(&session, "web-3")?.read_replica_source_db_instance_identifier(), Some("shop"));
    instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    let shop = get(&session, "shop")?;
    assert_eq!((shop.read_replica_source_db_instance_identifier(), shop.status_infos()), (None, None));
    instances(&session).delete("web-3").wait()?;
    assert_eq!(replicas(&get(&session, "shop")?).len(), 0);
    instances(&session).stop("shop").wait()?;
    Ok(())
}

pub(super) fn replicas_are_upgraded_first(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres", "15.5")?;
    ask(&session, replica_of("web-2", "web"))?;
    let upgrade = |id: &str, version: &str| {
        change(&session, id, |request| {
            request.engine_version = Some(version.into());
            request.allow_major_version_upgrade = Some(true);
        })
    };
    let error = world.refused(&errors::UPGRADE_DEPENDENCY, "EngineVersion", || upgrade("web", "15.6"));
    assert_eq!(error.message(), "One or more of the DB Instance's read replicas need to be upgraded: web-2");
    upgrade("web-2", "15.6")?;
    upgrade("web", "15.6")?;
    upgrade("web", "16.3")?;
    let replica = get(&session, "web-2")?;
    assert_eq!(replica.engine_version(), Some("16.3"), "with its source");
    let groups = replica.db_parameter_groups().unwrap();
    assert_eq!(groups[0].db_parameter_group_name(), Some("default.postgres16"));
    Ok(())
}

pub(super) fn replicas_are_in_other_regions(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_region());
    create(&session, "web", "mysql", "8.0")?;
    let web = get(&session, "web")?;
    let source = web.require_arn()?;
    let key = world.crypto_key_in(OTHER_REGION, "web");
    let without_key = || ask(&other, replica_of("web", source));
    let error = world.refused(&errors::INVALID_COMBINATION, "CryptoKeyId", without_key);
    assert_eq!(
        error.message(),
        "Cannot create a cross region unencrypted read replica from encrypted source."
    );
    let signed = replica_of("web", source).pre_signed_url("https://example.com").source_region("us-east-1");
    let group =
        DBParameterGroup::builder().db_parameter_group_name("far").db_parameter_group_family("mysql8.0");
    DBParameterGroup::objects(&other).create(&group.description("far").build()?).wait()?;
    ask(&other, signed.crypto_key_id(key).db_parameter_group_name("far"))?;
    let replica = get(&other, "web")?;
    assert_eq!(replica.require_arn()?, "arn:aws:rds:eu-west-1:123456789012:db:web");
    assert_eq!(replica.read_replica_source_db_instance_identifier(), Some(source));
    assert!(replica.availability_zone().unwrap().starts_with("eu-west-1"));
    assert_eq!(replica.db_parameter_groups().unwrap()[0].db_parameter_group_name(), Some("far"));
    assert_eq!(replicas(&get(&session, "web")?), [replica.require_arn()?]);
    assert_eq!(replica.source().wait()?.unwrap().require_arn()?, source);
    assert_eq!(get(&session, "web")?.replicas().wait()?[0].require_arn()?, replica.require_arn()?);
    change(&session, "web", |request| request.new_db_instance_identifier = Some("shop".into()))?;
    let renamed = get(&session, "shop")?;
    assert_eq!(
        get(&other, "web")?.read_replica_source_db_instance_identifier(),
        Some(renamed.require_arn()?)
    );
    instances(&session).delete("shop").skip_final_snapshot(true).wait()?;
    assert_eq!(get(&other, "web")?.read_replica_source_db_instance_identifier(), None);
    Ok(())
}

pub(super) fn replica_of_postgres_elsewhere_ends_with_its_source(world: &World) -> Result<()> {
    let (session, other) = (world.session(), world.other_region());
    create(&session, "web", "postgres", "16")?;
    let source = get(&session, "web")?;
    let key = world.crypto_key_in(OTHER_REGION, "web");
    ask(&other, replica_of("web", source.require_arn()?).crypto_key_id(key))?;
    source.delete().skip_final_snapshot(true).wait()?;
    let replica = get(&other, "web")?;
    let status = &replica.status_infos().unwrap()[0];
    assert_eq!((status.status(), status.normal()), (Some("terminated"), Some(false)));
    replica.promote().wait()?;
    let promoted = get(&other, "web")?;
    assert_eq!((promoted.status_infos(), promoted.backup_retention_period()), (None, Some(1)));
    Ok(())
}

pub(super) fn replica_changes_places_with_its_source(world: &World) -> Result<()> {
    let session = world.session();
    create_commercial(&session, "web", "oracle-ee")?;
    ask(&session, replica_of("web-2", "web").replica_mode(ReplicaMode::Mounted))?;
    ask(&session, replica_of("web-3", "web"))?;
    assert_eq!(get(&session, "web-3")?.replica_mode(), Some(&ReplicaMode::OpenReadOnly));
    let switch = |id: &str| ask(&session, SwitchoverReadReplica::new(id));
    let field = "DBInstanceIdentifier";
    world.refused(&errors::INSTANCE_STATE, field, || switch("web"));
    world.refused(&errors::INSTANCE_STATE, field, || switch("web-2"));
    turn_on_backups(&session, "web-2")?;
    let answer = get(&session, "web-2")?.switch_over().wait()?;
    assert_eq!(answer.db_instance_status(), Some("modifying"));
    let (old, new, other) = (get(&session, "web")?, get(&session, "web-2")?, get(&session, "web-3")?);
    assert_eq!(replicas(&new), ["web", "web-3"]);
    assert_eq!((new.read_replica_source_db_instance_identifier(), new.status_infos()), (None, None));
    assert_eq!((new.replica_mode(), old.replica_mode()), (None, Some(&ReplicaMode::Mounted)));
    assert_eq!(old.read_replica_source_db_instance_identifier(), Some("web-2"));
    assert_eq!((replicas(&old).len(), old.status_infos().map(<[_]>::len)), (0, Some(1)));
    assert_eq!(other.read_replica_source_db_instance_identifier(), Some("web-2"));
    assert_eq!((old.db_instance_status(), new.db_instance_status()), (Some("available"), Some("available")));
    create(&session, "shop", "mysql", "8.0")?;
    ask(&session, replica_of("shop-2", "shop"))?;
    world.refused(&errors::INSTANCE_STATE, field, || switch("shop-2"));
    Ok(())
}

pub(super) fn groups_of_instances_are_in_use(world: &World) -> Result<()> {
    let session = world.session();
    let subnets = super::subnets(&session);
    ask(&session, CreateDBSubnetGroup::new("web", "web", subnets))?;
    let group =
        DBParameterGroup::builder().db_parameter_group_name("web").db_parameter_group_family("mysql8.0");
    let group = DBParameterGroup::objects(&session).create(&group.description("web").build()?).wait()?;
    let mut request = request("web", "mysql");
    request.engine_version = Some("8.0".into());
    request.db_subnet_group_name = Some("web".into());
    request.db_parameter_group_name = Some("web".into());
    ask(&session, request)?;
    ask(&session, replica_of("web-2", "web"))?;
    instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    let replica = get(&session, "web-2")?;
    let used = replica.subnet_group().wait()?.unwrap();
    assert_eq!(used.require_name()?, "web");
    let field = "DBParameterGroupName";
    world.refused(&errors::PARAMETER_GROUP_STATE, field, || group.clone().delete().wait());
    let error =
        world.refused(&errors::SUBNET_GROUP_STATE, "DBSubnetGroupName", || used.clone().delete().wait());
    let text = "Cannot delete the subnet group 'web' because at least one database instance: web-2 is still using it.";
    assert_eq!(error.message(), text);
    replica.delete().skip_final_snapshot(true).wait()?;
    group.delete().wait()?;
    used.delete().wait()?;
    Ok(())
}
