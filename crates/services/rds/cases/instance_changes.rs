//! Changes of instances: at once, in the maintenance window, and by stopping, starting and rebooting.

use super::{
    World,
    instances::{create, instances},
};
use nephos_core::{Result, prelude::*};
use nephos_rds::{DBInstance, LogsExportConfiguration, ModifyDBInstance, RebootDBInstance, errors};
use nephos_testing::ask;

fn get(world: &World, id: &str) -> Result<DBInstance> {
    Ok(instances(&world.session()).get(id).wait()?.unwrap())
}

pub(super) fn deferred_changes_wait_for_the_maintenance_window(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0.35")?;
    ask(&session, ModifyDBInstance::new("web").preferred_maintenance_window("mon:01:00-mon:02:00"))?;
    let mut change = ModifyDBInstance::new("web");
    change.db_instance_class = Some("db.t4g.small".into());
    change.allocated_storage = Some(21);
    change.engine_version = Some("8.0.36".into());
    change.deletion_protection = Some(true);
    let answer = ask(&session, change)?;
    let answer = answer.db_instance().unwrap();
    assert_eq!(answer.deletion_protection(), Some(true), "a setting changes at once");
    assert_eq!((answer.db_instance_class(), answer.engine_version()), (Some("db.t4g.micro"), Some("8.0.35")));
    let pending = answer.pending_modified_values().unwrap();
    assert_eq!(pending.db_instance_class(), Some("db.t4g.small"));
    assert_eq!(pending.allocated_storage(), Some(22), "storage grows by a tenth at least");
    assert_eq!(pending.engine_version(), Some("8.0.36"));
    world.advance_to("2026-02-02T00:59:59Z")?;
    let found = get(world, "web")?;
    assert_eq!((found.db_instance_class(), found.engine_version()), (Some("db.t4g.micro"), Some("8.0.35")));
    assert_eq!(found.pending_modified_values().unwrap().db_instance_class(), Some("db.t4g.small"));
    world.advance_to("2026-02-02T01:00:01Z")?;
    let found = get(world, "web")?;
    assert_eq!((found.db_instance_class(), found.engine_version()), (Some("db.t4g.small"), Some("8.0.36")));
    assert_eq!((found.allocated_storage(), found.db_instance_status()), (Some(22), Some("available")));
    assert_eq!(found.pending_modified_values().unwrap().db_instance_class(), None);
    Ok(())
}

pub(super) fn model_is_updated_and_renamed_at_once(world: &World) -> Result<()> {
    let session = world.session();
    let mut web = create(&session, "web", "postgres", "16.3")?;
    web.set_db_instance_class("db.t4g.medium")?;
    web.set_copy_tags_to_snapshot(true)?;
    web.tags_mut().wait()?.insert("team", "web")?;
    let answer = instances(&session).update(&web).apply_immediately(true).wait()?;
    assert_eq!(answer.copy_tags_to_snapshot(), Some(true));
    let found = get(world, "web")?;
    assert_eq!(found.db_instance_class(), Some("db.t4g.medium"));
    assert_eq!(found.tag_list().unwrap().len(), 1);
    let mut rename = ModifyDBInstance::new("web");
    rename.new_db_instance_identifier = Some("Shop".into());
    rename.apply_immediately = Some(true);
    rename.db_port_number = Some(5433);
    let answer = ask(&session, rename)?;
    let pending = answer.db_instance().unwrap().pending_modified_values().unwrap();
    assert_eq!((pending.db_instance_identifier(), pending.port()), (Some("shop"), Some(5433)));
    let found = get(world, "shop")?;
    assert_eq!(found.require_arn()?, "arn:aws:rds:us-east-1:123456789012:db:shop");
    assert_eq!(found.endpoint().unwrap().port(), Some(5433));
    assert!(found.endpoint().unwrap().address().unwrap().starts_with("shop."));
    assert_eq!(instances(&session).get("web").wait()?, None);
    Ok(())
}

pub(super) fn port_and_password_change_before_the_window(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let mut change = ModifyDBInstance::new("web");
    change.db_port_number = Some(3307);
    change.allocated_storage = Some(40);
    change.master_user_password = Some("battery-staple".into());
    ask(&session, change)?;
    let found = get(world, "web")?;
    assert_eq!(
        (found.db_instance_status(), found.endpoint().unwrap().port()),
        (Some("available"), Some(3307))
    );
    let pending = found.pending_modified_values().unwrap();
    assert_eq!((pending.port(), pending.master_user_password()), (None, None));
    assert_eq!((pending.allocated_storage(), found.allocated_storage()), (Some(40), Some(20)));
    super::advance_days(world, 8)?;
    let found = get(world, "web")?;
    assert_eq!((found.allocated_storage(), found.endpoint().unwrap().port()), (Some(40), Some(3307)));
    Ok(())
}

