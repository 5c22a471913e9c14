//! Retention: events expire as the clock advances.

use super::{DAY, HOUR, MINUTE, World, ask, errors};
use nephos_core::{Resource, Result};
use nephos_logs::{DeleteRetentionPolicy, LogGroup, LogGroupClass, LogStream, PutRetentionPolicy};

fn create_group_with_retention(world: &World, name: &str, days: i64) -> Result<()> {
    world.create(&LogGroup::builder().log_group_name(name).retention_in_days(days).build()?)?;
    world.create_stream(name, "main")
}

fn stored_bytes(world: &World, name: &str) -> Result<i64> {
    Ok(world.get_group(name)?.stored_bytes().unwrap_or(-1))
}

/// An event expires at the first whole minute after its retention.
pub(super) fn events_expire_at_whole_minutes(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    let noon = world.now();
    world.put_events(
        "/web",
        "main",
        &[(noon, "on the minute"), (noon + 1, "after it"), (noon + MINUTE, "next")],
    )?;
    assert_eq!(stored_bytes(world, "/web")?, 13 + 8 + 4 + 3 * 26);
    world.advance(DAY - 1)?;
    assert_eq!(world.messages("/web")?.len(), 3);
    world.advance(1)?;
    assert_eq!(world.messages("/web")?, ["after it", "next"]);
    assert_eq!(stored_bytes(world, "/web")?, 8 + 4 + 2 * 26);
    world.advance(MINUTE - 1)?;
    assert_eq!(world.messages("/web")?, ["after it", "next"]);
    world.advance(1)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    assert_eq!(stored_bytes(world, "/web")?, 0);
    Ok(())
}

pub(super) fn expiry_is_the_same_for_one_or_many_clock_steps(world: &World) -> Result<()> {
    for name in ["/a", "/b"] {
        create_group_with_retention(world, name, 3)?;
        let now = world.now();
        let events: Vec<_> = (0..12).map(|n| (now - 2 * DAY + n * HOUR, "x")).collect();
        world.put_events(name, "main", &events)?;
    }
    let other = world.other_region();
    LogGroup::objects(&other).create(&LogGroup::builder().log_group_name("/a").build()?).wait()?;
    for _ in 0..30 {
        world.advance(HOUR)?;
    }
    assert_eq!(world.messages("/a")?.len(), 5, "noon two days ago and six hours after");
    assert_eq!(world.messages("/b")?.len(), 5);
    world.advance(30 * DAY)?;
    assert_eq!((world.messages("/a")?.len(), stored_bytes(world, "/a")?), (0, 0));
    Ok(())
}

pub(super) fn shorter_retention_expires_old_events_immediately(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 7)?;
    let now = world.now();
    world.put_events("/web", "main", &[(now - 4 * DAY, "four days"), (now - 3 * DAY - 1, "over three")])?;
    world.put_events("/web", "main", &[(now - 3 * DAY + 1, "under three"), (now - 2 * DAY - 1, "two")])?;
    ask(&world.session(), PutRetentionPolicy::new("/web", 3))?;
    assert_eq!(world.messages("/web")?, ["under three", "two"]);
    assert_eq!(stored_bytes(world, "/web")?, 11 + 3 + 2 * 26);
    let stream =
        LogStream::objects(&world.session()).get("/web", "main").wait()?.expect("the stream is kept");
    assert_eq!(stream.first_event_timestamp(), Some(now - 3 * DAY + 1));
    assert_eq!(stream.last_event_timestamp(), Some(now - 2 * DAY - 1));
    world.advance(MINUTE)?;
    assert_eq!(world.messages("/web")?, ["two"]);
    Ok(())
}

pub(super) fn longer_retention_delays_expiry(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    world.advance(DAY - MINUTE)?;
    ask(&world.session(), PutRetentionPolicy::new("/web", 3))?;
    world.advance(2 * DAY)?;
    assert_eq!(world.messages("/web")?, ["hello"]);
    world.advance(MINUTE)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    Ok(())
}

