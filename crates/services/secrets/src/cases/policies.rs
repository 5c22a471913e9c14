//! Resource policies of secrets.

use super::{World, errors};
use crate::Secret;
use nephos_core::{Resource, Result};

const NARROW: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"},
    "Action": "secretsmanager:GetSecretValue", "Resource": "*"}]}"#;

const PUBLIC: &str =
    r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "secretsmanager:*", "Resource": "*"}}"#;

/// A policy is put, told as it was written, replaced and taken off.
pub(super) fn a_policy_is_put_told_and_taken_off(world: &World) -> Result<()> {
    let secret = world.secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), None);
    world.advance(1000)?;
    let put = objects.set_resource_policy("web", NARROW).wait()?;
    assert_eq!((put.name(), put.arn()), (Some("web"), secret.arn()?));
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), Some(NARROW));
    let changed = world.found_secret("web")?.last_changed_date();
    assert_eq!(changed.map(|time| time.as_millisecond()), Some(world.now()));
    objects.set_resource_policy("web", PUBLIC).wait()?;
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), Some(PUBLIC));
    secret.delete_resource_policy().wait()?;
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), None);
    let before = world.state()?;
    secret.delete_resource_policy().wait()?;
    world.assert_unchanged(&before)
}

/// What is no policy is not attached.
pub(super) fn a_policy_that_is_none_is_refused(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    for policy in [
        "{",
        "[]",
        "{}",
        r#"{"Statement": []}"#,
        &NARROW.replace("Allow", "Permit"),
        &NARROW.replace("secretsmanager:", "s3:"),
    ] {
        world.refused(&errors::MALFORMED_POLICY, "ResourcePolicy", || {
            objects.set_resource_policy("web", policy).wait()
        });
        world.refused(&errors::MALFORMED_POLICY, "ResourcePolicy", || {
            objects.validate_resource_policy(policy).wait()
        });
    }
    world.invalid_secret("ResourcePolicy", || objects.set_resource_policy("web", "").wait());
    world.invalid_secret("ResourcePolicy", || objects.set_resource_policy("web", " ".repeat(20_481)).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.set_resource_policy("none", NARROW).wait());
    Ok(())
}

/// A policy that lets everybody in is refused where that is asked for.
pub(super) fn a_public_policy_is_refused_when_that_is_asked_for(world: &World) -> Result<()> {
    world.secret("web", "x")?;
    let put = |policy: &str, block: bool| {
        Secret::objects(&world.session()).set_resource_policy("web", policy).block_public_policy(block).wait()
    };
    world.refused(&errors::PUBLIC_POLICY, "ResourcePolicy", || put(PUBLIC, true));
    put(NARROW, true)?;
    put(PUBLIC, false)?;
    Ok(())
}

/// Whether a policy is right can be asked without attaching it.
pub(super) fn a_policy_is_validated_without_being_attached(world: &World) -> Result<()> {
    let secret = world.secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    let before = world.state()?;
    let right = objects.validate_resource_policy(NARROW).secret_id("web").wait()?;
    assert_eq!((right.policy_validation_passed(), right.validation_errors()), (Some(true), Some(&[][..])));
    let public = objects.validate_resource_policy(PUBLIC).wait()?;
    assert_eq!(public.policy_validation_passed(), Some(false));
    let errors = public.validation_errors().unwrap_or_default();
    assert_eq!(errors.iter().map(|error| error.check_name()).collect::<Vec<_>>(), [Some("PUBLIC_POLICY")]);
    world.refused(&super::errors::NOT_FOUND, None, || {
        objects.validate_resource_policy(NARROW).secret_id("none").wait()
    });
    world.assert_unchanged(&before)?;
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), None);
    Ok(())
}