pub(super) fn changes_of_instances_are_validated(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "postgres", "15.5")?;
    create(&session, "api", "postgres", "15.5")?;
    let refused = |code, field: &str, change: &dyn Fn(&mut ModifyDBInstance)| {
        let mut request = ModifyDBInstance::new("web");
        change(&mut request);
        world.refused(code, field, || ask(&session, request))
    };
    let combination = &errors::INVALID_COMBINATION;
    let error = refused(combination, "EngineVersion", &|change| change.engine_version = Some("15.4".into()));
    assert_eq!(error.message(), "Cannot upgrade postgres from 15.5 to 15.4");
    let error = refused(combination, "AllowMajorVersionUpgrade", &|change| {
        change.engine_version = Some("16.3".into());
    });
    assert_eq!(
        error.message(),
        "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version."
    );
    refused(combination, "AllocatedStorage", &|change| change.allocated_storage = Some(10));
    refused(combination, "MaxAllocatedStorage", &|change| change.max_allocated_storage = Some(19));
    refused(combination, "RotateMasterUserPassword", &|change| {
        change.rotate_master_user_password = Some(true)
    });
    refused(&errors::INSTANCE_EXISTS, "NewDBInstanceIdentifier", &|change| {
        change.new_db_instance_identifier = Some("API".into());
    });
    refused(&errors::INVALID, "DBPortNumber", &|change| change.db_port_number = Some(80));
    world.refused(&errors::INSTANCE_NOT_FOUND, "DBInstanceIdentifier", || {
        ask(&session, ModifyDBInstance::new("none"))
    });
    Ok(())
}

pub(super) fn growth_of_storage_is_turned_on_and_off(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    for (max, expected) in [(100, Some(100)), (20, None)] {
        ask(&session, ModifyDBInstance::new("web").max_allocated_storage(max))?;
        assert_eq!(get(world, "web")?.max_allocated_storage(), expected, "the storage has 20 GiB");
    }
    Ok(())
}

pub(super) fn stopped_instance_starts_after_seven_days(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    world
        .refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || instances(&session).start("web").wait());
    let stopping = instances(&session).stop("web").wait()?;
    assert_eq!(stopping.db_instance_status(), Some("stopping"));
    let stopped = get(world, "web")?;
    assert_eq!(stopped.db_instance_status(), Some("stopped"));
    assert!(stopped.automatic_restart_time().is_some() && stopped.endpoint().is_some());
    let error = world.refused(&errors::INSTANCE_STATE, "DBInstanceIdentifier", || {
        ask(&session, ModifyDBInstance::new("web"))
    });
    assert_eq!(error.message(), "You can't modify a stopped DB instance.");
    super::advance_days(world, 6)?;
    assert_eq!(get(world, "web")?.db_instance_status(), Some("stopped"));
    super::advance_days(world, 1)?;
    let started = get(world, "web")?;
    assert_eq!((started.db_instance_status(), started.automatic_restart_time()), (Some("available"), None));
    Ok(())
}

pub(super) fn standby_takes_over_with_a_reboot(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let failover = || RebootDBInstance::new("web").force_failover(true);
    world.refused(&errors::INVALID_COMBINATION, "ForceFailover", || ask(&session, failover()));
    let mut change = ModifyDBInstance::new("web");
    (change.multi_az, change.apply_immediately) = (Some(true), Some(true));
    ask(&session, change)?;
    let before = get(world, "web")?;
    assert_ne!(before.secondary_availability_zone(), before.availability_zone());
    ask(&session, failover())?;
    let after = get(world, "web")?;
    assert_eq!(after.availability_zone(), before.secondary_availability_zone());
    assert_eq!(after.db_instance_status(), Some("available"));
    Ok(())
}

pub(super) fn logs_and_monitoring_change_at_once(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let logs = |enable: &[&str], disable: &[&str]| {
        let mut change = ModifyDBInstance::new("web");
        let logs = LogsExportConfiguration::builder().enable_log_types(enable).disable_log_types(disable);
        change.logs_export_configuration = Some(logs.build().unwrap());
        ask(&session, change)
    };
    logs(&["error", "general"], &[])?;
    logs(&["audit"], &["error"])?;
    assert_eq!(get(world, "web")?.enabled_log_exports().unwrap(), ["general", "audit"]);
    let role = "arn:aws:iam::123456789012:role/monitoring";
    let mut change = ModifyDBInstance::new("web");
    (change.monitoring_interval, change.monitoring_role_arn) = (Some(60), Some(role.into()));
    ask(&session, change)?;
    let found = get(world, "web")?;
    assert_eq!((found.monitoring_interval(), found.monitoring_role_arn()), (Some(60), Some(role)));
    assert!(found.enhanced_monitoring_resource_arn().unwrap().contains(":log-group:RDSOSMetrics:"));
    Ok(())
}

pub(super) fn roles_are_added_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    create(&session, "web", "mysql", "8.0")?;
    let role = "arn:aws:iam::123456789012:role/exports";
    instances(&session).add_role("web", role, "S3_INTEGRATION").wait()?;
    let roles = get(world, "web")?;
    let roles = roles.associated_roles().unwrap();
    assert_eq!((roles[0].feature_name(), roles[0].status()), (Some("S3_INTEGRATION"), Some("ACTIVE")));
    let error = world.refused(&errors::ROLE_EXISTS, "RoleArn", || {
        instances(&session).add_role("web", role, "LAMBDA").wait()
    });
    assert_eq!(error.message(), format!("Role {role} alreday assigned to Instance web"));
    get(world, "web")?.remove_role(role, "S3_INTEGRATION").wait()?;
    world.refused(&errors::ROLE_NOT_FOUND, "RoleArn", || {
        instances(&session).remove_role("web", role, "S3_INTEGRATION").wait()
    });
    Ok(())
}
