//! Deliveries to targets outside the cloud: the outbox, the input of targets, failures.

use super::{PATTERN, QUEUE, World, put_events::entry};
use nephos_core::{Result, prelude::*};
use nephos_events::{
    DeadLetterConfig, Delivery, DeliveryState, EventBus, EventTarget, EventTargetBuilder, InputTransformer,
    ListDeliveries, PutManagedRule, RemoveDeliveries, RemoveManagedRule, errors,
};

const TOPIC: &str = "arn:aws:sns:us-east-1:123456789012:orders";
const DEAD: &str = "arn:aws:sqs:us-east-1:123456789012:dead";

/// Sends one event to the default bus.
fn send(world: &World) -> Result<()> {
    let entries = [entry().build()?];
    EventBus::objects(&world.session()).put_events("default", entries).strict(true).wait().map(drop)
}

fn deliveries(world: &World, change: impl FnOnce(&mut ListDeliveries)) -> Result<Vec<Delivery>> {
    let mut list = ListDeliveries::new();
    change(&mut list);
    Ok(world.cloud().control(list)?.deliveries().unwrap().to_vec())
}

pub(super) fn outbox_is_listed_filtered_and_emptied(world: &World) -> Result<()> {
    for (rule, arn) in [("a", QUEUE), ("b", QUEUE), ("c", TOPIC)] {
        world.create_rule("default", rule)?;
        world.create_target(rule, "t", arn)?;
    }
    send(world)?;
    send(world)?;
    let rules = |found: &[Delivery]| -> String { found.iter().map(|found| found.rule().unwrap()).collect() };
    let all = deliveries(world, |_| ())?;
    assert_eq!(rules(&all), "abcabc");
    assert!(all.iter().all(|found| found.state() == Some(&DeliveryState::Delivered)));
    let first = &all[0];
    assert_eq!((first.event_bus_name(), first.target_id()), (Some("default"), Some("t")));
    assert_eq!((first.target_arn(), first.attempts()), (Some(QUEUE), Some(1)));
    assert_eq!((first.error_code(), first.next_attempt()), (None, None));
    assert_eq!(rules(&deliveries(world, |list| list.rule = Some("b".into()))?), "bb");
    assert_eq!(rules(&deliveries(world, |list| list.target_arn = Some(TOPIC.into()))?), "cc");
    assert_eq!(rules(&deliveries(world, |list| list.limit = Some(2))?), "ab");
    assert_eq!(rules(&deliveries(world, |list| list.after = all[3].number())?), "bc");
    assert_eq!(rules(&deliveries(world, |list| list.state = Some(DeliveryState::Pending))?), "");
    assert_eq!(rules(&deliveries(world, |list| list.event_bus_name = Some("other".into()))?), "");
    assert_eq!(rules(&deliveries(world, |list| list.region = Some("eu-west-1".into()))?), "");
    let mut first = RemoveDeliveries::new();
    first.up_to = all[1].number();
    world.control(first)?;
    assert_eq!(rules(&deliveries(world, |_| ())?), "cabc");
    world.control(RemoveDeliveries::new())?;
    assert_eq!(deliveries(world, |_| ())?, []);
    // Numbers are not used again.
    send(world)?;
    assert!(deliveries(world, |_| ())?[0].number() > all[5].number());
    Ok(())
}

