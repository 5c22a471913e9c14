//! Writing log events.

use super::{DAY, HOUR, MINUTE, World, ask, errors, input_events};
use nephos_core::{ErrorKind, Map, Resource, Result, Text};
use nephos_logs::{
    Entity, EntityRejectionErrorType, InputLogEvent, LogEvent, LogGroup, LogGroupClass, LogStream,
    PutLogEvents, RejectedLogEventsInfo,
};

/// Returns the indexes of rejected events: end of too old, end of expired, start of too new.
fn rejected_indexes(info: Option<&RejectedLogEventsInfo>) -> [Option<i64>; 3] {
    let Some(info) = info else { return [None; 3] };
    [
        info.too_old_log_event_end_index(),
        info.expired_log_event_end_index(),
        info.too_new_log_event_start_index(),
    ]
}

/// Events have their stream, timestamp and ingestion time.
pub(super) fn list_returns_events_as_written(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    let answer = world.put_events(
        "/web",
        "main",
        &[(now - HOUR, "first"), (now, "second\nline"), (now, "third é")],
    )?;
    assert_eq!(answer.rejected_log_events_info(), None);
    world.advance(MINUTE)?;
    let events = LogEvent::objects(&world.session()).list("/web").results().all().wait()?;
    let listed: Vec<_> = events.iter().map(|event| (event.timestamp(), event.message())).collect();
    assert_eq!(
        listed,
        [(Some(now - HOUR), Some("first")), (Some(now), Some("second\nline")), (Some(now), Some("third é"))]
    );
    for event in &events {
        assert_eq!((event.log_group_name(), event.log_stream_name()), (Some("/web"), Some("main")));
        assert_eq!(event.ingestion_time(), Some(now));
    }
    let mut ids: Vec<_> = events.iter().map(|event| event.event_id().map(str::to_owned)).collect();
    assert!(ids.is_sorted(), "IDs sort like events");
    ids.dedup();
    assert!(ids.len() == 3 && ids.iter().all(Option::is_some));
    Ok(())
}

pub(super) fn stored_bytes_include_26_bytes_per_event(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "é"), (world.now(), "four")])?;
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(2 + 4 + 2 * 26));
    world.put_events("/web", "main", &[(world.now(), "x")])?;
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(2 + 4 + 1 + 3 * 26));
    let listed = world.first_listed_group()?;
    assert_eq!(listed.stored_bytes(), Some(7 + 3 * 26));
    Ok(())
}

pub(super) fn duplicate_events_are_stored_twice(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    for _ in 0..2 {
        world.put_events("/web", "main", &[(world.now(), "hello"), (world.now(), "hello")])?;
    }
    assert_eq!(world.messages("/web")?, ["hello"; 4]);
    Ok(())
}

/// Batches may overlap in time; the events of one batch must be in order.
pub(super) fn batch_out_of_chronological_order_is_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.assert_invalid("logEvents", || world.put_events("/web", "main", &[(now, "b"), (now - 1, "a")]));
    world.assert_invalid("logEvents", || {
        world.put_events("/web", "main", &[(now - 2, "a"), (now, "c"), (now - 1, "b")])
    });
    world.put_events("/web", "main", &[(now - 1, "a"), (now, "b"), (now, "c")])?;
    world.put_events("/web", "main", &[(now - 3, "before all")])?;
    assert_eq!(world.messages("/web")?, ["before all", "a", "b", "c"]);
    Ok(())
}

pub(super) fn batch_over_24_hours_is_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.assert_invalid("logEvents", || {
        world.put_events("/web", "main", &[(now - DAY - 1, "a"), (now, "b")])
    });
    world.put_events("/web", "main", &[(now - DAY, "a"), (now, "b")])?;
    assert_eq!(world.messages("/web")?.len(), 2);
    Ok(())
}

/// The size includes 26 bytes per event.
pub(super) fn batch_over_1_mib_is_rejected(world: &World) -> Result<()> {
    const MAX_BATCH_BYTES: usize = 1_048_576;
    world.create_group_with_stream("/web")?;
    let now = world.now();
    let (half, rest) = ("é".repeat(MAX_BATCH_BYTES / 4), "x".repeat(MAX_BATCH_BYTES / 2 - 52));
    world.assert_invalid("logEvents", || {
        world.put_events("/web", "main", &[(now, &half), (now, &format!("{rest}x"))])
    });
    world.put_events("/web", "main", &[(now, &half), (now, &rest)])?;
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(MAX_BATCH_BYTES as i64));
    let one = "x".repeat(MAX_BATCH_BYTES - 26);
    world.assert_invalid("logEvents", || world.put_events("/web", "main", &[(now, &format!("{one}x"))]));
    world.put_events("/web", "main", &[(now, &one)])?;
    Ok(())
}

/// An empty batch is rejected, too.
pub(super) fn batch_over_10000_events_is_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    world.assert_invalid("logEvents", || world.put_events("/web", "main", &[]));
    world.assert_invalid("logEvents", || world.put_events("/web", "main", &vec![(now, "x"); 10_001]));
    let full = vec![(now, "x"); 10_000];
    assert_eq!(world.put_events("/web", "main", &full)?.rejected_log_events_info(), None);
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(270_000));
    Ok(())
}

