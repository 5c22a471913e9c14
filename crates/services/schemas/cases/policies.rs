//! Resource policies of registries.

use super::{World, ask, errors, registries::registry};
use nephos_core::Result;
use nephos_schemas::{DeleteResourcePolicy, GetResourcePolicy, PutResourcePolicy, Registry};

const POLICY: &str = r#"{"Version": "2012-10-17", "Statement": [{"Sid": "Read", "Effect": "Allow",
    "Principal": {"AWS": "210987654321"}, "Action": ["schemas:DescribeSchema", "schemas:Search*"],
    "Resource": ["arn:aws:schemas:us-east-1:123456789012:registry/r", "arn:aws:schemas:us-east-1:123456789012:schema/r*"]}]}"#;

/// Creates a registry with a policy.
fn create_with_policy(world: &World) -> Result<Registry> {
    let session = world.session();
    let created = Registry::objects(&session).create(&registry("r")).wait()?;
    Registry::objects(&session).set_resource_policy("r", POLICY).wait()?;
    Ok(created)
}

/// The document is returned as it was given, and every change has a new revision.
pub(super) fn resource_policy_is_attached_read_and_removed(world: &World) -> Result<()> {
    let session = world.session();
    let registry = Registry::objects(&session).create(&registry("r")).wait()?;
    let before = world.state()?;
    assert!(registry.get_resource_policy().wait()?.is_none());
    let put = |policy: &str| Registry::objects(&session).set_resource_policy("r", policy).wait();
    let first = put(POLICY)?;
    assert_eq!((first.policy(), first.revision_id().map(str::len)), (Some(POLICY), Some(36)));
    assert_eq!(registry.get_resource_policy().wait()?, Some(first.clone()));
    let public = POLICY.replace(r#"{"AWS": "210987654321"}"#, r#""*""#);
    let second = put(&public)?;
    assert_ne!(second.revision_id(), first.revision_id());
    let found = Registry::objects(&session).get_resource_policy("r").wait()?;
    assert_eq!(found, Some(second));
    registry.delete_resource_policy().wait()?;
    assert!(registry.get_resource_policy().wait()?.is_none());
    world.assert_unchanged(&before)
}

pub(super) fn revision_must_match(world: &World) -> Result<()> {
    let session = world.session();
    let registry = create_with_policy(world)?;
    let current = registry.get_resource_policy().wait()?.unwrap();
    let put = |revision: &str| {
        Registry::objects(&session).set_resource_policy("r", POLICY).revision_id(revision).wait()
    };
    let changed = put(current.revision_id().unwrap())?;
    let stale = || put(current.revision_id().unwrap());
    world.refused(&errors::PRECONDITION_FAILED, "RevisionId", stale);
    registry.delete_resource_policy().wait()?;
    let gone = || put(changed.revision_id().unwrap());
    world.refused(&errors::PRECONDITION_FAILED, "RevisionId", gone);
    Ok(())
}

pub(super) fn malformed_policy_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    create_with_policy(world)?;
    for policy in [
        "",
        "{",
        "{}",
        r#"{"Statement": []}"#,
        &POLICY.replace("Allow", "Permit"),
        &POLICY.replace("schemas:DescribeSchema", "s3:GetObject"),
        &POLICY.replace("arn:aws:schemas", "arn:aws:s3"),
        &POLICY.replace("210987654321", "someone"),
    ] {
        let put = || Registry::objects(&session).set_resource_policy("r", policy).wait();
        world.refused(&errors::INVALID, "Policy", put);
    }
    Ok(())
}

pub(super) fn missing_policy_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let registries = || Registry::objects(&session);
    registries().create(&registry("r")).wait()?;
    for name in ["r", "q", "aws.events"] {
        assert!(registries().get_resource_policy(name).wait()?.is_none());
        let delete = || registries().delete_resource_policy(name).wait();
        world.refused(&errors::NOT_FOUND, None, delete);
    }
    let put = |name: &'static str| registries().set_resource_policy(name, POLICY).wait();
    world.refused(&errors::NOT_FOUND, None, || put("q"));
    world.refused(&errors::FORBIDDEN, None, || put("aws.events"));
    world.refused(&errors::INVALID, "RegistryName", || put("a b"));
    // The provider's model has the name as optional.
    world.refused(&errors::INVALID, "RegistryName", || ask(&session, GetResourcePolicy::new()));
    world.refused(&errors::INVALID, "RegistryName", || ask(&session, DeleteResourcePolicy::new()));
    world.refused(&errors::INVALID, "RegistryName", || ask(&session, PutResourcePolicy::new(POLICY)));
    Ok(())
}

pub(super) fn policy_is_deleted_with_registry(world: &World) -> Result<()> {
    let before = world.state()?;
    create_with_policy(world)?.delete().wait()?;
    world.assert_unchanged(&before)?;
    let again = Registry::objects(&world.session()).create(&registry("r")).wait()?;
    assert!(again.get_resource_policy().wait()?.is_none());
    Ok(())
}
