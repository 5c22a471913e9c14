//! Events: sent, refused entry by entry, recorded by their bus.

use super::{PATTERN, World};
use nephos_core::{Result, Timestamp, Value, json, prelude::*};
use nephos_events::{
    EventBus, ListRecentEvents, PutEvents, PutEventsRequestEntry, PutEventsRequestEntryBuilder,
    PutEventsResponse, PutServiceEvent, RecentEvents, errors,
};
use nephos_testing::ask;

/// An entry that is valid.
pub(super) fn entry() -> PutEventsRequestEntryBuilder {
    PutEventsRequestEntry::builder().source("shop").detail_type("Order").detail(r#"{"total": 7}"#)
}

/// Sends entries without a bus.
fn send(
    world: &World,
    entries: impl IntoIterator<Item = PutEventsRequestEntryBuilder>,
) -> Result<PutEventsResponse> {
    let entries: Result<Vec<_>> = entries.into_iter().map(PutEventsRequestEntryBuilder::build).collect();
    ask(&world.session(), PutEvents::new(entries?))
}

/// Events that a bus received.
fn received(world: &World, bus: &str) -> Result<RecentEvents> {
    let mut list = ListRecentEvents::new();
    list.event_bus_name = Some(bus.into());
    world.cloud().control(list)
}

/// Events that a bus received, with their envelopes.
fn events(world: &World, bus: &str) -> Result<Vec<Value>> {
    let received = received(world, bus)?;
    let events = received.events().unwrap_or_default().iter();
    events.map(|event| json::parse(event.event().unwrap().as_bytes())).collect()
}

fn text<'v>(event: &'v Value, name: &str) -> &'v str {
    event.get(name).and_then(Value::as_text).unwrap_or_default()
}

/// Codes of the results of entries; empty for those that were sent.
fn codes(answer: &PutEventsResponse) -> Vec<&str> {
    answer.entries().unwrap().iter().map(|entry| entry.error_code().unwrap_or_default()).collect()
}

pub(super) fn sent_events_have_an_envelope_and_ids_in_order(world: &World) -> Result<()> {
    let resources = ["arn:aws:s3:::a", "b"].map(Into::into).to_vec();
    let time: Timestamp = "2026-01-02T03:04:05.678Z".parse().unwrap();
    let answer = send(world, [entry().time(time).resources(resources), entry().source("bank")])?;
    assert_eq!(answer.failed_entry_count(), Some(0));
    let ids: Vec<_> = answer.entries().unwrap().iter().map(|entry| entry.event_id().unwrap()).collect();
    let found = events(world, "default")?;
    assert_eq!(found.iter().map(|event| text(event, "id")).collect::<Vec<_>>(), ids);
    assert_ne!(ids[0], ids[1]);
    let expected = format!(
        r#"{{"version":"0","id":"{}","detail-type":"Order","source":"shop","account":"123456789012","time":"2026-01-02T03:04:05Z","region":"us-east-1","resources":["arn:aws:s3:::a","b"],"detail":{{"total":7}}}}"#,
        ids[0]
    );
    assert_eq!(received(world, "default")?.events().unwrap()[0].event(), Some(expected.as_str()));
    // The time of arrival, and no resources.
    assert_eq!(text(&found[1], "time"), "2026-01-31T12:00:00Z");
    assert_eq!(found[1].get("resources"), Some(&Value::List(Vec::new())));
    Ok(())
}

