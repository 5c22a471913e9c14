//! Archives and replays of events with log groups as targets, on the clock, and with processes that are killed.

use nephos::{
    Archive, Clock, Cloud, EventBus, EventRule, EventTarget, Kernel, LogEvent, LogGroup, Replay, Session,
    SignedDuration, Timestamp, Transitions, Value,
    prelude::*,
    services::events::{PutEventsRequestEntry, ReplayDestination, ReplayState},
};
use nephos_core::json;
use nephos_testing::{kill_after, report_done};

const BUS: &str = "arn:aws:events:us-east-1:123456789012:event-bus/default";
const GROUP: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/events";

/// Creates an archive, and a rule with the log group `/events` as its target.
fn set_up(session: &Session, retention_days: i64) -> Archive {
    let group = LogGroup::builder().log_group_name("/events").build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
    let rule = EventRule::builder().name("orders").event_pattern(r#"{"source": ["shop"]}"#).build().unwrap();
    EventRule::objects(session).create(&rule).wait().unwrap();
    let target = EventTarget::builder().rule("orders").id("log").arn(GROUP).build().unwrap();
    EventTarget::objects(session).create(&target).wait().unwrap();
    let archive = Archive::builder().archive_name("orders").event_source_arn(BUS);
    let archive = archive.retention_days(retention_days).build().unwrap();
    Archive::objects(session).create(&archive).wait().unwrap()
}

/// Sends events with the numbers from `first` on.
fn send(session: &Session, first: usize, count: usize) {
    let entry = |n| {
        let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order");
        entry.detail(format!(r#"{{"n": {n}}}"#)).build().unwrap()
    };
    let numbers: Vec<_> = (first..first + count).collect();
    for numbers in numbers.chunks(10) {
        let entries: Vec<_> = numbers.iter().copied().map(entry).collect();
        EventBus::objects(session).put_events("default", entries).strict(true).wait().unwrap();
    }
}

/// Starts a replay of the events between two times.
fn start(session: &Session, name: &str, archive: &Archive, start: Timestamp, end: Timestamp) {
    let replay = Replay::builder().replay_name(name).event_source_arn(archive.require_arn().unwrap());
    let replay = replay.event_start_time(start).event_end_time(end);
    let replay = replay.destination(ReplayDestination::builder().arn(BUS).build().unwrap()).build().unwrap();
    Replay::objects(session).create(&replay).wait().unwrap();
}

/// Numbers of the events in the log group `/events` that come from a replay.
fn replayed(session: &Session, name: &str) -> Vec<i64> {
    let events = LogEvent::objects(session).list("/events").results().all().wait().unwrap();
    let events = events.iter().map(|event| json::parse(event.message().unwrap().as_bytes()).unwrap());
    let of_replay = events.filter(|event| event.get("replay-name").and_then(Value::as_text) == Some(name));
    of_replay.map(|event| event.get("detail").and_then(|detail| detail.get("n")?.as_int()).unwrap()).collect()
}

fn advance(cloud: &Kernel, hours: i64) {
    cloud.clock().advance(SignedDuration::from_hours(hours)).unwrap();
}

#[test]
fn archived_events_are_replayed_until_their_retention_ends() {
    let noon = "2026-01-31T12:00:00Z".parse::<Timestamp>().unwrap();
    let cloud = Cloud::options().clock(Clock::frozen(noon)).in_memory();
    let session = cloud.session();
    let archive = set_up(&session, 2);
    send(&session, 0, 150);
    advance(&cloud, 24);
    send(&session, 150, 10);
    let end = noon + SignedDuration::from_hours(48);
    start(&session, "all", &archive, noon, end);
    let found = Replay::objects(&session).get("all").wait().unwrap().unwrap();
    assert_eq!(found.state(), Some(&ReplayState::Completed), "without realistic transitions it ends at once");
    assert_eq!(replayed(&session, "all"), (0..160).collect::<Vec<_>>());
    start(&session, "first", &archive, noon, noon + SignedDuration::from_hours(24));
    assert_eq!(replayed(&session, "first"), (0..150).collect::<Vec<_>>());
    let fork = cloud.fork().unwrap();
    advance(&cloud, 24);
    start(&session, "late", &archive, noon, end);
    assert_eq!(replayed(&session, "late"), (150..160).collect::<Vec<_>>());
    advance(&cloud, 24);
    let found = Archive::objects(&session).get("orders").wait().unwrap().unwrap();
    assert_eq!((found.event_count(), found.size_bytes()), (Some(0), Some(0)));
    let found = Archive::objects(&fork.session()).get("orders").wait().unwrap().unwrap();
    assert_eq!(found.event_count(), Some(160), "a fork has its own events");
    assert_eq!(cloud.failed_work().unwrap(), []);
}

/// Number of events of the replay that is interrupted.
const EVENTS: usize = 1500;

/// Lets a replay go on, second by second, and reports each.
#[test]
#[ignore = "the next test starts it as a child process"]
#[expect(clippy::disallowed_methods, reason = "the parent test passes the path")]
fn replays_events_until_it_is_killed() {
    let options = Cloud::options().transitions(Transitions::Realistic);
    let cloud = options.open(std::env::var("NEPHOS_VICTIM").unwrap()).unwrap();
    cloud.clock().freeze().unwrap();
    for n in 0..10_000 {
        cloud.clock().advance(SignedDuration::from_secs(1)).unwrap();
        report_done(&n.to_string());
    }
}

#[test]
fn kill_loses_and_repeats_no_event_of_a_replay() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let open = |path: &std::path::Path| {
        let options = Cloud::options().transitions(Transitions::Realistic).durable(false);
        let cloud = options.open(path).unwrap();
        cloud.clock().freeze().unwrap();
        cloud
    };
    for round in 0..2 {
        let path = folder.path().join(format!("state-{round}"));
        let cloud = open(&path);
        let (session, now) = (cloud.session(), cloud.clock().now());
        let archive = set_up(&session, 0);
        send(&session, 0, EVENTS);
        start(&session, "again", &archive, now, now + SignedDuration::from_hours(1));
        cloud.close().unwrap();
        drop((cloud, session));
        let state = path.to_str().unwrap().to_owned();
        // It starts after ten steps, and ends after 26.
        kill_after(
            12 + round * 3,
            "events_archives::replays_events_until_it_is_killed",
            &[("NEPHOS_VICTIM", &state)],
        );
        let cloud = open(&path);
        let session = cloud.session();
        let before = replayed(&session, "again").len();
        assert!(before > 0, "no events were replayed before the kill");
        advance(&cloud, 1);
        let found = Replay::objects(&session).get("again").wait().unwrap().unwrap();
        assert_eq!(found.state(), Some(&ReplayState::Completed));
        assert_eq!(replayed(&session, "again"), (0..EVENTS as i64).collect::<Vec<_>>());
        assert_eq!(cloud.failed_work().unwrap(), []);
    }
}
