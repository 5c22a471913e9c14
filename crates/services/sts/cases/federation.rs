//! Temporary credentials of users and of federated users.

use super::{ACCOUNT, World, assume, assume_with, caller_arn, trust};
use nephos_core::{Credentials, Resource, Result, Session, Tag};
use nephos_iam::VirtualMFADevice;
use nephos_iam_cases::mfa_code;
use nephos_sts::{AssumeRole, GetFederationToken, GetSessionToken, SessionCredentials, errors};
use nephos_testing::{MINUTE, SECOND, ask};

/// Converts the credentials in an answer.
fn to_credentials(given: Option<&SessionCredentials>) -> Credentials {
    let given = given.unwrap();
    Credentials {
        access_key_id: given.access_key_id().unwrap().into(),
        secret_access_key: given.secret_access_key().cloned().unwrap(),
        session_token: given.session_token().cloned(),
        expiration: given.expiration(),
    }
}

pub(super) fn session_token_is_for_its_user(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let answer = AssumeRole::objects(&ann).session_token().wait()?;
    let credentials = to_credentials(Some(&answer));
    assert_eq!(credentials.expiration.unwrap().as_second(), world.now() / 1000 + 43_200);
    let session = world.session_with(credentials);
    assert_eq!(caller_arn(&session)?, "arn:aws:iam::123456789012:user/ann");
    world.create_open_role("web")?;
    assume(&session, "web")?;
    let root = ask(&world.session(), GetSessionToken::new().duration_seconds(7200))?;
    let credentials = to_credentials(root.credentials());
    assert_eq!(credentials.expiration.unwrap().as_second(), world.now() / 1000 + 3600, "at most an hour");
    assert_eq!(caller_arn(&world.session_with(credentials))?, "arn:aws:iam::123456789012:root");
    for seconds in [899, 129_601] {
        world.refused(&errors::INVALID, "DurationSeconds", || {
            ask(&ann, GetSessionToken::new().duration_seconds(seconds))
        });
    }
    Ok(())
}

pub(super) fn temporary_credentials_cannot_create_tokens(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let role = assume(&world.session(), "web")?.to_credentials().unwrap();
    let token = ask(&world.create_user("ann")?, GetSessionToken::new())?;
    let federated = ask(&world.session(), GetFederationToken::new("bea"))?;
    let federated = world.session_with(to_credentials(federated.credentials()));
    let role = world.session_with(role);
    for session in [&role, &world.session_with(to_credentials(token.credentials())), &federated] {
        let error = world.refused(&errors::ACCESS_DENIED, None, || ask(session, GetSessionToken::new()));
        assert_eq!(error.message(), "Cannot call GetSessionToken with session credentials");
        let error =
            world.refused(&errors::ACCESS_DENIED, None, || ask(session, GetFederationToken::new("cid")));
        assert_eq!(error.message(), "Cannot call GetFederationToken with session credentials");
    }
    world.refused(&errors::ACCESS_DENIED, None, || assume(&federated, "web"));
    Ok(())
}

pub(super) fn federated_user_is_the_caller(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let answer = AssumeRole::objects(&ann).federation_token("bea").tags([Tag::new("team", "web")]).wait()?;
    let arn = "arn:aws:sts::123456789012:federated-user/bea";
    let user = answer.federated_user().unwrap();
    assert_eq!((user.arn(), user.federated_user_id()), (Some(arn), Some("123456789012:bea")));
    assert_eq!(answer.packed_policy_size(), Some(1));
    assert!(answer.session_token_size() > Some(100) && answer.session_token_utilization() > Some(0));
    let credentials = to_credentials(answer.credentials());
    assert_eq!(credentials.expiration.unwrap().as_second(), world.now() / 1000 + 43_200);
    assert_eq!(caller_arn(&world.session_with(credentials))?, arn);
    Ok(())
}

pub(super) fn federation_token_is_validated(world: &World) -> Result<()> {
    let session = world.session();
    let token = |name: &str| ask(&session, GetFederationToken::new(name));
    for name in ["a", "a b", &"n".repeat(33)] {
        world.refused(&errors::INVALID, "Name", || token(name));
    }
    world.refused(&errors::MALFORMED_POLICY, "Policy", || {
        ask(&session, GetFederationToken::new("bea").policy("{}"))
    });
    world.refused(&errors::INVALID_PARAMETER, "Tags[aws:team]", || {
        ask(&session, GetFederationToken::new("bea").tags([Tag::new("aws:team", "web")]))
    });
    Ok(())
}

pub(super) fn mfa_code_is_verified_once(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let model = VirtualMFADevice::builder().virtual_mfa_device_name("phone").build()?;
    let device = VirtualMFADevice::objects(&world.session()).create(&model).wait()?;
    let seed = device.base32_string_seed().cloned().unwrap();
    let code = || mfa_code(&seed, world.now());
    device.enable("ann", code(), mfa_code(&seed, world.now() + 30 * SECOND)).wait()?;
    world.advance(2 * MINUTE)?;
    let serial = device.serial_number().unwrap();
    let condition = r#"{"Bool": {"aws:MultiFactorAuthPresent": "true"}, "NumericLessThan": {"aws:MultiFactorAuthAge": "300"}}"#;
    world.create_role("admin", &trust(r#""sts:AssumeRole""#, ACCOUNT, condition))?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&ann, "admin"));
    let assume_by = |session: &Session, code: &str| {
        assume_with(session, "admin", |operation| operation.serial_number(serial).token_code(code))
    };
    let wrong = if code() == "000000" { "111111" } else { "000000" };
    let error = world.refused(&errors::ACCESS_DENIED, "TokenCode", || assume_by(&ann, wrong));
    assert_eq!(error.message(), "MultiFactorAuthentication failed with invalid MFA one time pass code.");
    world.refused(&errors::ACCESS_DENIED, "TokenCode", || assume_by(&world.session(), &code()));
    world.refused(&errors::ACCESS_DENIED, "TokenCode", || {
        assume_with(&ann, "admin", |operation| operation.serial_number(serial))
    });
    world.refused(&errors::ACCESS_DENIED, "SerialNumber", || {
        assume_with(&ann, "admin", |operation| operation.token_code(code()))
    });
    assume_by(&ann, &code())?;
    world.refused(&errors::ACCESS_DENIED, "TokenCode", || assume_by(&ann, &code()));

    world.advance(MINUTE)?;
    let token = ask(&ann, GetSessionToken::new().serial_number(serial).token_code(code()))?;
    let session = world.session_with(to_credentials(token.credentials()));
    assume(&session, "admin")?;
    world.advance(5 * MINUTE)?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&session, "admin"));
    assert!(device.require_arn()?.ends_with("/phone"));
    Ok(())
}
