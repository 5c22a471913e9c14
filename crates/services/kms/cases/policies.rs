//! Key policies.

use super::World;
use nephos_core::Result;
use nephos_kms::{CryptoKey, PutKeyPolicy, errors};
use nephos_testing::{OTHER_ACCOUNT, ask};

/// Returns a policy that allows everything to a principal.
fn policy_for(principal: &str) -> String {
    format!(
        r#"{{"Version": "2012-10-17", "Statement": [{{"Sid": "Use and manage", "Effect": "Allow", "Principal": {principal},
        "Action": "kms:*", "Resource": "*"}}]}}"#
    )
}

pub(super) fn policy_is_stored_and_returned(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let key = world.create_key()?;
    let id = key.key_id().unwrap_or_default();
    let default = key.get_policy().wait()?;
    let account = world.session().account().to_owned();
    assert!(default.contains("key-default-1") && default.contains(&account), "{default}");
    keys.set_policy(id, default.clone()).wait()?;
    assert_eq!(key.get_policy().wait()?, default);
    let policy = policy_for(r#""*""#);
    keys.set_policy(id, policy.as_str()).policy_name("default").wait()?;
    assert_eq!(key.get_policy().policy_name("default").wait()?, policy);
    assert_eq!(key.list_policies().wait()?, ["default"]);
    let created = keys.create(&CryptoKey::builder().build()?).policy(policy.as_str()).wait()?;
    assert_eq!(created.get_policy().wait()?, policy);
    Ok(())
}

pub(super) fn policy_must_let_the_caller_change_it(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let key = world.create_key()?;
    let id = key.key_id().unwrap_or_default();
    let account = world.session().account().to_owned();
    for policy in [
        policy_for(&format!(r#"{{"AWS": "{OTHER_ACCOUNT}"}}"#)),
        policy_for(r#""*""#).replace("kms:*", "kms:Encrypt"),
        policy_for(r#""*""#).replace("Allow", "Deny"),
        policy_for(&format!(r#"{{"AWS": "{account}"}}"#))
            .replace("2012-10-17\"", "2012-10-17\", \"Id\": \"x\"")
            .replace("Resource\": \"*\"", "Resource\": \"arn:aws:s3:::web\""),
    ] {
        let text = "The new key policy will not allow you to update the key policy in the future.";
        let set = || keys.set_policy(id, policy.as_str()).wait();
        assert_eq!(world.refused(&errors::MALFORMED_POLICY, "Policy", set).message(), text);
        let create = || keys.create(&CryptoKey::builder().build()?).policy(policy.as_str()).wait();
        assert_eq!(world.refused(&errors::MALFORMED_POLICY, "Policy", create).message(), text);
        keys.set_policy(id, policy.as_str()).bypass_policy_lockout_safety_check(true).wait()?;
        assert_eq!(key.get_policy().wait()?, policy);
    }
    for principal in [
        format!(r#"{{"AWS": "{account}"}}"#),
        format!(r#"{{"AWS": ["{OTHER_ACCOUNT}", "arn:aws:iam::{account}:root"]}}"#),
    ] {
        keys.set_policy(id, policy_for(&principal)).wait()?;
    }
    Ok(())
}

pub(super) fn invalid_policies_are_refused(world: &World) -> Result<()> {
    let keys = CryptoKey::objects(&world.session());
    let key = world.create_key()?;
    for policy in
        ["{}", "policy", r#"{"Statement": {"Effect": "Allow", "Action": "kms:*", "Resource": "*"}}"#]
    {
        let set = || keys.set_policy(key.key_id().unwrap_or_default(), policy).wait();
        let refused = world.refused(&errors::MALFORMED_POLICY, "Policy", set);
        assert_eq!(refused.message(), "The new key policy contains a syntax error.");
    }
    Ok(())
}

pub(super) fn policy_names_are_checked(world: &World) -> Result<()> {
    let key = world.create_key()?;
    let refused =
        world.refused(&errors::NOT_FOUND, "PolicyName", || key.get_policy().policy_name("other").wait());
    assert_eq!(refused.message(), "No such policy exists");
    let put = PutKeyPolicy::new(key.key_id().unwrap_or_default(), policy_for(r#""*""#)).policy_name("other");
    world.refused(&errors::NOT_FOUND, "PolicyName", || ask(&world.session(), put.clone()));
    world.refused(&errors::INVALID_ARN, "KeyId", || {
        CryptoKey::objects(&world.session()).get_policy("alias/web").wait()
    });
    Ok(())
}