/// Events older than 14 days or more than 2 hours in the future are rejected; the others are written.
pub(super) fn too_old_and_too_new_events_are_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let now = world.now();
    let old = world.put_events(
        "/web",
        "main",
        &[(now - 14 * DAY - 2, "too old"), (now - 14 * DAY - 1, "too old"), (now - 14 * DAY, "old")],
    )?;
    assert_eq!(rejected_indexes(old.rejected_log_events_info()), [Some(2), None, None]);
    let new = world.put_events(
        "/web",
        "main",
        &[(now, "now"), (now + 2 * HOUR, "ahead"), (now + 2 * HOUR + 1, "too new"), (now + DAY, "too new")],
    )?;
    assert_eq!(rejected_indexes(new.rejected_log_events_info()), [None, None, Some(2)]);
    assert_eq!(world.messages("/web")?, ["old", "now", "ahead"]);
    assert_eq!(world.get_group("/web")?.stored_bytes(), Some(3 + 3 + 5 + 3 * 26));
    Ok(())
}

/// Events older than the retention are rejected.
pub(super) fn expired_events_are_rejected(world: &World) -> Result<()> {
    let group = LogGroup::builder().log_group_name("/web").retention_in_days(1).build()?;
    world.create(&group)?;
    world.create_stream("/web", "main")?;
    let now = world.now();
    let answer =
        world.put_events("/web", "main", &[(now - DAY, "expired"), (now - DAY + 1, "kept"), (now, "now")])?;
    assert_eq!(rejected_indexes(answer.rejected_log_events_info()), [None, Some(1), None]);
    let answer =
        world.put_events("/web", "main", &[(now - 20 * DAY, "both"), (now - 19 * DAY - 1, "both")])?;
    assert_eq!(rejected_indexes(answer.rejected_log_events_info()), [None, Some(2), None]);
    assert_eq!(world.messages("/web")?, ["kept", "now"]);

    let group = LogGroup::builder().log_group_name("/long").retention_in_days(30).build()?;
    world.create(&group)?;
    world.create_stream("/long", "main")?;
    let answer = world.put_events("/long", "main", &[(now - 20 * DAY, "old"), (now - 20 * DAY, "old")])?;
    assert_eq!(rejected_indexes(answer.rejected_log_events_info()), [Some(2), None, None]);
    Ok(())
}

pub(super) fn batch_with_only_rejected_events_changes_nothing(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "there")])?;
    let before = world.state()?;
    let now = world.now();
    let answer = world.put_events("/web", "main", &[(now + 3 * HOUR, "a"), (now + 4 * HOUR, "b")])?;
    assert_eq!(rejected_indexes(answer.rejected_log_events_info()), [None, None, Some(0)]);
    let answer = world.put_events("/web", "main", &[(now - 30 * DAY, "a")])?;
    assert_eq!(rejected_indexes(answer.rejected_log_events_info()), [Some(1), None, None]);
    world.assert_unchanged(&before)
}

pub(super) fn event_without_timestamp_or_message_is_rejected(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    for (built, field) in [
        (InputLogEvent::builder().timestamp(1).build(), "message"),
        (InputLogEvent::builder().timestamp(1).message("").build(), "message"),
        (InputLogEvent::builder().message("x").build(), "timestamp"),
        (InputLogEvent::builder().timestamp(-1).message("x").build(), "timestamp"),
    ] {
        let error = built.expect_err("timestamp or message is invalid");
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some(field)));
    }
    Ok(())
}

pub(super) fn put_events_into_missing_stream_is_not_found(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let event = [(world.now(), "hello")];
    world.refused(&errors::NOT_FOUND, None, || world.put_events("/web", "none", &event));
    world.refused(&errors::NOT_FOUND, None, || world.put_events("/none", "main", &event));
    world.assert_invalid("logStreamName", || world.put_events("/web", "a:b", &event));
    world.assert_invalid("logGroupName", || world.put_events("a b", "main", &event));
    for session in [world.other_account(), world.other_region()] {
        world.refused(&errors::NOT_FOUND, None, || {
            LogEvent::objects(&session).put("/web", "main", input_events(&event)?).wait()
        });
    }
    Ok(())
}

/// Any sequence token is accepted, and none is required.
pub(super) fn sequence_tokens_are_not_checked(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    let event = input_events(&[(world.now(), "hello")])?;
    let first = ask(&world.session(), PutLogEvents::new("/web", "main", event.clone()))?;
    let next = first.next_sequence_token().expect("the answer has a token").to_owned();
    for token in [next.as_str(), "another", next.as_str()] {
        let put = PutLogEvents::new("/web", "main", event.clone()).sequence_token(token);
        assert_ne!(ask(&world.session(), put)?.next_sequence_token(), Some(next.as_str()));
    }
    assert_eq!(world.messages("/web")?.len(), 4);
    Ok(())
}

