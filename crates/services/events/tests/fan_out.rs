//! An event with more deliveries than one transaction makes: the rest is put off.

use nephos_cloud::Cloud;
use nephos_core::Result;
use nephos_events::{
    DeliveryState, EventBus, EventRule, EventTarget, ListDeliveries, ListRecentEvents, PutEventsRequestEntry,
};
use nephos_events_cases::Services;
use nephos_testing::{clock, options};

const PATTERN: &str = r#"{"source": ["shop"]}"#;

/// Number of rules with five targets each, so that an event has more than 2,000 deliveries.
const RULES: usize = 420;

fn bus_arn(name: &str) -> String {
    format!("arn:aws:events:us-east-1:123456789012:event-bus/{name}")
}

/// Creates a rule that matches all events of the test.
fn create_rule(cloud: &Cloud<Services>, bus: &str, name: &str, arns: &[String]) -> Result<()> {
    let rule = EventRule::builder().event_bus_name(bus).name(name).event_pattern(PATTERN).build()?;
    EventRule::objects(&cloud.session()).create(&rule).wait()?;
    for (n, arn) in arns.iter().enumerate() {
        let target =
            EventTarget::builder().event_bus_name(bus).rule(name).id(format!("t{n}")).arn(arn.as_str());
        EventTarget::objects(&cloud.session()).create(&target.build()?).wait()?;
    }
    Ok(())
}

#[test]
fn put_off_event_reaches_its_bus_and_no_third_one() -> Result<()> {
    let cloud = options::<Services>().clock(clock()).quotas(false).in_memory();
    let session = cloud.session();
    for name in ["second", "third"] {
        EventBus::objects(&session).create(&EventBus::builder().name(name).build()?).wait()?;
    }
    let queues: Vec<String> = (0..5).map(|n| format!("arn:aws:sqs:us-east-1:123456789012:q{n}")).collect();
    for (bus, next) in [("default", "second"), ("second", "third")] {
        for n in 0..RULES {
            create_rule(&cloud, bus, &format!("r{n:03}"), &queues)?;
        }
        create_rule(&cloud, bus, &format!("to-{next}"), &[bus_arn(next)])?;
    }

    let event = PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail("{}").build()?;
    EventBus::objects(&session).put_events("default", vec![event]).strict(true).wait()?;
    let received = |bus: &str| {
        let mut list = ListRecentEvents::new();
        list.event_bus_name = Some(bus.into());
        Ok(cloud.control(list)?.events().unwrap_or_default().len())
    };
    assert_eq!((received("default")?, received("second")?, received("third")?), (1, 1, 0));
    let mut list = ListDeliveries::new();
    list.state = Some(DeliveryState::Failed);
    let failed = cloud.control(list)?;
    let failed = failed.deliveries().unwrap_or_default();
    let codes: Vec<_> = failed.iter().map(|one| (one.rule().unwrap(), one.error_code().unwrap())).collect();
    assert_eq!(codes, [("to-third", "THIRD_ACCOUNT_HOP_DETECTED")]);
    Ok(())
}
