//! Instances: creation, description and deletion.

use super::World;
use nephos_core::{Result, Session, Text, prelude::*};
use nephos_rds::{CreateDBInstance, DBInstance, DBInstanceManager, DeleteDBInstance, Filter, errors};
use nephos_testing::{ask, names};

pub(super) fn instances(session: &Session) -> DBInstanceManager {
    DBInstance::objects(session)
}

/// Creates an instance of an engine.
pub(super) fn create(session: &Session, id: &str, engine: &str, version: &str) -> Result<DBInstance> {
    let instance = DBInstance::builder().db_instance_identifier(id).db_instance_class("db.t4g.micro");
    let instance = instance.engine(engine).engine_version(version).allocated_storage(20);
    let instance = instance.master_username("boss").build()?;
    instances(session).create(&instance).master_user_password("correct horse".replace(' ', "-")).wait()
}

pub(super) fn request(id: &str, engine: &str) -> CreateDBInstance {
    let mut request = CreateDBInstance::new(id, "db.t4g.micro", engine);
    request.allocated_storage = Some(20);
    request.master_username = Some("boss".into());
    request.master_user_password = Some("correct-horse".into());
    request
}

pub(super) fn instance_is_created_described_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let created = create(&session, "Web", "postgres", "16")?;
    assert_eq!(created.require_name()?, "web", "identifiers are kept in lower case");
    assert_eq!(created.require_arn()?, "arn:aws:rds:us-east-1:123456789012:db:web");
    assert_eq!(created.db_instance_status(), Some("creating"));
    assert_eq!((created.endpoint(), created.db_instance_port()), (None, Some(0)));
    assert_eq!(created.pending_modified_values().unwrap().master_user_password(), Some("****"));
    let found = instances(&session).get("WEB").wait()?.unwrap();
    assert_eq!(found.db_instance_status(), Some("available"));
    let endpoint = found.endpoint().unwrap();
    assert!(endpoint.address().unwrap().starts_with("web."), "{endpoint:?}");
    assert!(endpoint.address().unwrap().ends_with(".us-east-1.rds.amazonaws.com"), "{endpoint:?}");
    assert_eq!(endpoint.port(), Some(5432));
    assert_eq!((found.storage_type(), found.iops()), (Some("gp3"), Some(3000)));
    assert_eq!(found.pending_modified_values().unwrap().master_user_password(), None);
    assert_eq!(found.db_subnet_group().unwrap().subnets().unwrap().len(), 3);
    let by_arn = instances(&session).get(found.require_arn()?).wait()?;
    assert_eq!(by_arn.as_ref().map(DBInstance::require_name).transpose()?, Some("web"));
    let error = world.refused(&errors::INVALID_COMBINATION, "FinalDBSnapshotIdentifier", || {
        ask(&session, DeleteDBInstance::new("web"))
    });
    assert_eq!(
        error.message(),
        "FinalDBSnapshotIdentifier is required unless SkipFinalSnapshot is specified."
    );
    let deleted = instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    assert_eq!(deleted.db_instance_status(), Some("deleting"));
    assert_eq!(instances(&session).get("web").wait()?, None);
    Ok(())
}

