//! Deleting secrets, and taking that back.

use super::{DAY, World, errors, value};
use crate::Secret;
use nephos_core::{Resource, Result, Tag};

/// A deleted secret can be restored as long as its window is open, and is gone after it.
pub(super) fn a_deleted_secret_can_be_restored_until_its_window_passes(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let secret = world.secret("web", "x")?;
    for (days, window) in [(Some(7), 7), (Some(30), 30), (None, 30)] {
        let deleted = objects.delete("web").recovery_window_in_days(days).wait()?;
        assert_eq!((deleted.arn(), deleted.name()), (Some(secret.require_arn()?), Some("web")));
        assert_eq!(
            deleted.deletion_date().map(|date| date.as_millisecond()),
            Some(world.now() + window * DAY)
        );
        let found = world.found_secret("web")?;
        assert_eq!(found.deleted_date().map(|date| date.as_millisecond()), Some(world.now()));
        world.advance(window * DAY - 1)?;
        assert!(world.found_secret("web")?.deleted_date().is_some());
        assert_eq!(objects.restore("web").wait()?.arn(), Some(secret.require_arn()?));
        assert_eq!(world.found_secret("web")?.deleted_date(), None);
        assert_eq!(value(&world.session(), "web")?, "x");
        world.advance(DAY)?;
        assert_eq!(value(&world.session(), "web")?, "x", "what was restored stays");
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

/// A secret that was restored and deleted again has a whole window again.
pub(super) fn a_secret_restored_and_deleted_again_has_its_whole_window(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("web", "x")?;
    objects.delete("web").recovery_window_in_days(7).wait()?;
    world.advance(DAY)?;
    objects.restore("web").wait()?;
    objects.delete("web").recovery_window_in_days(10).wait()?;
    world.advance(9 * DAY)?;
    assert!(objects.get("web").wait()?.is_some(), "the first deletion is forgotten");
    world.advance(DAY)?;
    assert_eq!(objects.get("web").wait()?, None);
    Ok(())
}

/// Whatever changes or reads a secret is refused while it is scheduled for deletion.
pub(super) fn a_deleted_secret_refuses_all_but_a_look(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let mut secret = world.secret("web", "x")?;
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
    world.refused(refused, None, || world.secret("web", "y"));
    assert!(objects.describe("web").wait()?.deleted_date().is_some());
    assert_eq!(objects.list().results().count().wait()?, 0);
    Ok(())
}

/// A forced deletion leaves nothing, whether the secret was there, scheduled, or not there at all.
pub(super) fn a_forced_deletion_is_at_once(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let force = |name: &str| objects.delete(name).force_delete_without_recovery(true).wait();
    let empty = world.state()?.len();
    world.secret("web", "x")?;
    value(&world.session(), "web")?;
    let deleted = force("web")?;
    assert_eq!(deleted.deletion_date().map(|date| date.as_millisecond()), Some(world.now()));
    assert_eq!(objects.get("web").wait()?, None);
    assert_eq!(world.state()?.len(), empty + 1, "only that there is a key is left");
    world.secret("later", "x")?;
    objects.delete("later").wait()?;
    force("later")?;
    assert_eq!(objects.get("later").wait()?, None);
    let before = world.state()?;
    assert_eq!(force("never")?.name(), Some("never"));
    world.assert_unchanged(&before)?;
    world.advance(40 * DAY)?;
    Ok(())
}

/// The window has bounds, and is not for a forced deletion.
pub(super) fn a_window_is_from_7_to_30_days(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    world.secret("web", "x")?;
    for days in [0, 6, 31, -7, i64::MAX] {
        world.invalid_secret("RecoveryWindowInDays", || {
            objects.delete("web").recovery_window_in_days(days).wait()
        });
    }
    world.invalid_secret("RecoveryWindowInDays", || {
        objects.delete("web").recovery_window_in_days(7).force_delete_without_recovery(true).wait()
    });
    objects.delete("web").recovery_window_in_days(7).force_delete_without_recovery(false).wait()?;
    Ok(())
}

/// Once a secret is gone, another can have its name, with another resource name.
pub(super) fn a_name_is_free_again_once_its_secret_is_gone(world: &World) -> Result<()> {
    let objects = Secret::objects(&world.session());
    let old = world.secret("web", "old")?;
    old.delete().recovery_window_in_days(7).wait()?;
    world.refused(&errors::INVALID_REQUEST, None, || world.secret("web", "new"));
    world.advance(7 * DAY)?;
    let new = world.secret("web", "new")?;
    assert_ne!(new.require_arn()?, old.require_arn()?);
    assert_eq!(value(&world.session(), "web")?, "new");
    assert_eq!(new.last_accessed_date(), None, "nothing of the old one is left");
    world.refused(&errors::NOT_FOUND, None, || old.get_value().wait());
    world.refused(&errors::NOT_FOUND, None, || old.delete().wait());
    assert_eq!(objects.list().results().count().wait()?, 1);
    Ok(())
}
