//! Sessions of roles.

use super::{ACCOUNT, ALL_ACTIONS, World, assume, assume_with, caller_arn, role_arn, trust};
use nephos_cloud::Permissions;
use nephos_core::{ErrorKind, Record, Resource, Result};
use nephos_iam::{AccessKey, AccessKeyStatus, GetUser, ListAccessKeys, Role};
use nephos_sts::{AssumeRole, AssumeSession, CallerIdentity, PolicyDescriptorType, ProvidedContext, errors};
use nephos_testing::{HOUR, OTHER_ACCOUNT, SECOND, ask};

pub(super) fn session_has_the_identity_of_the_role(world: &World) -> Result<()> {
    let role = world.create_open_role("deploy")?;
    let mut answer = assume(&world.session(), "deploy")?;
    let arn = "arn:aws:sts::123456789012:assumed-role/deploy/web";
    let id = format!("{}:web", role.role_id().unwrap());
    let user = answer.assumed_role_user().unwrap();
    assert_eq!((answer.require_arn()?, user.assumed_role_id()), (arn, Some(id.as_str())));
    assert_eq!(answer.name().unwrap_err().kind(), ErrorKind::Invalid, "the kind has no name");
    assert_eq!((answer.packed_policy_size(), answer.source_identity()), (None, None));
    assert!(answer.session_token_size().unwrap() > 100 && answer.session_token_utilization().unwrap() > 0);
    let credentials = answer.to_credentials().unwrap();
    assert!(credentials.access_key_id.starts_with("ASIA"), "{}", credentials.access_key_id);
    let seconds = credentials.expiration.unwrap().as_second();
    assert_eq!(seconds, world.now() / 1000 + 3600);

    let session = world.session_with(credentials);
    let identity = CallerIdentity::objects(&session).get().wait()?;
    assert_eq!((identity.require_arn()?, identity.user_id()), (arn, Some(id.as_str())));
    assert_eq!(answer.set("SourceIdentity", "ann").unwrap_err().kind(), ErrorKind::Frozen);
    assert_eq!(answer.save().wait().unwrap_err().kind(), ErrorKind::Frozen);
    Ok(())
}

pub(super) fn role_is_no_user_with_the_same_name(world: &World) -> Result<()> {
    world.create_user("deploy")?;
    world.create_open_role("deploy")?;
    let session = world.session_with(assume(&world.session(), "deploy")?.to_credentials().unwrap());
    let invalid = &nephos_iam::errors::INVALID;
    let error = world.refused(invalid, None, || ask(&session, GetUser::new()));
    assert_eq!(error.message(), "Must specify userName when calling with non-User credentials");
    world.refused(invalid, None, || ask(&session, ListAccessKeys::new()));
    ask(&session, GetUser::new().user_name("deploy"))?;
    Ok(())
}

pub(super) fn session_with_a_role_is_in_its_account(world: &World) -> Result<()> {
    let other = world.other_account();
    let model = Role::builder().role_name("shared").path("/team/");
    let model = model.assume_role_policy_document(trust(ALL_ACTIONS, ACCOUNT, "{}")).build()?;
    let role = Role::objects(&other).create(&model).wait()?;
    let session = world.session().assume(role.require_arn()?, "web").wait()?;
    assert_eq!(session.account(), OTHER_ACCOUNT);
    assert_eq!(caller_arn(&session)?, format!("arn:aws:sts::{OTHER_ACCOUNT}:assumed-role/shared/web"));
    let found = Role::objects(&session).get("shared").wait()?;
    assert_eq!(found.and_then(|role| role.role_id().map(str::to_owned)).as_deref(), role.role_id());
    let error = world.session().assume(role_arn("shared"), "web").wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Denied, "{error}");
    Ok(())
}

