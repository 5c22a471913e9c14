//! Resource policies of secrets.

use super::{World, errors};
use nephos_core::{Resource, Result};
use nephos_secrets::Secret;

const NARROW: &str = r#"{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"AWS": "123456789012"},
    "Action": "secretsmanager:GetSecretValue", "Resource": "*"}]}"#;

const PUBLIC: &str =
    r#"{"Statement": {"Effect": "Allow", "Principal": "*", "Action": "secretsmanager:*", "Resource": "*"}}"#;

/// The document is returned as it was given.
pub(super) fn resource_policy_is_attached_read_and_removed(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), None);
    world.advance(1000)?;
    let put = objects.set_resource_policy("web", NARROW).wait()?;
    assert_eq!((put.name(), put.arn()), (Some("web"), secret.arn()?));
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), Some(NARROW));
    let changed = world.existing_secret("web")?.last_changed_date();
    assert_eq!(changed.map(|time| time.as_millisecond()), Some(world.now()));
    objects.set_resource_policy("web", PUBLIC).wait()?;
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), Some(PUBLIC));
    secret.delete_resource_policy().wait()?;
    assert_eq!(secret.get_resource_policy().wait()?.resource_policy(), None);
    let before = world.state()?;
    secret.delete_resource_policy().wait()?;
    world.assert_unchanged(&before)
}

pub(super) fn malformed_policy_is_refused(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
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
    world.assert_violation("ResourcePolicy", || objects.set_resource_policy("web", "").wait());
    world
        .assert_violation("ResourcePolicy", || objects.set_resource_policy("web", " ".repeat(20_481)).wait());
    world.refused(&errors::NOT_FOUND, None, || objects.set_resource_policy("none", NARROW).wait());
    Ok(())
}

pub(super) fn block_public_policy_refuses_public_policy(world: &World) -> Result<()> {
    world.create_secret("web", "x")?;
    let put = |policy: &str, block: bool| {
        Secret::objects(&world.session()).set_resource_policy("web", policy).block_public_policy(block).wait()
    };
    world.refused(&errors::PUBLIC_POLICY, "ResourcePolicy", || put(PUBLIC, true));
    put(NARROW, true)?;
    put(PUBLIC, false)?;
    Ok(())
}

pub(super) fn policy_is_validated_without_being_attached(world: &World) -> Result<()> {
    let secret = world.create_secret("web", "x")?;
    let objects = Secret::objects(&world.session());
    let before = world.state()?;
    let valid = objects.validate_resource_policy(NARROW).secret_id("web").wait()?;
    assert_eq!((valid.policy_validation_passed(), valid.validation_errors()), (Some(true), Some(&[][..])));
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
