//! Delivery of events to the resources of other services.

use nephos::{
    Clock, Cloud, Error, ErrorKind, EventBus, EventRule, EventTarget, Kernel, LogEvent, LogGroup, Result,
    Session, SignedDuration, Timestamp, Value,
    prelude::*,
    services::events::{
        DeadLetterConfig, Delivery, DeliveryState, EventRuleBuilder, InputTransformer, ListDeliveries,
        ListRecentEvents, PutEventsRequestEntry, PutServiceEvent, RemoveDeliveries, RetryPolicy,
    },
};
use nephos_cloud::{Tx, Work};
use nephos_core::{Record, Text, field_value::FieldType, json};
use nephos_testing::{kill_after, report_done};
use std::sync::{Arc, Mutex};

const FUNCTION: &str = "arn:aws:lambda:us-east-1:123456789012:function:handle";
const GROUP: &str = "arn:aws:logs:us-east-1:123456789012:log-group:/events";
const QUEUE: &str = "arn:aws:sqs:us-east-1:123456789012:orders";
const DEAD: &str = "arn:aws:sqs:us-east-1:123456789012:dead";

/// Sends one event to a bus.
fn send(session: &Session, bus: &str, source: &str, detail: &str) {
    let entry = PutEventsRequestEntry::builder().source(source).detail_type("Order").detail(detail);
    let entry = entry.build().unwrap();
    let sent = EventBus::objects(session).put_events(bus, [entry]).strict(true).wait().unwrap();
    assert_eq!(sent.failed_entry_count(), Some(0));
}

fn shop_rule(name: &str) -> EventRuleBuilder {
    EventRule::builder().name(name).event_pattern(r#"{"source": ["shop"]}"#)
}

/// Creates a rule with targets.
fn create_rule(session: &Session, rule: EventRuleBuilder, targets: &[&str]) -> EventRule {
    let rule = EventRule::objects(session).create(&rule.build().unwrap()).wait().unwrap();
    for (n, arn) in targets.iter().enumerate() {
        let target = EventTarget::builder().rule(rule.name().unwrap()).id(format!("t{n}")).arn(*arn);
        let target = target.event_bus_name(rule.event_bus_name().unwrap_or("default"));
        EventTarget::objects(session).create(&target.build().unwrap()).wait().unwrap();
    }
    rule
}

/// Creates the log group `/events`.
fn create_group(session: &Session) {
    let group = LogGroup::builder().log_group_name("/events").build().unwrap();
    LogGroup::objects(session).create(&group).wait().unwrap();
}

/// Messages of the events of the log group `/events`, as JSON.
fn messages(session: &Session) -> Vec<Value> {
    let events = LogEvent::objects(session).list("/events").results().all().wait().unwrap();
    events.iter().map(|event| json::parse(event.message().unwrap().as_bytes()).unwrap()).collect()
}

fn deliveries(cloud: &Kernel) -> Vec<Delivery> {
    cloud.control(ListDeliveries::new()).unwrap().deliveries().unwrap().to_vec()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_text).unwrap_or_default()
}

