//! Replays: started, read, listed, cancelled, and the events that they send.

use super::{QUEUE, World, bus_arn};
use nephos_core::{Result, Timestamp, Value, json, prelude::*};
use nephos_events::{
    Archive, Delivery, EventRule, EventTarget, ListDeliveries, Replay, ReplayDestination, ReplayState, errors,
};
use nephos_testing::{HOUR, MINUTE, SECOND, names};

fn time(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

impl World {
    /// Starts a replay of an archive of the default bus, of the events from an hour before now to an hour after.
    pub(super) fn replay(&self, name: &str, archive: &Archive, rules: &[&str]) -> Result<Replay> {
        let now = self.now();
        self.replay_between(name, archive.require_arn()?, rules, now - HOUR, now + HOUR)
    }

    fn replay_between(
        &self,
        name: &str,
        archive: &str,
        rules: &[&str],
        start: i64,
        end: i64,
    ) -> Result<Replay> {
        let mut destination = ReplayDestination::builder().arn(bus_arn("default"));
        if !rules.is_empty() {
            destination = destination.filter_arns(rules);
        }
        let replay = Replay::builder().replay_name(name).event_source_arn(archive).description("again");
        let replay = replay.event_start_time(time(start)).event_end_time(time(end));
        Replay::objects(&self.session()).create(&replay.destination(destination.build()?).build()?).wait()
    }

    /// Returns the replay `name`, which must exist.
    fn existing_replay(&self, name: &str) -> Result<Replay> {
        Ok(Replay::objects(&self.session()).get(name).wait()?.unwrap())
    }

    /// Creates a rule of the default bus whose events stay in the outbox.
    fn create_rule_with_outbox(&self, name: &str) -> Result<EventRule> {
        let rule = self.create_rule("default", name)?;
        let target = EventTarget::builder().rule(name).id("t").arn(QUEUE).build()?;
        EventTarget::objects(&self.session()).create(&target).wait()?;
        Ok(rule)
    }

    /// Returns the deliveries of replays.
    fn replayed(&self) -> Result<Vec<(Delivery, Value)>> {
        let deliveries = self.cloud().control(ListDeliveries::new())?;
        let deliveries = deliveries.deliveries().unwrap_or_default();
        let with_input = |delivery: Delivery| {
            let input = json::parse(delivery.input().unwrap().as_bytes()).unwrap();
            input.get("replay-name").is_some().then_some((delivery, input))
        };
        Ok(deliveries.iter().cloned().filter_map(with_input).collect())
    }
}

fn text<'v>(event: &'v Value, name: &str) -> &'v str {
    event.get(name).and_then(Value::as_text).unwrap_or_default()
}

pub(super) fn replay_sends_events_of_its_time_range_in_order(world: &World) -> Result<()> {
    let archive = world.create_archive("a", "default")?;
    let rule = world.create_rule_with_outbox("r")?;
    let now = world.now();
    for minutes in [3, 1, 2, 0, 4] {
        world.send_event("default", "shop", Some(now + minutes * MINUTE))?;
    }
    world.send_event("default", "bank", Some(now + MINUTE))?;
    // The start is inclusive, and the end is not.
    let (start, end) = (now + MINUTE, now + 4 * MINUTE);
    let replay = world.replay_between("again", archive.require_arn()?, &[], start, end)?;
    assert_eq!(replay.require_arn()?, "arn:aws:events:us-east-1:123456789012:replay/again");
    assert_eq!((replay.description(), replay.event_source_arn()), (Some("again"), archive.archive_arn()));
    assert_eq!((replay.event_start_time(), replay.event_end_time()), (Some(time(start)), Some(time(end))));
    assert_eq!(replay.destination().unwrap().arn(), Some(bus_arn("default").as_str()));
    assert_eq!(replay.replay_start_time(), Some(time(now)));
    world.advance(HOUR)?;
    let replay = world.existing_replay("again")?;
    assert_eq!((replay.state(), replay.state_reason()), (Some(&ReplayState::Completed), None));
    assert_eq!(replay.event_last_replayed_time(), Some(time(now + 3 * MINUTE)));
    assert!(replay.replay_end_time() >= replay.replay_start_time());
    let replayed = world.replayed()?;
    let times: Vec<_> = replayed.iter().map(|(_, event)| text(event, "time")).collect();
    assert_eq!(times, ["2026-01-31T12:01:00Z", "2026-01-31T12:02:00Z", "2026-01-31T12:03:00Z"]);
    for (delivery, event) in &replayed {
        assert_eq!((text(event, "replay-name"), text(event, "source")), ("again", "shop"));
        assert_eq!((delivery.rule(), delivery.event_id()), (rule.name()?, Some(text(event, "id"))));
    }
    assert_eq!(world.existing_archive("a")?.event_count(), Some(6), "replayed events are not archived");
    Ok(())
}

pub(super) fn replay_goes_to_the_given_rules(world: &World) -> Result<()> {
    let archive = world.create_archive("a", "default")?;
    world.send_event("default", "shop", None)?;
    for name in ["one", "three", "two"] {
        world.create_rule_with_outbox(name)?;
    }
    let rules = |names: &[&str]| -> Result<Vec<String>> {
        names.iter().map(|name| Ok(world.existing_rule("default", name)?.require_arn()?.to_owned())).collect()
    };
    let wanted = rules(&["one", "two"])?;
    let replay = world.replay("again", &archive, &wanted.iter().map(String::as_str).collect::<Vec<_>>())?;
    assert_eq!(replay.destination().unwrap().filter_arns().map(<[_]>::len), Some(2));
    world.advance(HOUR)?;
    let replayed = world.replayed()?;
    let reached: Vec<_> = replayed.iter().map(|(delivery, _)| delivery.rule().unwrap()).collect();
    assert_eq!(reached, ["one", "two"]);
    Ok(())
}

