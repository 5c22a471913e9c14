//! Retention: events go on the clock, each at its minute.

use super::{DAY, HOUR, MINUTE, World, ask, errors};
use crate::{DeleteRetentionPolicy, LogGroup, LogGroupClass, LogStream, PutRetentionPolicy};
use nephos_core::{Resource, Result};

fn kept_for(world: &World, name: &str, days: i64) -> Result<()> {
    world.create(&LogGroup::builder().log_group_name(name).retention_in_days(days).build()?)?;
    world.stream(name, "main")
}

fn stored(world: &World, name: &str) -> Result<i64> {
    Ok(world.found(name)?.stored_bytes().unwrap_or(-1))
}

/// An event goes at the first whole minute at which it has been kept for long enough.
pub(super) fn an_event_goes_at_its_minute(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    let noon = world.now();
    world.put("/web", "main", &[(noon, "on the minute"), (noon + 1, "after it"), (noon + MINUTE, "next")])?;
    assert_eq!(stored(world, "/web")?, 13 + 8 + 4 + 3 * 26);
    world.advance(DAY - 1)?;
    assert_eq!(world.messages("/web")?.len(), 3);
    world.advance(1)?;
    assert_eq!(world.messages("/web")?, ["after it", "next"]);
    assert_eq!(stored(world, "/web")?, 8 + 4 + 2 * 26);
    world.advance(MINUTE - 1)?;
    assert_eq!(world.messages("/web")?, ["after it", "next"]);
    world.advance(1)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    assert_eq!(stored(world, "/web")?, 0);
    Ok(())
}

/// It makes no difference whether the time moves in one step or in many.
pub(super) fn one_long_step_does_what_many_short_ones_do(world: &World) -> Result<()> {
    for name in ["/a", "/b"] {
        kept_for(world, name, 3)?;
        let now = world.now();
        let events: Vec<_> = (0..12).map(|n| (now - 2 * DAY + n * HOUR, "x")).collect();
        world.put(name, "main", &events)?;
    }
    let other = world.other_region();
    LogGroup::objects(&other).create(&LogGroup::builder().log_group_name("/a").build()?).wait()?;
    for _ in 0..30 {
        world.advance(HOUR)?;
    }
    assert_eq!(world.messages("/a")?.len(), 5, "noon two days ago and six hours after");
    assert_eq!(world.messages("/b")?.len(), 5);
    world.advance(30 * DAY)?;
    assert_eq!((world.messages("/a")?.len(), stored(world, "/a")?), (0, 0));
    Ok(())
}

/// A shorter retention takes at once what has been kept for long enough already.
pub(super) fn a_shorter_retention_takes_old_events_at_once(world: &World) -> Result<()> {
    kept_for(world, "/web", 7)?;
    let now = world.now();
    world.put("/web", "main", &[(now - 4 * DAY, "four days"), (now - 3 * DAY - 1, "over three")])?;
    world.put("/web", "main", &[(now - 3 * DAY + 1, "under three"), (now - 2 * DAY - 1, "two")])?;
    ask(&world.session(), PutRetentionPolicy::new("/web", 3))?;
    assert_eq!(world.messages("/web")?, ["under three", "two"]);
    assert_eq!(stored(world, "/web")?, 11 + 3 + 2 * 26);
    let stream = LogStream::objects(&world.session()).get("/web", "main").wait()?.expect("it stays");
    assert_eq!(stream.first_event_timestamp(), Some(now - 3 * DAY + 1));
    assert_eq!(stream.last_event_timestamp(), Some(now - 2 * DAY - 1));
    world.advance(MINUTE)?;
    assert_eq!(world.messages("/web")?, ["two"]);
    Ok(())
}

/// A longer retention keeps what would have gone.
pub(super) fn a_longer_retention_keeps_events(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    world.put("/web", "main", &[(world.now(), "hello")])?;
    world.advance(DAY - MINUTE)?;
    ask(&world.session(), PutRetentionPolicy::new("/web", 3))?;
    world.advance(2 * DAY)?;
    assert_eq!(world.messages("/web")?, ["hello"]);
    world.advance(MINUTE)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    Ok(())
}