/// With a retention again, old events expire at once.
pub(super) fn events_never_expire_without_retention(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    let mut group = world.get_group("/web")?;
    group.set_retention_in_days(None)?;
    group.save().wait()?;
    world.advance(400 * DAY)?;
    assert_eq!(world.messages("/web")?, ["hello"]);
    ask(&world.session(), PutRetentionPolicy::new("/web", 545))?;
    world.advance(145 * DAY - 1)?;
    assert_eq!(world.messages("/web")?, ["hello"]);
    world.advance(1)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    Ok(())
}

/// The retention of class DELIVERY cannot be changed.
pub(super) fn delivery_class_has_fixed_retention_of_one_day(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/delivery").log_group_class(LogGroupClass::Delivery);
    let group = world.create(&group.build()?)?;
    assert_eq!(group.retention_in_days(), Some(1));
    for days in [1, 7] {
        world.assert_invalid("retentionInDays", || {
            ask(&world.session(), PutRetentionPolicy::new("/delivery", days))
        });
    }
    world
        .assert_invalid("retentionInDays", || ask(&world.session(), DeleteRetentionPolicy::new("/delivery")));
    world.create_stream("/delivery", "main")?;
    world.put_events("/delivery", "main", &[(world.now(), "hello")])?;
    world.advance(DAY - 1)?;
    assert_eq!(world.messages("/delivery")?, ["hello"]);
    world.advance(1)?;
    assert_eq!(world.messages("/delivery")?, [""; 0]);
    Ok(())
}

pub(super) fn events_expire_in_each_stream(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 3)?;
    world.create_stream("/web", "other")?;
    let now = world.now();
    world.put_events("/web", "main", &[(now - 2 * DAY, "main 1"), (now - DAY - 1, "main 2")])?;
    world.put_events("/web", "other", &[(now - DAY, "other 1"), (now, "other 2")])?;
    world.advance(DAY)?;
    assert_eq!(world.messages("/web")?, ["main 2", "other 1", "other 2"]);
    world.advance(DAY)?;
    let streams = LogStream::objects(&world.session()).list("/web").results().all().wait()?;
    let times: Vec<_> = streams
        .iter()
        .map(|stream| (stream.first_event_timestamp(), stream.last_event_timestamp()))
        .collect();
    assert_eq!(times, [(None, None), (Some(now), Some(now))]);
    assert_eq!(stored_bytes(world, "/web")?, 7 + 26);
    Ok(())
}

/// The new group has the same name.
pub(super) fn due_expiry_of_deleted_group_does_not_affect_new_group(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    world.put_events("/web", "main", &[(world.now(), "old")])?;
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.advance(HOUR)?;
    create_group_with_retention(world, "/web", 1)?;
    world.put_events("/web", "main", &[(world.now(), "new")])?;
    world.advance(DAY - HOUR)?;
    assert_eq!(world.messages("/web")?, ["new"]);
    world.advance(HOUR)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.advance(30 * DAY)
}

pub(super) fn stream_accepts_events_after_all_expired(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    for round in 0..3 {
        let message = format!("round {round}");
        world.put_events("/web", "main", &[(world.now(), &message)])?;
        assert_eq!(world.messages("/web")?, [message]);
        world.advance(DAY)?;
        assert_eq!(world.messages("/web")?, [""; 0]);
    }
    Ok(())
}

pub(super) fn late_event_with_earlier_timestamp_expires_first(world: &World) -> Result<()> {
    create_group_with_retention(world, "/web", 1)?;
    let now = world.now();
    world.put_events("/web", "main", &[(now, "noon")])?;
    world.put_events("/web", "main", &[(now - 2 * HOUR, "ten")])?;
    world.advance(22 * HOUR)?;
    assert_eq!(world.messages("/web")?, ["noon"]);
    world.advance(2 * HOUR)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    Ok(())
}

pub(super) fn deletion_protection_does_not_prevent_expiry(world: &World) -> Result<()> {
    let group =
        LogGroup::builder().log_group_name("/web").retention_in_days(1).deletion_protection_enabled(true);
    world.create(&group.build()?)?;
    world.create_stream("/web", "main")?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    world.advance(DAY)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    world.refused(&errors::PROTECTED, None, || LogGroup::objects(&world.session()).delete("/web").wait());
    Ok(())
}