#[test]
fn event_reaches_a_log_group_in_the_same_call() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    create_rule(&session, shop_rule("orders"), &[GROUP]);
    send(&session, "default", "shop", r#"{"total": 7}"#);
    send(&session, "default", "bank", r#"{"total": 8}"#);
    let found = messages(&session);
    assert_eq!(found.len(), 1);
    assert_eq!(text(&found[0], "source"), "shop");
    assert_eq!(text(&found[0], "account"), "123456789012");
    assert_eq!(
        found[0].get("detail").and_then(|detail| detail.get("total")).and_then(Value::as_int),
        Some(7)
    );
    assert_eq!(deliveries(&cloud), []);
    let recent = cloud.control(ListRecentEvents::new()).unwrap();
    let rules: Vec<_> =
        recent.events().unwrap().iter().map(|event| event.rules().unwrap().join(" ")).collect();
    assert_eq!(rules, ["orders", ""]);
}

#[test]
fn transformer_makes_a_log_event() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    create_rule(&session, shop_rule("orders"), &[]);
    let make = |id: &str, template: &str| {
        let paths = [("time", "$.time"), ("type", "$.detail-type")];
        let transformer = InputTransformer::builder().input_paths_map(paths).input_template(template);
        let target = EventTarget::builder().rule("orders").id(id).arn(GROUP);
        let target = target.input_transformer(transformer.build().unwrap());
        EventTarget::objects(&session).create(&target.build().unwrap()).wait().unwrap();
    };
    make("a", r#"{"timestamp": <time>, "message": <type>}"#);
    make("b", r#"{"timestamp": 7, "message": {"type": <type>}}"#);
    make("c", r#"{"timestamp": <time>, "message": <type>, "level": "INFO"}"#);
    let now: Timestamp = "2040-01-31T12:00:00Z".parse().unwrap();
    cloud.clock().freeze().unwrap();
    cloud.clock().set(now).unwrap();
    let before = now - SignedDuration::from_hours(1);
    let put = |time: Timestamp| {
        let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}");
        let entry = entry.time(time).build().unwrap();
        EventBus::objects(&session).put_events("default", [entry]).strict(true).wait().unwrap();
    };
    put(before);
    let events = LogEvent::objects(&session).list("/events").results().all().wait().unwrap();
    let mut found: Vec<_> =
        events.iter().map(|event| (event.timestamp().unwrap(), event.message().unwrap())).collect();
    found.sort_unstable();
    let (before, now) = (before.as_millisecond(), now.as_millisecond());
    let other = r#"{"timestamp": "2040-01-31T11:00:00Z", "message": "Order", "level": "INFO"}"#;
    // The second time is too long ago for a log group.
    let expected = [(before, "Order"), (now, other), (now, r#"{"type":"Order"}"#)];
    assert_eq!(found, expected);
    // Events that are older than the retention are refused by the log group, and must not be lost.
    let mut group = LogGroup::objects(&session).get("/events").wait().unwrap().unwrap();
    group.set_retention_in_days(1).unwrap();
    group.save().wait().unwrap();
    put(cloud.clock().now() - SignedDuration::from_hours(48));
    assert_eq!(LogEvent::objects(&session).list("/events").results().count().wait().unwrap(), 6);
}

#[test]
fn changes_of_rules_and_targets_count_at_once() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    let rule = create_rule(&session, shop_rule("orders"), &[GROUP]);
    let count_after = |change: &dyn Fn()| {
        change();
        let before = messages(&session).len();
        send(&session, "default", "shop", "{}");
        messages(&session).len() - before
    };
    assert_eq!(count_after(&|| ()), 1);
    assert_eq!(count_after(&|| rule.disable().wait().unwrap()), 0);
    assert_eq!(count_after(&|| rule.enable().wait().unwrap()), 1);
    let fork = cloud.fork().unwrap();
    let other = EventRule::builder().name("orders").event_pattern(r#"{"source": ["bank"]}"#).build().unwrap();
    assert_eq!(count_after(&|| drop(EventRule::objects(&session).create(&other).wait().unwrap())), 0);
    send(&fork.session(), "default", "shop", "{}");
    assert_eq!(messages(&fork.session()).len(), 3, "a fork has its own rules");
    let again = shop_rule("orders").build().unwrap();
    assert_eq!(count_after(&|| drop(EventRule::objects(&session).create(&again).wait().unwrap())), 1);
    let target = EventTarget::objects(&session).get("orders", "t0").wait().unwrap().unwrap();
    assert_eq!(count_after(&|| target.delete().wait().unwrap()), 0);
    // A change that is only tried changes nothing.
    let target = EventTarget::builder().rule("orders").id("t").arn(GROUP).build().unwrap();
    EventTarget::objects(&session).create(&target).preview().wait().unwrap();
    assert_eq!(count_after(&|| ()), 0);
    assert_eq!(count_after(&|| drop(EventTarget::objects(&session).create(&target).wait().unwrap())), 1);
}

#[test]
fn restored_state_has_its_own_rules() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let saved = folder.path().join("saved");
    // Two clouds that generate the same IDs.
    let cloud_with_rule_for = |source: &str| {
        let cloud = Cloud::options().seed(7).in_memory();
        let rule =
            EventRule::builder().name("orders").event_pattern(format!(r#"{{"source": ["{source}"]}}"#));
        create_rule(&cloud.session(), rule, &[QUEUE]);
        send(&cloud.session(), "default", source, "{}");
        assert_eq!(deliveries(&cloud).len(), 1);
        cloud
    };
    cloud_with_rule_for("shop").save_to(&saved, |_| ()).unwrap();
    let cloud = cloud_with_rule_for("bank");
    cloud.restore_from(&saved, |_| ()).unwrap();
    send(&cloud.session(), "default", "bank", "{}");
    send(&cloud.session(), "default", "shop", "{}");
    let found = deliveries(&cloud);
    assert!(
        found.len() == 2 && found.iter().all(|found| found.input().unwrap().contains("shop")),
        "{found:?}"
    );
}

#[test]
fn target_that_does_not_exist_is_dead_lettered_without_retries() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_rule(&session, shop_rule("orders"), &[GROUP]);
    send(&session, "default", "shop", "{}");
    let [failed] = &deliveries(&cloud)[..] else { panic!("one delivery") };
    assert_eq!((failed.state(), failed.error_code()), (Some(&DeliveryState::Failed), Some("NO_RESOURCE")));
    assert_eq!((failed.attempts(), failed.next_attempt()), (Some(1), None));
    let mut target = EventTarget::objects(&session).get("orders", "t0").wait().unwrap().unwrap();
    target.set_dead_letter_config(DeadLetterConfig::builder().arn(DEAD).build().unwrap()).unwrap();
    target.save().wait().unwrap();
    send(&session, "default", "shop", "{}");
    let dead = deliveries(&cloud).pop().unwrap();
    assert_eq!((dead.state(), dead.dead_letter_arn()), (Some(&DeliveryState::DeadLetter), Some(DEAD)));
}

#[test]
fn targets_outside_the_cloud_have_an_outbox() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_rule(&session, shop_rule("orders"), &[QUEUE, FUNCTION]);
    send(&session, "default", "shop", r#"{"total": 7}"#);
    let found = deliveries(&cloud);
    assert_eq!(found.iter().map(|found| found.target_arn().unwrap()).collect::<Vec<_>>(), [QUEUE, FUNCTION]);
    assert!(found.iter().all(|found| found.state() == Some(&DeliveryState::Delivered)));
    let input = json::parse(found[0].input().unwrap().as_bytes()).unwrap();
    assert_eq!(text(&input, "detail-type"), "Order");
    let mut wanted = ListDeliveries::new();
    wanted.target_arn = Some(QUEUE.into());
    assert_eq!(cloud.control(wanted).unwrap().deliveries().unwrap().len(), 1);
    let mut first = RemoveDeliveries::new();
    first.up_to = found[0].number();
    cloud.control(first).unwrap();
    assert_eq!(deliveries(&cloud).len(), 1);
    cloud.control(RemoveDeliveries::new()).unwrap();
    assert_eq!(deliveries(&cloud), []);
}

/// A function that fails a number of times, and the events that it received.
fn register_failing(cloud: &Kernel, failures: usize) -> Arc<Mutex<Vec<Value>>> {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let events = seen.clone();
    let handle = move |_: &Session, event: &Value| {
        let mut events = events.lock().unwrap();
        events.push(event.clone());
        match events.len() <= failures {
            true => Err(Error::new(ErrorKind::Internal, "not yet")),
            false => Ok(()),
        }
    };
    cloud.register("handle", Arc::new(handle));
    seen
}

#[test]
fn function_is_called_after_the_commit_and_again_until_it_succeeds() {
    let cloud = Cloud::in_memory();
    cloud.clock().freeze().unwrap();
    let session = cloud.session();
    let seen = register_failing(&cloud, 3);
    create_rule(&session, shop_rule("orders"), &[FUNCTION]);
    send(&session, "default", "shop", r#"{"total": 7}"#);
    assert_eq!(seen.lock().unwrap().len(), 1, "it is called before the call returns");
    let [pending] = &deliveries(&cloud)[..] else { panic!("one delivery") };
    assert_eq!((pending.state(), pending.attempts()), (Some(&DeliveryState::Pending), Some(1)));
    assert_eq!(pending.error_message(), Some("not yet"));
    cloud.clock().advance(SignedDuration::from_secs(1)).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 2);
    assert_eq!(deliveries(&cloud)[0].attempts(), Some(2));
    cloud.clock().advance(SignedDuration::from_secs(60)).unwrap();
    assert_eq!(seen.lock().unwrap().len(), 4);
    assert_eq!(deliveries(&cloud), []);
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|event| text(event, "source") == "shop"));
}

#[test]
fn function_that_is_registered_late_is_called() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("state");
    let cloud = Cloud::open(&path).unwrap();
    register_failing(&cloud, usize::MAX);
    create_rule(&cloud.session(), shop_rule("orders"), &[FUNCTION]);
    send(&cloud.session(), "default", "shop", "{}");
    cloud.close().unwrap();
    drop(cloud);
    let cloud = Cloud::open(&path).unwrap();
    cloud.clock().freeze().unwrap();
    cloud.clock().advance(SignedDuration::from_secs(60)).unwrap();
    let [pending] = &deliveries(&cloud)[..] else { panic!("one delivery") };
    assert_eq!(pending.state(), Some(&DeliveryState::Pending));
    assert!(pending.error_message().unwrap().ends_with("is not registered with this cloud"));
    let seen = register_failing(&cloud, 0);
    cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
    assert_eq!((seen.lock().unwrap().len(), deliveries(&cloud)), (1, vec![]));
}

/// Creates a rule whose function always fails, with this retry policy, and returns the delivery after two days.
fn exhausted(policy: RetryPolicy) -> (Delivery, usize) {
    let cloud = Cloud::in_memory();
    cloud.clock().freeze().unwrap();
    let session = cloud.session();
    let seen = register_failing(&cloud, usize::MAX);
    create_rule(&session, shop_rule("orders"), &[]);
    let target = EventTarget::builder().rule("orders").id("t").arn(FUNCTION).retry_policy(policy);
    let target = target.dead_letter_config(DeadLetterConfig::builder().arn(DEAD).build().unwrap());
    EventTarget::objects(&session).create(&target.build().unwrap()).wait().unwrap();
    send(&session, "default", "shop", "{}");
    cloud.clock().advance(SignedDuration::from_hours(48)).unwrap();
    let calls = seen.lock().unwrap().len();
    (deliveries(&cloud).pop().unwrap(), calls)
}

#[test]
fn retries_end_by_the_policy_of_the_target() {
    let (dead, calls) = exhausted(RetryPolicy::builder().maximum_retry_attempts(2).build().unwrap());
    assert_eq!((calls, dead.attempts()), (3, Some(3)));
    assert_eq!(dead.state(), Some(&DeliveryState::DeadLetter));
    assert_eq!(dead.exhausted_retry_condition(), Some("MaximumRetryAttempts"));
    assert_eq!((dead.error_code(), dead.error_message()), (Some("ERROR_FROM_TARGET"), Some("not yet")));
    let (dead, calls) = exhausted(RetryPolicy::builder().maximum_event_age_in_seconds(60).build().unwrap());
    assert_eq!(calls, 6, "after 0, 1, 3, 7, 15 and 31 seconds");
    assert_eq!(dead.exhausted_retry_condition(), Some("MaximumEventAgeInSeconds"));
    let (dead, calls) = exhausted(RetryPolicy::builder().build().unwrap());
    assert_eq!(calls, 10 + 167, "10 until second 511, then one every 512 seconds of a day");
    assert_eq!(dead.state(), Some(&DeliveryState::DeadLetter));
}

#[test]
fn events_go_to_other_buses_once() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    let bus = |name: &str| format!("arn:aws:events:us-east-1:123456789012:event-bus/{name}");
    for name in ["one", "two"] {
        EventBus::objects(&session).create(&EventBus::builder().name(name).build().unwrap()).wait().unwrap();
    }
    create_rule(&session, shop_rule("to-one"), &[&bus("one")]);
    create_rule(&session, shop_rule("to-two").event_bus_name("one"), &[&bus("two"), &bus("default"), GROUP]);
    create_rule(&session, shop_rule("log").event_bus_name("two"), &[GROUP]);
    send(&session, "default", "shop", "{}");
    assert_eq!(messages(&session).len(), 1, "the rule of the second bus, not that of the third");
    let found = deliveries(&cloud);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|failed| failed.error_code() == Some("THIRD_ACCOUNT_HOP_DETECTED")));
    create_rule(&session, shop_rule("to-nowhere"), &[&bus("nowhere")]);
    send(&session, "default", "shop", "{}");
    assert!(deliveries(&cloud).iter().any(|failed| failed.error_code() == Some("NO_RESOURCE")));
}

