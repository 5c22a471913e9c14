//! Discoverers: at most one for each event bus, started and stopped.

use super::{BAD_REQUEST, CONFLICT, NOT_FOUND, World, expected, refusal};
use nephos_core::{Result, prelude::*};
use nephos_schemas::{Discoverer, DiscovererState};

fn event_bus_arn(name: &str) -> String {
    format!("arn:aws:events:us-east-1:123456789012:event-bus/{name}")
}

pub(super) fn discoverer(name: &str) -> Discoverer {
    Discoverer::builder().source_arn(event_bus_arn(name)).build().unwrap()
}

pub(super) fn created_discoverer_is_returned_by_get(world: &World) -> Result<()> {
    let session = world.session();
    let model = Discoverer::builder()
        .source_arn(event_bus_arn("default"))
        .description("all")
        .tags([("a", "b")])
        .build()?;
    let created = Discoverer::objects(&session).create(&model).wait()?;
    assert_eq!(created.discoverer_id(), Some("events-event-bus-default"));
    let arn = "arn:aws:schemas:us-east-1:123456789012:discoverer/events-event-bus-default";
    assert_eq!(created.discoverer_arn(), Some(arn));
    assert_eq!(created.state(), Some(&DiscovererState::Started));
    assert_eq!(created.cross_account(), Some(true), "the default");
    let found = Discoverer::objects(&session).get("events-event-bus-default").wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(
        (found.source_arn(), found.description()),
        (Some(event_bus_arn("default").as_str()), Some("all"))
    );
    assert!(found.name().is_err(), "a discoverer has no name");
    assert_eq!(found.require_arn()?, arn);
    let own = Discoverer::builder().source_arn(event_bus_arn("own")).cross_account(false).build()?;
    assert_eq!(Discoverer::objects(&session).create(&own).wait()?.cross_account(), Some(false));
    Ok(())
}

pub(super) fn invalid_source_arns_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    for source in ["arn:aws:events:", &"x".repeat(1601)] {
        assert!(Discoverer::builder().source_arn(source).build().is_err(), "{source}");
    }
    for source in [
        "not an ARN, but long enough",
        "arn:aws:events:us-east-1:123456789012:rule/default",
        "arn:aws:events:us-east-1:123456789012:event-bus/",
        "arn:aws:sqs:us-east-1:123456789012:event-bus/default",
        "arn:aws:events:eu-west-1:123456789012:event-bus/default",
        "arn:aws:events:us-east-1:210987654321:event-bus/default",
        "arn:aws-cn:events:us-east-1:123456789012:event-bus/default",
    ] {
        let model = Discoverer::builder().source_arn(source).build()?;
        let refusal = refusal(world, || Discoverer::objects(&session).create(&model).wait());
        assert_eq!(refusal, expected(BAD_REQUEST, "SourceArn"), "{source}");
    }
    let nothing = Discoverer::builder().build()?;
    assert_eq!(
        refusal(world, || Discoverer::objects(&session).create(&nothing).wait()),
        expected(BAD_REQUEST, "SourceArn")
    );
    Ok(())
}

pub(super) fn event_bus_has_at_most_one_discoverer(world: &World) -> Result<()> {
    let session = world.session();
    let create = |name: &str| Discoverer::objects(&session).create(&discoverer(name)).wait();
    create("a")?;
    assert_eq!(refusal(world, || create("a")), expected(CONFLICT, ""));
    create("b")?;
    let partner = create("aws.partner/shop/1")?;
    assert_eq!(partner.source_arn(), Some(event_bus_arn("aws.partner/shop/1").as_str()));
    Discoverer::objects(&session).delete("events-event-bus-a").wait()?;
    create("a")?;
    Ok(())
}