pub(super) fn failed_entries_are_returned_and_the_others_are_sent(world: &World) -> Result<()> {
    let without = |name: &str| {
        let mut entry = PutEventsRequestEntry::builder();
        for (member, set) in [
            ("Source", PutEventsRequestEntryBuilder::source as fn(_, &'static str) -> _),
            ("DetailType", PutEventsRequestEntryBuilder::detail_type),
        ] {
            entry = if member == name { entry } else { set(entry, "shop") };
        }
        if name == "Detail" { entry } else { entry.detail("{}") }
    };
    let answer = send(
        world,
        [
            without("Source"),
            entry(),
            without("DetailType"),
            without("Detail"),
            entry().detail("[1]"),
            entry().detail("{"),
            entry().source("aws.s3"),
            entry().source(""),
            entry().detail_type("Last"),
        ],
    )?;
    let (missing, malformed) = ("InvalidArgument", "MalformedDetail");
    let reserved = "NotAuthorizedForSourceException";
    let expected = [missing, "", missing, missing, malformed, malformed, reserved, missing, ""];
    assert_eq!(codes(&answer), expected);
    assert_eq!(answer.failed_entry_count(), Some(7));
    let results = answer.entries().unwrap();
    assert!(results.iter().all(|result| result.event_id().is_none() == result.error_code().is_some()));
    for (at, name) in [(0, "Source"), (2, "DetailType"), (3, "Detail")] {
        let text = format!("Parameter {name} is not valid. Reason: {name} is a required argument.");
        assert_eq!(results[at].error_message(), Some(text.as_str()));
    }
    assert_eq!(results[4].error_message(), Some("Detail is malformed."));
    let types: Vec<_> =
        events(world, "default")?.iter().map(|event| text(event, "detail-type").to_owned()).collect();
    assert_eq!(types, ["Order", "Last"]);
    Ok(())
}

pub(super) fn type_of_an_event_is_limited(world: &World) -> Result<()> {
    let sent = send(world, ["é".repeat(128), "é".repeat(129)].map(|ty| entry().detail_type(ty)))?;
    let codes: Vec<_> = sent.entries().unwrap().iter().map(|sent| sent.error_code()).collect();
    assert_eq!(codes, [None, Some("InvalidArgument")]);
    Ok(())
}

pub(super) fn strict_call_fails_with_the_first_failed_entry(world: &World) -> Result<()> {
    let put = |strict: bool| {
        let entries = [entry().build()?, entry().detail("no").build()?, entry().source("aws.x").build()?];
        EventBus::objects(&world.session()).put_events("default", entries).strict(strict).wait()
    };
    assert_eq!(put(false)?.failed_entry_count(), Some(2));
    let failed = put(true).unwrap_err();
    assert_eq!((failed.code(), failed.field()), (errors::MALFORMED_DETAIL.code, Some("Entries[1]")));
    Ok(())
}

pub(super) fn number_and_size_of_entries_are_limited(world: &World) -> Result<()> {
    world.refused(&errors::VALIDATION, "Entries", || send(world, []));
    world.refused(&errors::VALIDATION, "Entries", || send(world, std::iter::repeat_with(entry).take(11)));
    assert_eq!(send(world, std::iter::repeat_with(entry).take(10))?.failed_entry_count(), Some(0));
    // Source and type count as well: 4 and 5 bytes.
    let large = |bytes: usize| entry().detail(format!("{{{}}}", " ".repeat(bytes - 11)));
    let limit = 1024 * 1024;
    send(world, [large(limit)])?;
    world.refused(&errors::VALIDATION, "Entries", || send(world, [large(limit + 1)]));
    world.refused(&errors::VALIDATION, "Entries", || send(world, [large(limit - 8), entry()]));
    let resource = entry().resources(vec!["r".repeat(2049).into()]);
    assert!(resource.build().is_err());
    Ok(())
}

pub(super) fn bus_is_named_by_name_or_arn_and_an_unknown_one_loses_the_event(world: &World) -> Result<()> {
    let bus = world.create_bus("shop")?;
    world.create_bus("bank")?;
    let sent = send(
        world,
        [
            entry().event_bus_name("shop").detail_type("by name"),
            entry().event_bus_name(bus.require_arn()?).detail_type("by ARN"),
            entry().event_bus_name("nowhere"),
        ],
    )?;
    assert_eq!((sent.failed_entry_count(), codes(&sent)), (Some(0), vec![""; 3]));
    assert!(sent.entries().unwrap()[2].event_id().is_some());
    // The call of a bus fills in its name.
    let entries = [entry().detail_type("own").build()?, entry().event_bus_name("bank").build()?];
    bus.put_events(entries).wait()?;
    let types: Vec<_> =
        events(world, "shop")?.iter().map(|event| text(event, "detail-type").to_owned()).collect();
    assert_eq!(types, ["by name", "by ARN", "own"]);
    assert_eq!((events(world, "bank")?.len(), events(world, "default")?.len()), (1, 0));
    let missing = received(world, "nowhere").unwrap_err();
    assert_eq!(missing.code(), errors::NOT_FOUND.code);
    Ok(())
}

pub(super) fn recent_events_are_numbered_filtered_and_limited(world: &World) -> Result<()> {
    world.create_rule("default", "orders")?;
    send(world, [entry(), entry().source("bank"), entry().detail(r#"{"total": 9}"#)])?;
    let all = received(world, "default")?;
    let rules: Vec<_> = all.events().unwrap().iter().map(|event| event.rules().unwrap().join(" ")).collect();
    assert_eq!((rules.as_slice(), all.last()), (&["orders", "", "orders"].map(String::from)[..], Some(3)));
    let numbers = |pattern: Option<&str>, after: Option<i64>| -> Result<Vec<i64>> {
        let mut list = ListRecentEvents::new();
        (list.event_pattern, list.after) = (pattern.map(Into::into), after);
        let found = world.cloud().control(list)?;
        assert_eq!(found.last(), Some(3), "the last number does not depend on the filters");
        Ok(found.events().unwrap().iter().filter_map(|event| event.number()).collect())
    };
    assert_eq!(numbers(None, Some(1))?, [2, 3]);
    assert_eq!(numbers(Some(PATTERN), None)?, [1, 3]);
    assert_eq!(numbers(Some(PATTERN), Some(1))?, [3]);
    assert_eq!(numbers(None, Some(3))?, [0; 0]);
    let mut wrong = ListRecentEvents::new();
    wrong.event_pattern = Some("{}".into());
    assert_eq!(world.cloud().control(wrong).unwrap_err().code(), errors::INVALID_PATTERN.code);
    // The oldest ones are removed.
    for _ in 0..100 {
        send(world, std::iter::repeat_with(entry).take(10))?;
    }
    let kept = received(world, "default")?;
    let kept = kept.events().unwrap();
    assert_eq!((kept.len(), kept[0].number(), kept[999].number()), (1000, Some(4), Some(1003)));
    Ok(())
}

pub(super) fn events_of_services_reach_the_default_bus_of_an_account(world: &World) -> Result<()> {
    let mut event = PutServiceEvent::new("aws.s3", "Object Created", r#"{"bucket": {"name": "b"}}"#);
    event.account = Some("210987654321".into());
    event.region = Some("eu-west-1".into());
    world.control(event)?;
    assert_eq!(events(world, "default")?, []);
    let mut list = ListRecentEvents::new();
    (list.account, list.region) = (Some("210987654321".into()), Some("eu-west-1".into()));
    let found = world.cloud().control(list)?;
    let event = json::parse(found.events().unwrap()[0].event().unwrap().as_bytes())?;
    let envelope = ["source", "account", "region", "time"].map(|name| text(&event, name));
    assert_eq!(envelope, ["aws.s3", "210987654321", "eu-west-1", "2026-01-31T12:00:00Z"]);
    let wrong = world.control(PutServiceEvent::new("aws.s3", "Object Created", "[]")).unwrap_err();
    assert_eq!(wrong.field(), Some("Detail"));
    Ok(())
}