#[test]
fn events_go_to_buses_of_other_accounts_and_regions_that_allow_it() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    let other = session.with_account("210987654321").with_region("eu-west-1");
    create_group(&other);
    let arn = "arn:aws:events:eu-west-1:210987654321:event-bus/default";
    create_rule(&session, shop_rule("away"), &[arn]);
    create_rule(&other, shop_rule("log"), &["arn:aws:logs:eu-west-1:210987654321:log-group:/events"]);
    send(&session, "default", "shop", "{}");
    assert_eq!(messages(&other).len(), 0);
    assert_eq!(deliveries(&cloud)[0].error_code(), Some("NO_PERMISSIONS"));
    let entry = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}");
    let entry = entry.event_bus_name(arn).build().unwrap();
    let put = || EventBus::objects(&session).put_events("default", [entry.clone()]).wait().unwrap();
    let refused = put();
    assert_eq!(refused.failed_entry_count(), Some(1));
    assert_eq!(refused.entries().unwrap()[0].error_code(), Some("AccessDeniedException"));

    let allow = EventBus::objects(&other).put_permission().action("events:PutEvents");
    allow.principal("123456789012").statement_id("sender").wait().unwrap();
    send(&session, "default", "shop", "{}");
    assert_eq!(put().failed_entry_count(), Some(0));
    let found = messages(&other);
    assert_eq!(found.len(), 2);
    assert!(
        found
            .iter()
            .all(|event| (text(event, "account"), text(event, "region")) == ("123456789012", "us-east-1"))
    );
}