pub(super) fn log_events_are_read_only(world: &World) -> Result<()> {
    world.create_group_with_stream("/web")?;
    world.put_events("/web", "main", &[(world.now(), "hello")])?;
    let mut event = LogEvent::objects(&world.session())
        .list("/web")
        .results()
        .first()
        .wait()?
        .expect("the listing is not empty");
    let before = world.state()?;
    for error in [
        nephos_core::Record::set(&mut event, "message", "other").expect_err("read-only"),
        event.save().wait().expect_err("read-only"),
        event.delete().wait().expect_err("read-only"),
    ] {
        assert_eq!(error.kind(), ErrorKind::Frozen);
        assert!(error.is_runtime_error());
    }
    world.assert_unchanged(&before)
}

fn text_map(pairs: &[(&str, &str)]) -> Map<Text> {
    pairs.iter().map(|(key, value)| (Text::new(key), Text::new(value))).collect()
}

/// Puts an event with an entity; returns the reason why the entity was rejected.
fn put_with_entity(world: &World, group: &str, entity: Entity) -> Result<Option<EntityRejectionErrorType>> {
    let event = input_events(&[(world.now(), "hello")])?;
    let answer = ask(&world.session(), PutLogEvents::new(group, "main", event).entity(entity))?;
    Ok(answer.rejected_entity_info().and_then(|info| info.error_type().cloned()))
}

/// The events of a rejected entity are accepted.
pub(super) fn invalid_entities_are_rejected_in_the_answer(world: &World) -> Result<()> {
    use EntityRejectionErrorType as Reason;
    world.create_group_with_stream("/web")?;
    let service: &[(&str, &str)] = &[("Type", "Service"), ("Name", "api"), ("Environment", "prod")];
    let resource: &[(&str, &str)] =
        &[("Type", "AWS::Resource"), ("ResourceType", "AWS::EC2::Instance"), ("Identifier", "i-1")];
    for (keys, reason) in [
        (service, None),
        (resource, None),
        (&[("Type", "RemoteService"), ("Name", "mail")], None),
        (&[("Type", "Team"), ("Name", "web")], Some(Reason::InvalidTypeValue)),
        (&[("Name", "api"), ("Environment", "prod")], Some(Reason::MissingRequiredFields)),
        (&[("Type", "Service"), ("Name", "api")], Some(Reason::MissingRequiredFields)),
        (&[("Type", "Service"), ("Colour", "red")], Some(Reason::InvalidKeyAttributes)),
        (&[("Type", "Service"), ("Identifier", "i-1")], Some(Reason::InvalidKeyAttributes)),
    ] {
        let entity = Entity::builder().key_attributes(text_map(keys)).build()?;
        assert_eq!(put_with_entity(world, "/web", entity)?, reason, "{keys:?}");
    }
    let with = |attributes: &[(&str, &str)]| {
        Entity::builder().key_attributes(text_map(service)).attributes(text_map(attributes)).build()
    };
    assert_eq!(put_with_entity(world, "/web", with(&[("PlatformType", "AWS::EC2")])?)?, None);
    let long = "n".repeat(257);
    for name in ["", long.as_str()] {
        assert_eq!(put_with_entity(world, "/web", with(&[(name, "x")])?)?, Some(Reason::InvalidAttributes));
    }
    assert_eq!(put_with_entity(world, "/web", Entity::builder().build()?)?, Some(Reason::InvalidEntity));
    assert_eq!(world.messages("/web")?.len(), 12);

    let class = LogGroupClass::InfrequentAccess;
    world.create(&LogGroup::builder().log_group_name("/seldom").log_group_class(class).build()?)?;
    world.create_stream("/seldom", "main")?;
    assert_eq!(put_with_entity(world, "/seldom", with(&[])?)?, Some(Reason::UnsupportedLogGroupType));
    Ok(())
}

/// The entity of the last events is kept until the stream or its log group is deleted.
pub(super) fn entity_is_kept_with_the_stream(world: &World) -> Result<()> {
    world.create_group("/web")?;
    let empty = world.state()?;
    let keys = text_map(&[("Type", "RemoteService"), ("Name", "mail")]);
    let entity = Entity::builder().key_attributes(keys).build()?;
    world.create_stream("/web", "main")?;
    put_with_entity(world, "/web", entity.clone())?;
    let rows = world.state()?;
    put_with_entity(world, "/web", entity.clone())?;
    assert_eq!(world.state()?.len(), rows.len() + 1, "only the event is new");
    LogStream::objects(&world.session()).delete("/web", "main").wait()?;
    world.assert_unchanged(&empty)?;

    let late = PutLogEvents::new("/web", "main", input_events(&[(world.now() - 15 * DAY, "old")])?);
    world.create_stream("/web", "main")?;
    let before = world.state()?;
    ask(&world.session(), late.entity(entity))?;
    world.assert_unchanged(&before)?;
    let keys: Map<Text> = text_map(&[("Type", "Service")]);
    assert_eq!(
        Entity::builder().key_attributes(keys).build().expect_err("two are required").field(),
        Some("keyAttributes")
    );
    Ok(())
}
