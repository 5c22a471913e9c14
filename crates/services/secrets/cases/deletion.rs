//! Deletion and restoration of secrets.

use super::{DAY, World, errors, value};
use nephos_cloud::read_key;
use nephos_core::{Resource, Result, Tag};
use nephos_secrets::Secret;

/// After the recovery window, the secret no longer exists.
pub(super) fn deleted_secret_can_be_restored_within_recovery_window(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = world.create_secret("web", "x")?;
    for (days, window) in [(Some(7), 7), (Some(30), 30), (None, 30)] {
        let deleted = objects.delete("web").recovery_window_in_days(days).wait()?;
        assert_eq!((deleted.arn(), deleted.name()), (Some(secret.require_arn()?), Some("web")));
        assert_eq!(
            deleted.deletion_date().map(|date| date.as_millisecond()),
            Some(world.now() + window * DAY)
        );
        let found = world.existing_secret("web")?;
        assert_eq!(found.deleted_date().map(|date| date.as_millisecond()), Some(world.now()));
        world.advance(window * DAY - 1)?;
        assert!(world.existing_secret("web")?.deleted_date().is_some());
        assert_eq!(objects.restore("web").wait()?.arn(), Some(secret.require_arn()?));
        assert_eq!(world.existing_secret("web")?.deleted_date(), None);
        assert_eq!(value(&world.session(), "web")?, "x");
        world.advance(DAY)?;
        assert_eq!(value(&world.session(), "web")?, "x", "a restored secret is not removed");
    }
    let before = world.state()?;
    objects.restore("web").wait()?;
    world.assert_unchanged(&before)?;
    objects.delete("web").recovery_window_in_days(7).wait()?;
    world.advance(7 * DAY)?;
    assert_eq!(objects.get("web").wait()?, None);
    world.refused(&errors::NOT_FOUND, None, || objects.restore("web").wait());
    Ok(())
}

pub(super) fn second_deletion_has_full_recovery_window(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "x")?;
    objects.delete("web").recovery_window_in_days(7).wait()?;
    world.advance(DAY)?;
    objects.restore("web").wait()?;
    objects.delete("web").recovery_window_in_days(10).wait()?;
    world.advance(9 * DAY)?;
    assert!(objects.get("web").wait()?.is_some(), "the due work of the first deletion has no effect");
    world.advance(DAY)?;
    assert_eq!(objects.get("web").wait()?, None);
    Ok(())
}

/// Changes and reads of values are refused; `describe` is not.
pub(super) fn secret_scheduled_for_deletion_can_only_be_described(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let mut secret = world.create_secret("web", "x")?;
    objects.delete("web").wait()?;
    secret.set_description("changed")?;
    let refused = &errors::INVALID_REQUEST;
    world.refused(refused, None, || objects.get_value("web").wait());
    world.refused(refused, None, || objects.set_value("web").secret_string("y").wait());
    world.refused(refused, None, || objects.update(&secret).wait());
    world.refused(refused, None, || objects.rotate("web").rotation_function_arn("f").wait());
    world.refused(refused, None, || objects.cancel_rotation("web").wait());
    world.refused(refused, None, || objects.tag("web", vec![Tag::new("a", "b")]).wait());
    world.refused(refused, None, || objects.untag("web", vec!["a".into()]).wait());
    world.refused(refused, None, || objects.delete("web").wait());
    world.refused(refused, None, || objects.delete("web").recovery_window_in_days(7).wait());
    world.refused(refused, None, || objects.get_resource_policy("web").wait());
    world.refused(refused, None, || objects.delete_resource_policy("web").wait());
    world.refused(refused, None, || objects.update_version_stage("web", "x").wait());
    world.refused(refused, None, || world.create_secret("web", "y"));
    assert!(objects.describe("web").wait()?.deleted_date().is_some());
    assert_eq!(objects.list().results().count().wait()?, 0);
    Ok(())
}

/// A forced deletion removes all rows, also if the secret is scheduled for deletion or does not exist.
pub(super) fn forced_deletion_is_immediate_and_idempotent(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let force = |name: &str| objects.delete(name).force_delete_without_recovery(true).wait();
    let own_rows = || -> Result<usize> {
        let rows = world.state()?;
        let tables = rows.iter().filter_map(|(key, _)| Some(read_key(key)?.0));
        Ok(tables.filter(|table| table.starts_with("secretsmanager/")).count())
    };
    world.create_secret("web", "x")?;
    value(&world.session(), "web")?;
    let deleted = force("web")?;
    assert_eq!(deleted.deletion_date().map(|date| date.as_millisecond()), Some(world.now()));
    assert_eq!(objects.get("web").wait()?, None);
    assert_eq!(own_rows()?, 0);
    world.create_secret("later", "x")?;
    objects.delete("later").wait()?;
    force("later")?;
    assert_eq!(objects.get("later").wait()?, None);
    let before = world.state()?;
    assert_eq!(force("never")?.name(), Some("never"));
    world.assert_unchanged(&before)?;
    world.advance(40 * DAY)?;
    Ok(())
}

/// A recovery window cannot be combined with a forced deletion.
pub(super) fn recovery_window_is_limited_to_7_to_30_days(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.create_secret("web", "x")?;
    for days in [0, 6, 31, -7, i64::MAX] {
        world.assert_invalid("RecoveryWindowInDays", || {
            objects.delete("web").recovery_window_in_days(days).wait()
        });
    }
    world.assert_invalid("RecoveryWindowInDays", || {
        objects.delete("web").recovery_window_in_days(7).force_delete_without_recovery(true).wait()
    });
    objects.delete("web").recovery_window_in_days(7).force_delete_without_recovery(false).wait()?;
    Ok(())
}

/// The new secret has another ARN.
pub(super) fn name_can_be_reused_after_deletion(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let old = world.create_secret("web", "old")?;
    old.delete().recovery_window_in_days(7).wait()?;
    world.refused(&errors::INVALID_REQUEST, None, || world.create_secret("web", "new"));
    world.advance(7 * DAY)?;
    let new = world.create_secret("web", "new")?;
    assert_ne!(new.require_arn()?, old.require_arn()?);
    assert_eq!(value(&world.session(), "web")?, "new");
    assert_eq!(new.last_accessed_date(), None, "access times of the old secret are removed");
    world.refused(&errors::NOT_FOUND, None, || old.get_value().wait());
    world.refused(&errors::NOT_FOUND, None, || old.delete().wait());
    assert_eq!(objects.list().results().count().wait()?, 1);
    Ok(())
}