pub(super) fn discoverer_is_started_and_stopped(world: &World) -> Result<()> {
    let session = world.session();
    let created = Discoverer::objects(&session).create(&discoverer("a")).wait()?;
    let id = created.discoverer_id().unwrap();
    let state = || -> Result<_> {
        Ok(Discoverer::objects(&session).get(id).wait()?.and_then(|found| found.state().cloned()))
    };
    let stopped = created.stop().wait()?;
    assert_eq!((stopped.discoverer_id(), stopped.state()), (Some(id), Some(&DiscovererState::Stopped)));
    assert_eq!(state()?, Some(DiscovererState::Stopped));
    let before = world.state()?;
    Discoverer::objects(&session).stop(id).wait()?;
    assert!(world.state()? == before, "stopping a stopped discoverer has no effect");
    let started = Discoverer::objects(&session).start(id).wait()?;
    assert_eq!(started.state(), Some(&DiscovererState::Started));
    assert_eq!(state()?, Some(DiscovererState::Started));
    Ok(())
}

pub(super) fn update_sends_only_changed_fields(world: &World) -> Result<()> {
    let session = world.session();
    let model = Discoverer::builder().source_arn(event_bus_arn("a")).description("one").build()?;
    Discoverer::objects(&session).create(&model).wait()?.stop().wait()?;
    let mut listed = Discoverer::objects(&session).list().results().first().wait()?.unwrap();
    assert_eq!(listed.description(), None);
    listed.set_cross_account(false)?;
    let mut updated = Discoverer::objects(&session).update(&listed).wait()?;
    assert_eq!((updated.description(), updated.cross_account()), (Some("one"), Some(false)));
    assert_eq!(updated.state(), Some(&DiscovererState::Stopped));
    updated.set_description("two")?;
    let updated = Discoverer::objects(&session).update(&updated).wait()?;
    assert_eq!((updated.description(), updated.cross_account()), (Some("two"), Some(false)));
    let mut moved = updated.clone();
    moved.set_source_arn(event_bus_arn("b"))?;
    assert_eq!(
        refusal(world, || Discoverer::objects(&session).update(&moved).wait()),
        expected(BAD_REQUEST, "SourceArn")
    );
    assert!(moved.set("State", "STARTED").is_err(), "the state is changed by start and stop");
    let unknown = discoverer("a");
    assert_eq!(
        refusal(world, || Discoverer::objects(&session).update(&unknown).wait()),
        expected(BAD_REQUEST, "DiscovererId")
    );
    Ok(())
}

pub(super) fn list_applies_prefix_filters(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["shop", "shop-2", "bank"] {
        Discoverer::objects(&session).create(&discoverer(name)).wait()?;
    }
    let list = || Discoverer::objects(&session).list();
    let all = list().limit(1).results().all().wait()?;
    let ids: Vec<_> = all.iter().map(|found| found.discoverer_id().unwrap()).collect();
    assert_eq!(ids, ["events-event-bus-bank", "events-event-bus-shop", "events-event-bus-shop-2"]);
    assert_eq!(list().discoverer_id_prefix("events-event-bus-shop").results().count().wait()?, 2);
    assert_eq!(list().source_arn_prefix(event_bus_arn("b")).results().count().wait()?, 1);
    let both = list().discoverer_id_prefix("events-event-bus-shop").source_arn_prefix(event_bus_arn("shop-"));
    assert_eq!(both.limit(1).results().count().wait()?, 1);
    let exact = list().results().filter(Discoverer::FIELDS.source_arn.eq(event_bus_arn("shop")));
    assert_eq!(exact.count().wait()?, 1);
    Ok(())
}

pub(super) fn missing_discoverer_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let discoverers = || Discoverer::objects(&session);
    assert!(discoverers().get("x").wait()?.is_none());
    assert_eq!(refusal(world, || discoverers().delete("x").wait()), expected(NOT_FOUND, ""));
    assert_eq!(refusal(world, || discoverers().start("x").wait()), expected(NOT_FOUND, ""));
    assert_eq!(refusal(world, || discoverers().stop("x").wait()), expected(NOT_FOUND, ""));
    Ok(())
}

pub(super) fn model_is_saved_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let mut model = discoverer("a");
    model.set_session(Some(session.clone()));
    model.save().wait()?;
    assert_eq!(model.cross_account(), Some(true));
    model.set_cross_account(None::<bool>)?;
    model.tags_mut().wait()?.insert("k", "v")?;
    model.save().wait()?;
    assert_eq!((model.cross_account(), model.tags_map().wait()?.len()), (Some(true), 1));
    model.delete().wait()?;
    assert!(Discoverer::objects(&session).get("events-event-bus-a").wait()?.is_none());
    Ok(())
}