pub(super) fn target_receives_its_input(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let session = world.session();
    let transformer = |template: &str| -> Result<_> {
        let paths = [("total", "$.detail.total"), ("from", "$.source"), ("none", "$.detail.none")];
        InputTransformer::builder().input_paths_map(paths).input_template(template).build()
    };
    let target = |id: &str| EventTarget::builder().rule("r").id(id).arn(QUEUE);
    let targets: [EventTargetBuilder; 5] = [
        target("a").input(r#"{"constant": true}"#),
        target("b").input_path("$.detail"),
        target("c").input_path("$.detail.none"),
        target("d").input_transformer(transformer(r#""<from> paid <total><none>""#)?),
        target("e").input_transformer(transformer(
            r#"{"total": <total>, "rule": "<aws.events.rule-name>", "text": "at <from>"}"#,
        )?),
    ];
    for target in targets {
        EventTarget::objects(&session).create(&target.build()?).wait()?;
    }
    send(world)?;
    let found = deliveries(world, |_| ())?;
    let inputs: Vec<_> = found.iter().map(|found| found.input().unwrap()).collect();
    let expected = [
        r#"{"constant": true}"#,
        r#"{"total":7}"#,
        "null",
        r#""shop paid 7""#,
        r#"{"total": 7, "rule": "r", "text": "at shop"}"#,
    ];
    assert_eq!(inputs, expected);
    Ok(())
}

pub(super) fn input_that_is_no_json_is_not_delivered(world: &World) -> Result<()> {
    world.create_rule("default", "r")?;
    let transformer = InputTransformer::builder().input_paths_map([("n", "$.detail.total")]);
    let transformer = transformer.input_template(r#"{"a": <n>.<n>}"#).build()?;
    let target = EventTarget::builder().rule("r").id("t").arn(QUEUE).input_transformer(transformer);
    EventTarget::objects(&world.session()).create(&target.build()?).wait()?;
    for detail in [r#"{"total": 7}"#, r#"{"total": 1.5}"#] {
        let entries = [entry().detail(detail).build()?];
        EventBus::objects(&world.session()).put_events("default", entries).strict(true).wait()?;
    }
    let found = deliveries(world, |_| ())?;
    let states: Vec<_> = found.iter().map(|found| (found.state().unwrap(), found.error_code())).collect();
    assert_eq!(states, [(&DeliveryState::Delivered, None), (&DeliveryState::Failed, Some("INVALID_JSON"))]);
    assert_eq!(found[1].input(), Some(r#"{"a": 1.5.1.5}"#));
    Ok(())
}

pub(super) fn delivery_to_a_missing_bus_fails_or_is_dead_lettered(world: &World) -> Result<()> {
    let missing = "arn:aws:events:us-east-1:123456789012:event-bus/nowhere";
    world.create_rule("default", "r")?;
    let mut target = world.create_target("r", "t", missing)?;
    send(world)?;
    target.set_dead_letter_config(DeadLetterConfig::builder().arn(DEAD).build()?)?;
    target.save().wait()?;
    send(world)?;
    let found = deliveries(world, |_| ())?;
    let states: Vec<_> =
        found.iter().map(|found| (found.state().unwrap(), found.dead_letter_arn())).collect();
    assert_eq!(states, [(&DeliveryState::Failed, None), (&DeliveryState::DeadLetter, Some(DEAD))]);
    assert!(found.iter().all(|found| found.error_code() == Some("NO_RESOURCE")));
    assert_eq!(found[0].error_message(), Some("Event bus nowhere does not exist."));
    Ok(())
}

pub(super) fn managed_rules_are_created_replaced_and_removed_by_a_control(world: &World) -> Result<()> {
    let put = |target: &str| PutManagedRule::new("m", "schemas.amazonaws.com", PATTERN, target);
    world.control(put(QUEUE))?;
    let rule = world.existing_rule("default", "m")?;
    assert_eq!(rule.managed_by(), Some("schemas.amazonaws.com"));
    world.refused(&errors::MANAGED_RULE, None, || rule.delete().wait());
    send(world)?;
    world.control(put(TOPIC))?;
    send(world)?;
    let found = deliveries(world, |_| ())?;
    assert_eq!(found.iter().map(|found| found.target_arn().unwrap()).collect::<Vec<_>>(), [QUEUE, TOPIC]);
    world.control(RemoveManagedRule::new("m"))?;
    world.control(RemoveManagedRule::new("m"))?;
    send(world)?;
    assert_eq!(deliveries(world, |_| ())?.len(), 2);
    // Rules of callers stay theirs.
    world.create_rule("default", "m")?;
    for wrong in [world.control(put(QUEUE)), world.control(RemoveManagedRule::new("m"))] {
        assert_eq!(wrong.unwrap_err().message(), "Rule m is not managed by a service.");
    }
    Ok(())
}