#[test]
fn schedule_fires_each_occurrence_once_in_order_at_its_time() {
    let clock = "2026-01-31T11:30:00Z".parse::<Timestamp>().unwrap();
    let cloud = Cloud::options().clock(nephos::Clock::frozen(clock)).in_memory();
    let session = cloud.session();
    create_group(&session);
    create_rule(
        &session,
        EventRule::builder().name("noon").schedule_expression("cron(0 12 * * ? *)"),
        &[GROUP],
    );
    let often = EventRule::builder().name("often").schedule_expression("rate(12 hours)");
    let often = create_rule(&session, often, &[GROUP]);
    cloud.clock().advance(SignedDuration::from_hours(30 * 24)).unwrap();
    let found = messages(&session);
    let of = |name: &str| {
        let times = found.iter().filter(|event| {
            event
                .get("resources")
                .and_then(|list| list.item(0))
                .and_then(Value::as_text)
                .unwrap()
                .ends_with(name)
        });
        times.map(|event| text(event, "time").to_owned()).collect::<Vec<_>>()
    };
    let noon = of("/noon");
    assert_eq!(
        (noon.len(), noon[0].as_str(), noon[29].as_str()),
        (30, "2026-01-31T12:00:00Z", "2026-03-01T12:00:00Z")
    );
    assert_eq!((of("/often").len(), of("/often")[0].as_str()), (60, "2026-01-31T23:30:00Z"));
    let times: Vec<_> = found.iter().map(|event| text(event, "time")).collect();
    assert!(times.is_sorted(), "{times:?}");
    assert_eq!(
        (text(&found[0], "source"), text(&found[0], "detail-type")),
        ("aws.events", "Scheduled Event")
    );

    often.disable().wait().unwrap();
    EventTarget::objects(&session).get("noon", "t0").wait().unwrap().unwrap().delete().wait().unwrap();
    EventRule::objects(&session).delete("noon").wait().unwrap();
    let before = messages(&session).len();
    cloud.clock().advance(SignedDuration::from_hours(48)).unwrap();
    assert_eq!(messages(&session).len(), before);
    often.enable().wait().unwrap();
    cloud.clock().advance(SignedDuration::from_hours(24)).unwrap();
    assert_eq!(messages(&session).len(), before + 2, "a rate starts again when the rule is enabled");
    assert_eq!(cloud.failed_work().unwrap(), []);
}

