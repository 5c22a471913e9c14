//! Cost of one event, with few and with many rules on its bus.

use super::{
    Sizes,
    measure::{Table, Target, alone, cpu_each, pair},
};
use nephos::{
    Cloud, EventBus, EventRule, EventTarget, LogGroup, Session, services::events::PutEventsRequestEntry,
};
use std::hint::black_box;

/// Creates a cloud with `count` rules, each for events of another source.
fn with_rules(count: usize) -> Cloud {
    let cloud = Cloud::options().quotas(false).in_memory();
    let session = cloud.session();
    for n in 0..count {
        let pattern =
            format!(r#"{{"source": ["shop-{n}"], "detail": {{"total": [{{"numeric": [">", 5]}}]}}}}"#);
        let rule = EventRule::builder().name(format!("rule-{n}")).event_pattern(pattern).build();
        let rule = rule.expect("the rule is valid");
        EventRule::objects(&session).create(&rule).wait().expect("the cloud answers");
    }
    cloud
}

fn send(session: &Session) {
    let entry =
        PutEventsRequestEntry::builder().source("shop-0").detail_type("Order").detail(r#"{"total": 7}"#);
    let entry = entry.build().expect("the entry is valid");
    let sent = EventBus::objects(session).put_events("default", [entry]).wait();
    black_box(sent.expect("the cloud answers"));
}

/// Sends events that match one rule.
pub(crate) fn rules(table: &mut Table, sizes: &Sizes) {
    let one = with_rules(1);
    let one = one.session();
    // The rules of a bus are compiled at its first event.
    send(&one);
    for count in [1_000, sizes.many / 10] {
        let many = with_rules(count);
        let many = many.session();
        send(&many);
        let calls = |session: &Session| {
            let session = session.clone();
            move || cpu_each(sizes.calls / 10, |_| send(&session))
        };
        let measured = pair(sizes.rounds, calls(&many), calls(&one));
        let what = format!("event against {count} rules / against one, one matches (CPU)");
        table.pair(&what, measured, Target::RatioAtMost(3.0));
    }
}

/// Sends events to a log group.
pub(crate) fn delivery(table: &mut Table, sizes: &Sizes) {
    let cloud = with_rules(1);
    let session = cloud.session();
    let group = LogGroup::builder().log_group_name("/events").build().expect("the group is valid");
    LogGroup::objects(&session).create(&group).wait().expect("the cloud answers");
    let target = EventTarget::builder().rule("rule-0").id("log");
    let target = target.arn("arn:aws:logs:us-east-1:123456789012:log-group:/events").build();
    let target = target.expect("the target is valid");
    EventTarget::objects(&session).create(&target).wait().expect("the cloud answers");
    let calls = || cpu_each(sizes.calls / 10, |_| send(&session));
    let what = "event with a log group as its target (CPU)";
    table.alone(what, alone(sizes.rounds, calls), Target::Information);
}
