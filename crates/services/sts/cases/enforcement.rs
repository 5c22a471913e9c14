//! Decisions about requests of sessions, where policies are enforced.

use super::{ACCOUNT, ALL_ACTIONS, World, assume, assume_with, session_policies::allow, trust};
use nephos_cloud::Permissions;
use nephos_core::{ErrorKind, Result, Session};
use nephos_iam::{GetRole, ListUsers, PutRolePolicy, PutUserPolicy};
use nephos_sts::AssumeRole;
use nephos_testing::ask;

/// True if a request was allowed; panics if it failed for another reason than missing permission.
fn allowed<T>(answer: Result<T>) -> bool {
    match answer {
        Ok(_) => true,
        Err(error) if error.kind() == ErrorKind::Denied => false,
        Err(error) => panic!("{error}"),
    }
}

fn list_users(session: &Session) -> bool {
    allowed(ask(session, ListUsers::new()))
}

pub(super) fn role_of_account_needs_permission_of_caller(world: &World) -> Result<()> {
    let (root, ann) = (world.session(), world.create_user("ann")?);
    world.create_open_role("web")?;
    let named = trust(ALL_ACTIONS, r#"{"AWS": "arn:aws:iam::123456789012:user/ann"}"#, "{}");
    world.create_role("named", &named)?;
    world.create_role(
        "other",
        &trust(ALL_ACTIONS, r#"{"AWS": "arn:aws:iam::123456789012:user/bea"}"#, "{}"),
    )?;
    world.cloud().set_permissions(Permissions::Enforce)?;
    assert!(!allowed(assume(&ann, "web")), "the trust policy leaves it to the account");
    assert!(allowed(assume(&ann, "named")), "the trust policy names the caller");
    ask(&root, PutUserPolicy::new("ann", "assume", allow("sts:AssumeRole")))?;
    assert!(allowed(assume(&ann, "web")));
    assert!(!allowed(assume(&ann, "other")), "the trust policy decides");
    assert!(allowed(assume(&root, "web")));
    Ok(())
}

pub(super) fn session_policy_limits_the_role(world: &World) -> Result<()> {
    let root = world.session();
    world.create_open_role("web")?;
    ask(&root, PutRolePolicy::new("web", "list", allow("iam:*")))?;
    world.cloud().set_permissions(Permissions::Enforce)?;
    let session = |policy: Option<&str>| {
        let answer = assume_with(&root, "web", |operation| operation.policy(policy))?;
        Ok::<_, nephos_core::Error>(world.session_with(answer.to_credentials().unwrap()))
    };
    assert!(list_users(&session(None)?));
    assert!(list_users(&session(Some(&allow("iam:List*")))?));
    let limited = session(Some(&allow("iam:Get*")))?;
    assert!(!list_users(&limited) && allowed(ask(&limited, GetRole::new("web"))));
    ask(&root, nephos_iam::DeleteRolePolicy::new("web", "list"))?;
    assert!(!list_users(&session(None)?), "the role has no policies any more");
    Ok(())
}

/// Whatever their session policies allow.
pub(super) fn federated_users_cannot_call_iam(world: &World) -> Result<()> {
    let (root, ann) = (world.session(), world.create_user("ann")?);
    ask(&root, PutUserPolicy::new("ann", "all", allow("*")))?;
    world.create_role("web", &trust(ALL_ACTIONS, ACCOUNT, "{}"))?;
    world.cloud().set_permissions(Permissions::Enforce)?;
    for caller in [&root, &ann] {
        let session = |policy: Option<&str>| {
            let answer = AssumeRole::objects(caller).federation_token("bea").policy(policy).wait()?;
            let credentials = answer.credentials().cloned().unwrap();
            Ok::<_, nephos_core::Error>(world.session_with(nephos_core::Credentials {
                access_key_id: credentials.access_key_id().unwrap().into(),
                secret_access_key: credentials.secret_access_key().cloned().unwrap(),
                session_token: credentials.session_token().cloned(),
                expiration: credentials.expiration(),
            }))
        };
        assert!(!list_users(&session(Some(&allow("iam:*")))?));
        assert!(!list_users(&session(None)?));
    }
    Ok(())
}
