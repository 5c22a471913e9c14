//! Buses: created, read, listed, updated, deleted.

use super::{QUEUE, World};
use nephos_core::{Result, prelude::*};
use nephos_events::{
    DeadLetterConfig, EventBus, EventRule, IncludeDetail, ListEventBuses, LogConfig, LogLevel, errors,
};
use nephos_testing::{ask, names};

pub(super) fn created_bus_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    let bus = EventBus::builder()
        .name("orders")
        .description("of shops")
        .kms_key_identifier("alias/events")
        .dead_letter_config(DeadLetterConfig::builder().arn(QUEUE).build()?)
        .log_config(LogConfig::builder().include_detail(IncludeDetail::Full).level(LogLevel::Info).build()?)
        .tags([("team", "web")])
        .build()?;
    let created = EventBus::objects(&session).create(&bus).wait()?;
    assert_eq!(created.require_arn()?, "arn:aws:events:us-east-1:123456789012:event-bus/orders");
    assert_eq!(created.description(), Some("of shops"));
    assert_eq!(created.kms_key_identifier(), Some("alias/events"));
    assert_eq!(created.dead_letter_config().unwrap().arn(), Some(QUEUE));
    assert_eq!(created.log_config().unwrap().level(), Some(&LogLevel::Info));
    assert_eq!(created.creation_time().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(created.last_modified_time(), created.creation_time());
    assert_eq!(created.policy(), None);
    for name in ["orders", created.require_arn()?] {
        let found = world.existing_bus(name)?;
        assert_eq!(found, created);
        assert_eq!(found.tags_map().wait()?.len(), 1);
    }
    let listed = EventBus::objects(&session).list().name_prefix("ord").results().all().wait()?;
    assert_eq!(names(&listed)?, ["orders"]);
    assert_eq!((listed[0].description(), listed[0].kms_key_identifier()), (Some("of shops"), None));
    assert_eq!(listed[0].tags_map().wait()?.len(), 1);
    world.refused(&errors::EXISTS, None, || EventBus::objects(&session).create(&bus).wait());
    Ok(())
}

pub(super) fn default_bus_exists_everywhere(world: &World) -> Result<()> {
    for session in [world.session(), world.other_account(), world.other_region()] {
        let found = EventBus::objects(&session).get().wait()?.unwrap();
        assert_eq!(found.require_name()?, "default");
        assert!(found.require_arn()?.ends_with(":event-bus/default"));
        assert_eq!(names(&EventBus::objects(&session).list().results().all().wait()?)?, ["default"]);
    }
    world.refused(&errors::EXISTS, None, || world.create_bus("default"));
    Ok(())
}

pub(super) fn default_bus_can_be_changed_but_not_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let mut bus = world.existing_bus("default")?;
    bus.set_description("of the provider")?;
    bus.save().wait()?;
    assert_eq!(world.existing_bus("default")?.description(), Some("of the provider"));
    assert_eq!(EventBus::objects(&session).list().results().count().wait()?, 1);
    let other = EventBus::objects(&world.other_region()).get().wait()?.unwrap();
    assert_eq!(other.description(), None);
    world.refused(&errors::VALIDATION, "Name", || bus.delete().wait());
    Ok(())
}

pub(super) fn bus_names_are_checked(world: &World) -> Result<()> {
    let long = "x".repeat(257);
    for name in ["", "a b", "é", &long] {
        assert!(EventBus::builder().name(name).build().is_err(), "{name:?}");
    }
    let refused = world.refused(&errors::VALIDATION, "Name", || world.create_bus("aws/orders"));
    assert_eq!(refused.message(), "Event bus name must not contain '/'.");
    let partner = EventBus::builder().name("aws.partner/shop.com/orders").build()?;
    let create = || {
        let create = EventBus::objects(&world.session()).create(&partner);
        create.event_source_name("aws.partner/shop.com/orders").wait()
    };
    world.refused(&errors::NOT_FOUND, "EventSourceName", create);
    world.create_bus(&"x".repeat(256))?;
    Ok(())
}