/// Due work that no service implements.
#[derive(Record)]
struct Unknown {
    /// Any text.
    about: Option<Text>,
}

impl Work for Unknown {
    const NAME: &'static str = "test/unknown";

    fn run(self, _cx: &mut Tx<'_>) -> Result<()> {
        Ok(())
    }
}

#[test]
fn work_that_fails_between_occurrences_fails_alone() {
    let cloud = Cloud::in_memory();
    cloud.clock().freeze().unwrap();
    let session = cloud.session();
    create_group(&session);
    create_rule(&session, EventRule::builder().name("often").schedule_expression("rate(1 minute)"), &[GROUP]);
    let later = cloud.clock().now() + SignedDuration::from_secs(5 * 60 + 30);
    cloud.run_in_transaction(move |cx| cx.schedule(later, &Unknown::blank())).unwrap();
    let advanced = cloud.clock().advance(SignedDuration::from_mins(200)).unwrap();
    assert_eq!((messages(&session).len(), advanced.done), (200, 201));
    assert_eq!(cloud.failed_work().unwrap().len(), 1);
}

#[test]
fn events_of_services_come_by_a_control() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    let rule = EventRule::builder().name("files").event_pattern(r#"{"source": ["aws.s3"]}"#);
    create_rule(&session, rule, &[GROUP]);
    let entry = PutEventsRequestEntry::builder().source("aws.s3").detail_type("Object Created").detail("{}");
    let refused = EventBus::objects(&session).put_events("default", [entry.build().unwrap()]).wait().unwrap();
    assert_eq!(refused.entries().unwrap()[0].error_code(), Some("NotAuthorizedForSourceException"));
    cloud.control(PutServiceEvent::new("aws.s3", "Object Created", r#"{"bucket": {"name": "b"}}"#)).unwrap();
    assert_eq!(text(&messages(&session)[0], "detail-type"), "Object Created");
}

/// Sends events with a log group and a function as targets, and reports each. The function fails at its first call of each event.
#[test]
#[ignore = "the next test starts it as a child process"]
#[expect(clippy::disallowed_methods, reason = "the parent test passes the path")]
fn sends_events_until_it_is_killed() {
    let cloud = Cloud::open(std::env::var("NEPHOS_VICTIM").unwrap()).unwrap();
    let session = cloud.session();
    let calls = Mutex::new(0);
    let handle = move |_: &Session, _: &Value| -> Result<()> {
        let mut calls = calls.lock().unwrap();
        *calls += 1;
        if *calls % 2 == 0 { Ok(()) } else { Err(Error::new(ErrorKind::Internal, "fails")) }
    };
    cloud.register("handle", Arc::new(handle));
    for n in 0..10_000 {
        send(&session, "default", "shop", &format!(r#"{{"n": {n}}}"#));
        report_done(&n.to_string());
    }
}

#[test]
fn kill_loses_no_delivery() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for round in 0..4 {
        let path = folder.path().join(format!("state-{round}"));
        let cloud = Cloud::open(&path).unwrap();
        let session = cloud.session();
        create_group(&session);
        create_rule(&session, shop_rule("orders"), &[GROUP, FUNCTION]);
        cloud.close().unwrap();
        drop((cloud, session));
        let state = path.to_str().unwrap().to_owned();
        let sent = kill_after(
            20 + round * 13,
            "events::sends_events_until_it_is_killed",
            &[("NEPHOS_VICTIM", &state)],
        );
        let cloud = Cloud::open(&path).unwrap();
        let seen = register_failing(&cloud, 0);
        cloud.clock().advance(SignedDuration::from_hours(1)).unwrap();
        let session = cloud.session();
        let logged = messages(&session).len();
        assert!(logged == sent.len() || logged == sent.len() + 1, "{logged} events for {} calls", sent.len());
        // Every event was handled before the kill, or is handled now; those that were waiting for their retry come now.
        assert_eq!(deliveries(&cloud), []);
        assert!(!seen.lock().unwrap().is_empty());
        assert_eq!(cloud.failed_work().unwrap(), []);
    }
}

/// The time is written with the work, so that a kill in the middle of an advance leaves no work of the future.
#[test]
fn clock_is_never_behind_the_work_of_an_advance() {
    let start: Timestamp = "2026-01-31T12:00:00Z".parse().unwrap();
    let cloud = Cloud::options().clock(Clock::frozen(start)).in_memory();
    let session = cloud.session();
    create_group(&session);
    let every_minute = EventRule::builder().name("tick").schedule_expression("rate(1 minute)");
    create_rule(&session, every_minute, &[GROUP]);
    let clock = cloud.clock();
    let advance = std::thread::spawn(move || clock.advance(SignedDuration::from_hours(5)).unwrap());
    let mut is_done = false;
    while !is_done {
        is_done = advance.is_finished();
        let events = LogEvent::objects(&session).list("/events").results().all().wait().unwrap();
        let newest = events.iter().filter_map(LogEvent::timestamp).max().unwrap_or_default();
        assert!(newest <= cloud.clock().now().as_millisecond());
    }
    assert_eq!(messages(&session).len(), 300);
}

/// Input that a transformer makes too long fails alone; the event and its other targets do not.
#[test]
fn input_that_is_too_long_fails_alone() {
    let cloud = Cloud::in_memory();
    let session = cloud.session();
    create_group(&session);
    create_rule(&session, shop_rule("orders"), &[GROUP]);
    let template = format!("{{{}}}", vec![r#""a": <text>"#; 600].join(", "));
    let transformer = InputTransformer::builder().input_paths_map([("text", "$.detail.text")]);
    let target = EventTarget::builder().rule("orders").id("large").arn(QUEUE);
    let target = target.input_transformer(transformer.input_template(template).build().unwrap());
    EventTarget::objects(&session).create(&target.build().unwrap()).wait().unwrap();
    send(&session, "default", "shop", &format!(r#"{{"text": "{}"}}"#, "x".repeat(200_000)));
    assert_eq!(messages(&session).len(), 1);
    let [failed] = &deliveries(&cloud)[..] else { panic!("one delivery failed") };
    assert_eq!((failed.target_id(), failed.error_code()), (Some("large"), Some("INVALID_PARAMETER")));
    assert_eq!(failed.state(), Some(&DeliveryState::Failed));
}

/// An event that many buses get is not delivered in one transaction as a whole.
#[test]
fn event_with_thousands_of_deliveries_goes_to_other_buses_later() {
    let cloud = Cloud::options().quotas(false).in_memory();
    let session = cloud.session();
    let bus = EventBus::builder().name("many").build().unwrap();
    let bus = EventBus::objects(&session).create(&bus).wait().unwrap();
    for n in 0..50 {
        create_rule(&session, shop_rule(&format!("forward-{n}")), &[bus.require_arn().unwrap(); 5]);
        let rule = shop_rule(&format!("queue-{n}")).event_bus_name("many");
        create_rule(&session, rule, &[QUEUE]);
    }
    send(&session, "default", "shop", "{}");
    let count = |table: &str| {
        let is_of =
            |(key, _): &&(Vec<u8>, Vec<u8>)| key.windows(table.len()).any(|part| part == table.as_bytes());
        cloud.rows().unwrap().iter().filter(is_of).count()
    };
    // Nothing was called since then, so that due work has not run.
    let later = count("events/retry");
    assert!((200..250).contains(&later), "{later}");
    assert_eq!(deliveries(&cloud).len(), 100, "a page");
    // One row counts the deliveries.
    assert_eq!((count("events/retry"), count("events/delivery")), (0, 250 * 50 + 1));
}
