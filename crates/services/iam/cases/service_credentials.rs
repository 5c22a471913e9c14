//! Service-specific credentials.

use super::{World, ask, errors};
use nephos_core::{Resource as _, Result, SignedDuration};
use nephos_iam::{
    AccessKeyStatus, ListServiceSpecificCredentials, ServiceSpecificCredential,
    UpdateServiceSpecificCredential,
};

const CODE: &str = "codecommit.amazonaws.com";
const BEDROCK: &str = "bedrock.amazonaws.com";

fn create(world: &World, user: &str, service: &str) -> Result<ServiceSpecificCredential> {
    ServiceSpecificCredential::objects(&world.session()).create(user, service).wait()
}

pub(super) fn credential_is_created_reset_and_deleted(world: &World) -> Result<()> {
    let ann = world.create_user("Ann")?;
    let objects = ServiceSpecificCredential::objects(&world.session());
    let mut credential = create(world, "ann", CODE)?;
    assert_eq!((credential.user_name(), credential.service_name()), (Some("Ann"), Some(CODE)));
    assert_eq!(credential.service_user_name(), Some("Ann-at-123456789012"));
    assert_eq!(credential.status(), Some(&AccessKeyStatus::Active));
    let id = credential.service_specific_credential_id().unwrap_or_default().to_owned();
    assert!(id.starts_with("ACCA") && id.len() == 21, "{id}");
    let password = credential.service_password().expect("it is returned").clone();
    assert_eq!(password.expose().len(), 60);
    for (_, row) in world.state()? {
        assert!(!String::from_utf8_lossy(&row).contains(password.expose()));
    }
    assert!(!format!("{credential:?}").contains(password.expose()));
    let listed = objects.list().user_name("ann").results().all().wait()?;
    assert_eq!((listed.len(), listed[0].service_password()), (1, None));
    let reset = listed[0].reset().wait()?;
    assert!(reset.service_password().is_some_and(|new| *new != password));
    credential.set_status(AccessKeyStatus::Inactive)?;
    credential.save().wait()?;
    let listed = objects.list().user_name("ann").results().all().wait()?;
    assert_eq!(listed[0].status(), Some(&AccessKeyStatus::Inactive));
    let update = |user: &str, status: AccessKeyStatus| {
        ask(&world.session(), UpdateServiceSpecificCredential::new(id.as_str(), status).user_name(user))
    };
    let error = world.refused(&errors::INVALID_INPUT, "Status", || update("ann", AccessKeyStatus::Expired));
    assert_eq!(error.message(), "Operation does not support status Expired");
    world.create_user("bea")?;
    let error = world.refused(&errors::INVALID, None, || update("bea", AccessKeyStatus::Active));
    assert_eq!(error.message(), format!("User bea does not have a service specific credential with id {id}"));
    let error = world.refused(&errors::DELETE_CONFLICT, None, || ann.delete().wait());
    assert_eq!(error.message(), "Cannot delete entity, must remove referenced objects first.");
    listed[0].delete().wait()?;
    let error = world.refused(&errors::NOT_FOUND, None, || listed[0].delete().wait());
    assert_eq!(error.message(), format!("No such credential {id} exists"));
    ann.delete().wait()?;
    Ok(())
}

pub(super) fn user_can_have_two_credentials_for_a_service(world: &World) -> Result<()> {
    for user in ["ann", "bea"] {
        world.create_user(user)?;
    }
    create(world, "ann", CODE)?;
    assert_eq!(create(world, "ann", CODE)?.service_user_name(), Some("ann+1-at-123456789012"));
    let error =
        world.refused(&errors::LIMIT_EXCEEDED, None, || create(world, "ann", "CodeCommit.amazonaws.com"));
    assert_eq!(error.message(), "Cannot exceed quota for ContextSpecificCredentialsPerUserPerContext: 2");
    create(world, "ann", "cassandra.amazonaws.com")?;
    assert_eq!(create(world, "bea", "CODECOMMIT.AMAZONAWS.COM")?.service_name(), Some(CODE));
    world.refused(&errors::NOT_FOUND, "ServiceName", || create(world, "ann", "s3.amazonaws.com"));
    world.refused(&errors::NOT_FOUND, None, || create(world, "cid", CODE));
    let session = world.session();
    let count = |query: ListServiceSpecificCredentials| -> Result<usize> {
        Ok(ask(&session, query)?.service_specific_credentials().map_or(0, <[_]>::len))
    };
    let list = ListServiceSpecificCredentials::new;
    assert_eq!(count(list().user_name("ann"))?, 3);
    assert_eq!(count(list().user_name("ann").service_name(CODE))?, 2);
    assert_eq!(count(list().all_users(true))?, 4);
    assert_eq!(count(list())?, 0, "the root user has none");
    assert_eq!(count(list().all_users(true).max_items(3))?, 3);
    assert_eq!(count(list().user_name("ann").service_name(""))?, 3);
    assert_eq!(count(list().user_name("ann").all_users(false))?, 3);
    world.refused(&errors::NOT_FOUND, "ServiceName", || count(list().service_name("s3")));
    let error =
        world.refused(&errors::INVALID_INPUT, "UserName", || count(list().all_users(true).user_name("ann")));
    assert_eq!(error.message(), "Cannot list credentials for all users if a username is given");
    world.refused(&errors::INVALID, "ServiceName", || count(list().service_name("s_3")));
    Ok(())
}

pub(super) fn api_keys_expire(world: &World) -> Result<()> {
    world.create_user("ann")?;
    let objects = ServiceSpecificCredential::objects(&world.session());
    let key = objects.create("ann", BEDROCK).credential_age_days(2).wait()?;
    assert!(key.service_credential_secret().expect("it is shown once").expose().starts_with("ABSK"));
    assert!(key.service_credential_alias().is_some());
    assert_eq!((key.service_user_name(), key.service_password()), (None, None));
    let lifetime = key.expiration_date().zip(key.create_date()).map(|(end, start)| end.duration_since(start));
    assert_eq!(lifetime, Some(SignedDuration::from_hours(48)));
    world.advance(48 * 3_600_000)?;
    let listed = objects.list().user_name("ann").results().all().wait()?;
    assert_eq!(listed[0].status(), Some(&AccessKeyStatus::Expired));
    let code = objects.create("ann", CODE).credential_age_days(2).wait()?;
    assert!(code.service_password().is_some() && code.expiration_date().is_some());
    for service in ["logs.amazonaws.com", "cloudwatch.amazonaws.com", "aws-external-anthropic.amazonaws.com"]
    {
        let key = create(world, "ann", service)?;
        assert_eq!(key.service_credential_alias(), Some("ann-at-123456789012"));
        assert!(
            !key.service_credential_secret().expect("it is shown once").expose().starts_with("ABSK"),
            "{service}"
        );
    }
    Ok(())
}