pub(super) fn settings_of_instances_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let error = world.refused(&errors::INSTANCE_EXISTS, "DBInstanceIdentifier", || {
        create(&session, "WEB", "mysql", "8.0")
    });
    assert_eq!(error.message(), "DB instance already exists");
    let refused = |code, field: &str, change: &dyn Fn(&mut CreateDBInstance)| {
        let mut request = request("api", "mysql");
        change(&mut request);
        world.refused(code, field, || ask(&session, request))
    };
    let invalid = &errors::INVALID;
    let combination = &errors::INVALID_COMBINATION;
    refused(invalid, "DBInstanceIdentifier", &|request| request.db_instance_identifier = "a--b".into());
    refused(invalid, "Engine", &|request| request.engine = "dbase".into());
    refused(invalid, "MasterUsername", &|request| request.master_username = Some("rdsadmin".into()));
    refused(invalid, "MasterUsername", &|request| request.master_username = None);
    refused(invalid, "MasterUserPassword", &|request| request.master_user_password = Some("short".into()));
    refused(invalid, "MasterUserPassword", &|request| {
        request.master_user_password = Some("a/b@c d e".into())
    });
    refused(invalid, "DBName", &|request| request.db_name = Some("a-b".into()));
    refused(invalid, "DBInstanceClass", &|request| request.db_instance_class = "t4g.micro".into());
    refused(invalid, "AvailabilityZone", &|request| request.availability_zone = Some("eu-west-1a".into()));
    refused(invalid, "BackupRetentionPeriod", &|request| request.backup_retention_period = Some(36));
    refused(invalid, "PreferredBackupWindow", &|request| {
        request.preferred_backup_window = Some("03:00-04:00".into());
        request.preferred_maintenance_window = Some("mon:03:30-mon:04:30".into());
    });
    refused(combination, "EngineVersion", &|request| request.engine_version = Some("9.9".into()));
    refused(combination, "LicenseModel", &|request| request.license_model = Some("license-included".into()));
    refused(combination, "AllocatedStorage", &|request| request.allocated_storage = Some(19));
    refused(combination, "Iops", &|request| {
        request.storage_type = Some("io1".into());
        request.allocated_storage = Some(100);
    });
    refused(combination, "MonitoringRoleArn", &|request| request.monitoring_interval = Some(60));
    refused(combination, "EnabledLogExports", &|request| {
        request.enabled_log_exports = Some(vec!["trace".into()])
    });
    refused(combination, "MasterUserPassword", &|request| request.manage_master_user_password = Some(true));
    refused(&errors::SUBNET_GROUP_NOT_FOUND, "DBSubnetGroupName", &|request| {
        request.db_subnet_group_name = Some("none".into());
    });
    refused(&errors::CERTIFICATE_NOT_FOUND, "CACertificateIdentifier", &|request| {
        request.ca_certificate_identifier = Some("rds-ca-2015".into());
    });
    Ok(())
}

pub(super) fn filters_find_instances(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    create(&session, "api", "postgres", "16")?;
    let found = instances(&session).list().results().all().wait()?;
    assert_eq!(names(&found)?, ["api", "web"]);
    let filter = |name: &str, value: &str| vec![Filter::of(name, value)];
    let by_engine = instances(&session).list().filters(filter("engine", "mysql")).results().all().wait()?;
    assert_eq!(names(&by_engine)?, ["web"]);
    let by_id = filter("dbi-resource-id", found[0].dbi_resource_id().unwrap());
    assert_eq!(names(&instances(&session).list().filters(by_id).results().all().wait()?)?, ["api"]);
    assert_eq!(instances(&session).get("web").filters(filter("engine", "postgres")).wait()?, None);
    let error = world.refused(&errors::INVALID, "Filters[0].Name", || {
        instances(&session).list().filters(filter("zone", "a")).results().all().wait()
    });
    assert_eq!(error.message(), "Unrecognized filter name: zone");
    let empty = Filter::builder().name("engine").values(Vec::<Text>::new()).build()?;
    world.refused(&errors::INVALID_COMBINATION, "Filters[0].Values", || {
        instances(&session).list().filters(vec![empty]).results().all().wait()
    });
    Ok(())
}

pub(super) fn character_sets_and_time_zones_depend_on_the_engine(world: &World) -> Result<()> {
    let session = world.session();
    let create = |engine: &str, change: &dyn Fn(&mut CreateDBInstance)| {
        let mut request = request("web", engine);
        request.db_instance_class = "db.r5.xlarge".into();
        request.allocated_storage = Some(200);
        change(&mut request);
        ask(&session, request)
    };
    let invalid = &errors::INVALID;
    world.refused(invalid, "CharacterSetName", || {
        create("oracle-ee", &|request| request.character_set_name = Some("AL32UTF9".into()))
    });
    world.refused(invalid, "NcharCharacterSetName", || {
        create("oracle-ee", &|request| request.nchar_character_set_name = Some("AL32UTF8".into()))
    });
    world.refused(invalid, "Timezone", || {
        create("mysql", &|request| request.timezone = Some("Local Time".into()))
    });
    create("oracle-ee", &|request| {
        request.character_set_name = Some("AL32UTF8".into());
        request.nchar_character_set_name = Some("UTF8".into());
    })?;
    let found = instances(&session).get("web").wait()?.unwrap();
    assert_eq!(
        (found.character_set_name(), found.nchar_character_set_name()),
        (Some("AL32UTF8"), Some("UTF8"))
    );
    Ok(())
}

pub(super) fn protected_instance_is_not_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let mut protected = request("web", "mysql");
    protected.deletion_protection = Some(true);
    ask(&session, protected)?;
    let error = world.refused(&errors::PROTECTED, "DBInstanceIdentifier", || {
        instances(&session).delete("web").skip_final_snapshot(true).wait()
    });
    assert_eq!(
        error.message(),
        "Cannot delete protected DB Instance, please disable deletion protection and try again."
    );
    Ok(())
}