/// Without a retention, nothing goes; with one again, what is old goes at once.
pub(super) fn a_cleared_retention_keeps_events_for_ever(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    world.put("/web", "main", &[(world.now(), "hello")])?;
    let mut group = world.found("/web")?;
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

/// What is only passed on is kept for one day, which cannot be changed.
pub(super) fn what_is_passed_on_is_kept_for_a_day(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/passing").log_group_class(LogGroupClass::Delivery);
    let group = world.create(&group.build()?)?;
    assert_eq!(group.retention_in_days(), Some(1));
    for days in [1, 7] {
        world.invalid("retentionInDays", || ask(&world.session(), PutRetentionPolicy::new("/passing", days)));
    }
    world.invalid("retentionInDays", || ask(&world.session(), DeleteRetentionPolicy::new("/passing")));
    world.stream("/passing", "main")?;
    world.put("/passing", "main", &[(world.now(), "hello")])?;
    world.advance(DAY - 1)?;
    assert_eq!(world.messages("/passing")?, ["hello"]);
    world.advance(1)?;
    assert_eq!(world.messages("/passing")?, [""; 0]);
    Ok(())
}

/// The streams of a group lose their events each by their own times.
pub(super) fn each_stream_loses_its_old_events(world: &World) -> Result<()> {
    kept_for(world, "/web", 3)?;
    world.stream("/web", "other")?;
    let now = world.now();
    world.put("/web", "main", &[(now - 2 * DAY, "main 1"), (now - DAY - 1, "main 2")])?;
    world.put("/web", "other", &[(now - DAY, "other 1"), (now, "other 2")])?;
    world.advance(DAY)?;
    assert_eq!(world.messages("/web")?, ["main 2", "other 1", "other 2"]);
    world.advance(DAY)?;
    let streams = LogStream::objects(&world.session()).list("/web").results().all().wait()?;
    let times: Vec<_> = streams
        .iter()
        .map(|stream| (stream.first_event_timestamp(), stream.last_event_timestamp()))
        .collect();
    assert_eq!(times, [(None, None), (Some(now), Some(now))]);
    assert_eq!(stored(world, "/web")?, 7 + 26);
    Ok(())
}

/// What was planned for a group that was deleted does nothing to a new one of its name.
pub(super) fn a_new_group_is_not_harmed_by_what_was_planned_for_an_old_one(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    world.put("/web", "main", &[(world.now(), "old")])?;
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.advance(HOUR)?;
    kept_for(world, "/web", 1)?;
    world.put("/web", "main", &[(world.now(), "new")])?;
    world.advance(DAY - HOUR)?;
    assert_eq!(world.messages("/web")?, ["new"]);
    world.advance(HOUR)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    LogGroup::objects(&world.session()).delete("/web").wait()?;
    world.advance(30 * DAY)
}

/// A stream that lost all events takes new ones, and those go in their turn.
pub(super) fn an_emptied_stream_is_used_again(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    for round in 0..3 {
        let message = format!("round {round}");
        world.put("/web", "main", &[(world.now(), &message)])?;
        assert_eq!(world.messages("/web")?, [message]);
        world.advance(DAY)?;
        assert_eq!(world.messages("/web")?, [""; 0]);
    }
    Ok(())
}

/// An earlier event that comes later goes earlier.
pub(super) fn an_earlier_event_that_comes_later_goes_earlier(world: &World) -> Result<()> {
    kept_for(world, "/web", 1)?;
    let now = world.now();
    world.put("/web", "main", &[(now, "noon")])?;
    world.put("/web", "main", &[(now - 2 * HOUR, "ten")])?;
    world.advance(22 * HOUR)?;
    assert_eq!(world.messages("/web")?, ["noon"]);
    world.advance(2 * HOUR)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    Ok(())
}

/// Expiry is not deletion: a protected group loses its old events, too.
pub(super) fn protection_does_not_keep_events(world: &World) -> Result<()> {
    let group =
        LogGroup::builder().log_group_name("/web").retention_in_days(1).deletion_protection_enabled(true);
    world.create(&group.build()?)?;
    world.stream("/web", "main")?;
    world.put("/web", "main", &[(world.now(), "hello")])?;
    world.advance(DAY)?;
    assert_eq!(world.messages("/web")?, [""; 0]);
    world.refused(&errors::PROTECTED, None, || LogGroup::objects(&world.session()).delete("/web").wait());
    Ok(())
}