pub(super) fn listing_is_sorted_paged_and_filtered_by_prefix(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "z", "a", "dev"] {
        world.create_bus(name)?;
    }
    let list = || EventBus::objects(&session).list();
    assert_eq!(names(&list().limit(2).results().all().wait()?)?, ["a", "b", "default", "dev", "z"]);
    assert_eq!(names(&list().name_prefix("de").limit(1).results().all().wait()?)?, ["default", "dev"]);
    world.refused(&errors::VALIDATION, "Limit", || list().limit(101).results().all().wait());
    let mut query = ListEventBuses::new();
    query.next_token = Some("x".into());
    world.refused(&errors::VALIDATION, "NextToken", || ask(&session, query));
    Ok(())
}

pub(super) fn update_keeps_what_the_model_did_not_change(world: &World) -> Result<()> {
    let session = world.session();
    let bus = EventBus::builder().name("a").description("one").kms_key_identifier("k").tags([("x", "1")]);
    EventBus::objects(&session).create(&bus.build()?).wait()?;
    world.advance(1000)?;
    // A model of a listing does not have the crypto key.
    let mut listed = EventBus::objects(&session).list().name_prefix("a").results().all().wait()?.remove(0);
    listed.set_description("two")?;
    listed.save().wait()?;
    let found = world.existing_bus("a")?;
    assert_eq!((found.description(), found.kms_key_identifier()), (Some("two"), Some("k")));
    assert!(found.last_modified_time() > found.creation_time());
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let mut changed = found;
    changed.set_kms_key_identifier(None::<&str>)?;
    changed.tags_mut().wait()?.insert("y", "2")?;
    changed.save().wait()?;
    let found = world.existing_bus("a")?;
    assert_eq!((found.description(), found.kms_key_identifier()), (Some("two"), None));
    assert_eq!(found.tags_map().wait()?.len(), 2);
    Ok(())
}

pub(super) fn missing_bus_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let created = world.create_bus("a")?;
    assert!(EventBus::objects(&session).get().name("b").wait()?.is_none());
    assert!(EventBus::objects(&world.other_account()).get().name("a").wait()?.is_none());
    let foreign = EventBus::objects(&world.other_account()).get().name(created.require_arn()?).wait()?;
    assert!(foreign.is_none());
    // A bus that does not exist is deleted without an error.
    EventBus::objects(&session).delete("b").wait()?;
    EventBus::objects(&session).delete("a").wait()?;
    assert!(EventBus::objects(&session).get().name("a").wait()?.is_none());
    Ok(())
}

pub(super) fn bus_is_deleted_only_without_rules(world: &World) -> Result<()> {
    let session = world.session();
    let bus = world.create_bus("a")?;
    let rule = world.create_rule("a", "r")?;
    let refused = world.refused(&errors::VALIDATION, "Name", || bus.delete().wait());
    assert_eq!(refused.message(), "EventBus can't be deleted since it has rules.");
    assert_eq!(bus.rules().wait()?.len(), 1);
    rule.delete().wait()?;
    bus.delete().wait()?;
    assert!(EventBus::objects(&session).get().name("a").wait()?.is_none());
    assert_eq!(EventRule::objects(&session).list().results().count().wait()?, 0);
    Ok(())
}

pub(super) fn number_of_buses_is_limited(world: &World) -> Result<()> {
    for number in 0..100 {
        world.create_bus(&format!("bus-{number}"))?;
    }
    let refused = world.refused(&errors::LIMIT_EXCEEDED, None, || world.create_bus("more"));
    assert_eq!(refused.message(), "The requested resource exceeds the maximum number allowed.");
    EventBus::objects(&world.session()).delete("bus-0").wait()?;
    world.create_bus("more")?;
    Ok(())
}