pub(super) fn replays_are_checked(world: &World) -> Result<()> {
    world.create_bus("shop")?;
    let (archive, other) = (world.create_archive("a", "default")?, world.create_archive("b", "shop")?);
    let (arn, now) = (archive.require_arn()?, world.now());
    let start = |archive: &str, rules: &[&str], start: i64, end: i64| {
        world.replay_between("again", archive, rules, start, end)
    };
    for end in [now, now - SECOND] {
        let refused = world.refused(&errors::VALIDATION, "EventEndTime", || start(arn, &[], now, end));
        assert_eq!(
            refused.message(),
            "Parameter EventEndTime is not valid. Reason: EventStartTime must be before EventEndTime."
        );
    }
    let unknown = arn.replace("archive/a", "archive/none");
    let refused =
        world.refused(&errors::VALIDATION, "EventSourceArn", || start(&unknown, &[], now, now + HOUR));
    assert_eq!(
        refused.message(),
        "Parameter EventSourceArn is not valid. Reason: Archive none does not exist."
    );
    for foreign in [arn.replace("us-east-1", "eu-west-1"), arn.replace("archive/", "event-bus/")] {
        world.refused(&errors::VALIDATION, "EventSourceArn", || start(&foreign, &[], now, now + HOUR));
    }
    let of_other = || world.replay("again", &other, &[]);
    let refused = world.refused(&errors::VALIDATION, "Destination.Arn", of_other);
    assert_eq!(
        refused.message(),
        "Parameter Destination.Arn is not valid. Reason: Cross event bus replay is not permitted."
    );
    let to = |destination: String| {
        let replay = Replay::builder().replay_name("again").event_source_arn(arn);
        let replay = replay.event_start_time(time(now)).event_end_time(time(now + HOUR));
        let destination = ReplayDestination::builder().arn(destination).build()?;
        Replay::objects(&world.session()).create(&replay.destination(destination).build()?).wait()
    };
    let refused = world.refused(&errors::VALIDATION, "Destination.Arn", || to(QUEUE.to_owned()));
    assert_eq!(
        refused.message(),
        "Parameter Destination.Arn is not valid. Reason: Must contain an event bus ARN."
    );
    let refused = world.refused(&errors::NOT_FOUND, "Destination.Arn", || to(bus_arn("none")));
    assert_eq!(refused.message(), "Event bus none does not exist.");
    world.create_rule("shop", "r")?;
    for rule in ["rule/r", "rule/shop/r", "rule/none", "event-bus/default"] {
        let rule = format!("arn:aws:events:us-east-1:123456789012:{rule}");
        let filtered = || start(arn, &[&rule], now, now + HOUR);
        world.refused(&errors::NOT_FOUND, "Destination.FilterArns", filtered);
    }
    world.replay("again", &archive, &[])?;
    world.advance(HOUR)?;
    let refused = world.refused(&errors::EXISTS, None, || world.replay("again", &archive, &[]));
    assert_eq!(refused.message(), "Replay again already exists.");
    Ok(())
}

pub(super) fn replays_are_listed_by_one_filter(world: &World) -> Result<()> {
    let session = world.session();
    let (one, two) = (world.create_archive("one", "default")?, world.create_archive("two", "default")?);
    for (name, archive) in [("b", &one), ("ab", &two), ("aa", &one)] {
        world.replay(name, archive, &[])?;
    }
    world.advance(HOUR)?;
    let list = || Replay::objects(&session).list();
    let listed = list().limit(1).results().all().wait()?;
    assert_eq!(names(&listed)?, ["aa", "ab", "b"]);
    assert_eq!(
        (listed[0].state(), listed[0].event_source_arn()),
        (Some(&ReplayState::Completed), one.archive_arn())
    );
    assert_eq!(listed[0].event_last_replayed_time(), None, "the archive was empty");
    assert_eq!(listed[0].require_arn()?, world.existing_replay("aa")?.require_arn()?);
    assert_eq!(listed[0].description(), None);
    assert!(listed[0].destination().is_none() && listed[0].replay_end_time().is_some());
    assert_eq!(names(&list().name_prefix("a").results().all().wait()?)?, ["aa", "ab"]);
    let of_archive = list().event_source_arn(one.require_arn()?).results().all().wait()?;
    assert_eq!(names(&of_archive)?, ["aa", "b"]);
    assert_eq!(list().state(ReplayState::Completed).results().count().wait()?, 3);
    assert_eq!(list().state(ReplayState::Failed).results().count().wait()?, 0);
    let both = || list().name_prefix("a").state(ReplayState::Failed).results().all().wait();
    let refused = world.refused(&errors::VALIDATION, None, both);
    assert_eq!(
        refused.message(),
        "At most one filter is allowed for ListReplays. Use either : State, EventSourceArn, or NamePrefix."
    );
    Ok(())
}

pub(super) fn ended_replay_is_not_cancelled(world: &World) -> Result<()> {
    let archive = world.create_archive("a", "default")?;
    let replay = world.replay("again", &archive, &[])?;
    world.advance(HOUR)?;
    let refused = world.refused(&errors::ILLEGAL_STATUS, None, || replay.cancel().wait());
    assert_eq!(refused.message(), "Replay again is not in a valid state for this operation.");
    let replays = Replay::objects(&world.session());
    let refused = world.refused(&errors::NOT_FOUND, None, || replays.cancel("none").wait());
    assert_eq!(refused.message(), "Replay none does not exist.");
    assert!(replays.get("none").wait()?.is_none());
    // A replay outlives its archive.
    archive.delete().wait()?;
    assert_eq!(world.existing_replay("again")?.state(), Some(&ReplayState::Completed));
    Ok(())
}
