//! Passwords of master users, and the secrets in which the service keeps them.

use super::{World, instances::instances};
use nephos_core::Result;
use nephos_rds::{DBInstance, ModifyDBInstance, errors};
use nephos_secrets::Secret;
use nephos_testing::ask;

fn create_managed(world: &World) -> Result<DBInstance> {
    let instance = DBInstance::builder().db_instance_identifier("web").db_instance_class("db.t4g.micro");
    let instance =
        instance.engine("mysql").engine_version("8.0").allocated_storage(20).master_username("boss");
    instances(&world.session()).create(&instance.build()?).manage_master_user_password(true).wait()
}

fn secret_arn(world: &World) -> Result<String> {
    let found = instances(&world.session()).get("web").wait()?.unwrap();
    Ok(found.master_user_secret().unwrap().secret_arn().unwrap().to_owned())
}

fn password(world: &World) -> Result<String> {
    let arn = secret_arn(world)?;
    let value = Secret::objects(&world.session()).get_value(arn.as_str()).wait()?;
    Ok(value.secret_string().unwrap().expose().to_owned())
}

pub(super) fn managed_password_is_a_secret_that_rotates(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_managed(world)?;
    let secret = created.master_user_secret().unwrap();
    assert_eq!(secret.secret_status(), Some("creating"));
    assert!(secret.secret_arn().unwrap().contains(":secret:rds!db-"));
    let first = password(world)?;
    let web = instances(&session).get("web").wait()?.unwrap();
    let credentials = web.credentials().wait()?;
    assert_eq!(credentials.username(), Some("boss"));
    assert!(first.contains(credentials.password().unwrap().expose()));
    assert!(
        !format!("{credentials:?}").contains(credentials.password().unwrap().expose()),
        "it is never printed"
    );
    assert!(web.managed_secret().wait()?.is_some());
    super::advance_days(world, 7)?;
    let second = password(world)?;
    assert_ne!(first, second, "it rotates after seven days");
    let mut rotate = ModifyDBInstance::new("web");
    rotate.rotate_master_user_password = Some(true);
    let error = world
        .refused(&errors::INVALID_COMBINATION, "RotateMasterUserPassword", || ask(&session, rotate.clone()));
    assert_eq!(error.message(), "You must specify apply immediately when rotating the master user password.");
    rotate.apply_immediately = Some(true);
    ask(&session, rotate)?;
    assert_ne!(second, password(world)?);
    let arn = secret_arn(world)?;
    assert!(Secret::objects(&session).delete(arn.as_str()).wait().is_err(), "the service manages it");
    instances(&session).delete("web").skip_final_snapshot(true).wait()?;
    assert_eq!(instances(&session).get("web").wait()?, None);
    assert_eq!(Secret::objects(&session).get(arn.as_str()).wait()?, None, "it is deleted with the instance");
    Ok(())
}

pub(super) fn managed_password_is_turned_off_with_a_password(world: &World) -> Result<()> {
    let session = world.session();
    create_managed(world)?;
    let mut off = ModifyDBInstance::new("web");
    off.manage_master_user_password = Some(false);
    let error =
        world.refused(&errors::INVALID_COMBINATION, "MasterUserPassword", || ask(&session, off.clone()));
    assert_eq!(
        error.message(),
        "MasterUserPassword must be provided when ManageMasterUserPassword is set to false."
    );
    off.master_user_password = Some("correct-horse".into());
    ask(&session, off)?;
    let found = instances(&session).get("web").wait()?.unwrap();
    assert_eq!((found.master_user_secret(), found.db_instance_status()), (None, Some("available")));
    Ok(())
}