pub(super) fn trust_policy_decides_in_every_mode(world: &World) -> Result<()> {
    let ann = world.create_user("ann")?;
    let root = world.session();
    world.create_open_role("first")?;
    let first = world.session_with(assume(&root, "first")?.to_credentials().unwrap());
    for (n, (principals, [by_root, by_ann, by_role])) in [
        (ACCOUNT, [true, true, true]),
        (r#"{"AWS": "123456789012"}"#, [true, true, true]),
        (r#""*""#, [true, true, true]),
        (r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, [false, true, false]),
        (r#"{"AWS": "arn:aws:iam::123456789012:role/first"}"#, [false, false, true]),
        (r#"{"AWS": "arn:aws:sts::123456789012:assumed-role/first/web"}"#, [false, false, true]),
        (r#"{"AWS": "arn:aws:iam::210987654321:root"}"#, [false, false, false]),
        (r#"{"Service": "ec2.amazonaws.com"}"#, [false, false, false]),
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("role-{n}");
        world.create_role(&name, &trust(ALL_ACTIONS, principals, "{}"))?;
        for mode in [Permissions::Off, Permissions::Record] {
            world.cloud().set_permissions(mode)?;
            for (session, allowed) in [(&root, by_root), (&ann, by_ann), (&first, by_role)] {
                let caller = caller_arn(session)?;
                match allowed {
                    true => drop(assume(session, &name)?),
                    false => {
                        let error = assume(session, &name).unwrap_err();
                        let arn = role_arn(&name);
                        let text = format!(
                            "User: {caller} is not authorized to perform: sts:AssumeRole on resource: {arn}"
                        );
                        assert_eq!((error.code(), error.message()), ("AccessDenied", text.as_str()));
                    }
                }
            }
        }
        world.cloud().set_permissions(Permissions::Off)?;
    }
    let denied = r#"{"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": "sts:AssumeRole", "Principal": "*"},
        {"Effect": "Deny", "Action": "sts:*", "Principal": {"AWS": "arn:aws:iam::123456789012:user/ann"}}]}"#;
    world.create_role("denied", denied)?;
    assume(&root, "denied")?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&ann, "denied"));
    Ok(())
}

pub(super) fn external_id_is_compared(world: &World) -> Result<()> {
    let condition = r#"{"StringEquals": {"sts:ExternalId": "partner-1"}}"#;
    world.create_role("partner", &trust(r#""sts:AssumeRole""#, ACCOUNT, condition))?;
    let session = world.session();
    let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&session, "partner"));
    if error.request_id().is_none() {
        assert!(error.to_string().contains("StringEquals on sts:ExternalId"), "{error}");
    }
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        assume_with(&session, "partner", |operation| operation.external_id("partner-2"))
    });
    assume_with(&session, "partner", |operation| operation.external_id("partner-1"))?;
    session.assume(role_arn("partner"), "web").external_id("partner-1").wait()?;

    let condition =
        r#"{"StringLike": {"sts:RoleSessionName": "w?b"}, "Bool": {"aws:ViaAWSService": "false"}}"#;
    world.create_role("named", &trust(r#""sts:AssumeRole""#, ACCOUNT, condition))?;
    assume(&session, "named")?;
    world.refused(&errors::ACCESS_DENIED, "RoleArn", || {
        AssumeRole::objects(&session).assume(role_arn("named"), "api").wait()
    });
    Ok(())
}

pub(super) fn duration_is_limited_by_the_role(world: &World) -> Result<()> {
    let mut role = world.create_open_role("web")?;
    let session = world.session();
    let assume = |seconds: i64| assume_with(&session, "web", |operation| operation.duration_seconds(seconds));
    let text = "The requested DurationSeconds exceeds the MaxSessionDuration set for this role.";
    let error = world.refused(&errors::INVALID, "DurationSeconds", || assume(3601));
    assert_eq!(error.message(), text);
    role.set_max_session_duration(7200)?;
    role.save().wait()?;
    let expiration = assume(7200)?.to_credentials().unwrap().expiration.unwrap();
    assert_eq!(expiration.as_second(), world.now() / 1000 + 7200);
    for seconds in [899, 7201, 43_201] {
        world.refused(&errors::INVALID, "DurationSeconds", || assume(seconds));
    }
    Ok(())
}

pub(super) fn credentials_expire(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let answer = assume_with(&world.session(), "web", |operation| operation.duration_seconds(900))?;
    let session = world.session_with(answer.to_credentials().unwrap());
    world.advance(HOUR / 4 - SECOND)?;
    caller_arn(&session)?;
    world.advance(SECOND)?;
    let error = caller_arn(&session).unwrap_err();
    assert_eq!((error.kind(), error.code()), (ErrorKind::Expired, "ExpiredToken"), "{error}");
    assert_eq!(error.message(), "The security token included in the request is expired");
    Ok(())
}

pub(super) fn root_with_credentials_is_refused(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let key = AccessKey::objects(&world.session()).create().wait()?;
    let root = world.session_with_key(&key);
    assert_eq!(caller_arn(&root)?, "arn:aws:iam::123456789012:root");
    let error = world.refused(&errors::ACCESS_DENIED, None, || assume(&root, "web"));
    assert_eq!(error.message(), "Roles may not be assumed by root accounts.");
    assume(&world.session(), "web")?;

    let ann = world.create_user("ann")?;
    assume(&ann, "web")?;
    let id = ann.credentials().unwrap().access_key_id.clone();
    let update = nephos_iam::UpdateAccessKey::new(id, AccessKeyStatus::Inactive).user_name("ann");
    ask(&world.session(), update)?;
    let is_ann = ask(&ann, GetUser::new())
        .is_ok_and(|answer| answer.user().is_some_and(|user| user.user_name() == Some("ann")));
    assert!(!is_ann, "the key is not active");
    Ok(())
}

pub(super) fn invalid_requests_are_refused(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let session = world.session();
    let objects = AssumeRole::objects(&session);
    for arn in [
        "arn:aws:iam::123456789012:user/web",
        "arn:aws:iam::12345678901:role/web",
        "arn:aws:sts::123456789012:role/web",
        "not the ARN of any role",
    ] {
        let error = world.refused(&errors::INVALID, "RoleArn", || objects.assume(arn, "web").wait());
        assert_eq!(error.message(), format!("{arn} is invalid"));
    }
    world.refused(&errors::INVALID, "RoleArn", || objects.assume("short", "web").wait());
    for name in ["a", "a b", "a/b", &"n".repeat(65)] {
        world.refused(&errors::INVALID, "RoleSessionName", || objects.assume(role_arn("web"), name).wait());
    }
    for missing in ["no", "Web", "team/web"] {
        let error = world.refused(&errors::ACCESS_DENIED, "RoleArn", || assume(&session, missing));
        let text = format!(
            "User: arn:aws:iam::123456789012:root is not authorized to perform: sts:AssumeRole on resource: {}",
            role_arn(missing)
        );
        assert_eq!(error.message(), text);
    }
    let context = ProvidedContext::builder().context_assertion("asserted").build()?;
    world.refused(&errors::INVALID, "ProvidedContexts", || {
        assume_with(&session, "web", |operation| operation.provided_contexts([context.clone()]))
    });
    let arn = "arn:aws:iam::aws:policy/ReadOnlyAccess";
    let policies = vec![PolicyDescriptorType::builder().arn(arn).build()?; 11];
    world.refused(&errors::INVALID, "PolicyArns", || {
        assume_with(&session, "web", |operation| operation.policy_arns(policies.clone()))
    });
    Ok(())
}

pub(super) fn secrets_are_not_printed_or_stored(world: &World) -> Result<()> {
    world.create_open_role("web")?;
    let before = world.state()?;
    let answer = assume(&world.session(), "web")?;
    world.assert_unchanged(&before)?;
    let credentials = answer.to_credentials().unwrap();
    let printed = format!("{answer:?} {credentials:?}");
    for secret in [&credentials.secret_access_key, &credentials.session_token.unwrap()] {
        assert!(secret.expose().len() >= 40 && !printed.contains(secret.expose()), "{printed}");
    }
    Ok(())
}
