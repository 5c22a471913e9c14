//! Discoverers: one for each event bus, started and stopped.

use super::{BAD, CONFLICT, MISSING, World, refused, told};
use crate::{Discoverer, DiscovererState};
use nephos_core::{Result, prelude::*};

fn bus(name: &str) -> String {
    format!("arn:aws:events:us-east-1:123456789012:event-bus/{name}")
}

pub(super) fn discoverer(name: &str) -> Discoverer {
    Discoverer::builder().source_arn(bus(name)).build().unwrap()
}

pub(super) fn a_discoverer_is_found_as_it_was_created(world: &World) -> Result<()> {
    let session = world.session();
    let model =
        Discoverer::builder().source_arn(bus("default")).description("all").tags([("a", "b")]).build()?;
    let created = Discoverer::objects(&session).create(&model).wait()?;
    assert_eq!(created.discoverer_id(), Some("events-event-bus-default"));
    let arn = "arn:aws:schemas:us-east-1:123456789012:discoverer/events-event-bus-default";
    assert_eq!(created.discoverer_arn(), Some(arn));
    assert_eq!(created.state(), Some(&DiscovererState::Started));
    assert_eq!(created.cross_account(), Some(true), "unless it is said otherwise");
    let found = Discoverer::objects(&session).get("events-event-bus-default").wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!((found.source_arn(), found.description()), (Some(bus("default").as_str()), Some("all")));
    assert!(found.name().is_err(), "it has no name");
    assert_eq!(found.require_arn()?, arn);
    let own = Discoverer::builder().source_arn(bus("own")).cross_account(false).build()?;
    assert_eq!(Discoverer::objects(&session).create(&own).wait()?.cross_account(), Some(false));
    Ok(())
}

pub(super) fn sources_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    for source in ["arn:aws:events:", &"x".repeat(1601)] {
        assert!(Discoverer::builder().source_arn(source).build().is_err(), "{source}");
    }
    for source in [
        "not a resource name at all",
        "arn:aws:events:us-east-1:123456789012:rule/default",
        "arn:aws:events:us-east-1:123456789012:event-bus/",
        "arn:aws:sqs:us-east-1:123456789012:event-bus/default",
        "arn:aws:events:eu-west-1:123456789012:event-bus/default",
        "arn:aws:events:us-east-1:210987654321:event-bus/default",
        "arn:aws-cn:events:us-east-1:123456789012:event-bus/default",
    ] {
        let model = Discoverer::builder().source_arn(source).build()?;
        let refusal = refused(world, || Discoverer::objects(&session).create(&model).wait());
        assert_eq!(refusal, told(BAD, "SourceArn"), "{source}");
    }
    let nothing = Discoverer::builder().build()?;
    assert_eq!(
        refused(world, || Discoverer::objects(&session).create(&nothing).wait()),
        told(BAD, "SourceArn")
    );
    Ok(())
}

pub(super) fn a_bus_has_one_discoverer(world: &World) -> Result<()> {
    let session = world.session();
    let create = |name: &str| Discoverer::objects(&session).create(&discoverer(name)).wait();
    create("a")?;
    assert_eq!(refused(world, || create("a")), told(CONFLICT, ""));
    create("b")?;
    let partner = create("aws.partner/shop/1")?;
    assert_eq!(partner.source_arn(), Some(bus("aws.partner/shop/1").as_str()));
    Discoverer::objects(&session).delete("events-event-bus-a").wait()?;
    create("a")?;
    Ok(())
}

pub(super) fn a_discoverer_starts_and_stops(world: &World) -> Result<()> {
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
    assert!(world.state()? == before, "it was stopped already");
    let started = Discoverer::objects(&session).start(id).wait()?;
    assert_eq!(started.state(), Some(&DiscovererState::Started));
    assert_eq!(state()?, Some(DiscovererState::Started));
    Ok(())
}

pub(super) fn an_update_changes_what_was_changed(world: &World) -> Result<()> {
    let session = world.session();
    let model = Discoverer::builder().source_arn(bus("a")).description("one").build()?;
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
    moved.set_source_arn(bus("b"))?;
    assert_eq!(
        refused(world, || Discoverer::objects(&session).update(&moved).wait()),
        told(BAD, "SourceArn")
    );
    assert!(moved.set("State", "STARTED").is_err(), "start and stop do that");
    let unknown = discoverer("a");
    assert_eq!(
        refused(world, || Discoverer::objects(&session).update(&unknown).wait()),
        told(BAD, "DiscovererId")
    );
    Ok(())
}

pub(super) fn a_listing_can_be_narrowed(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["shop", "shop-2", "bank"] {
        Discoverer::objects(&session).create(&discoverer(name)).wait()?;
    }
    let list = || Discoverer::objects(&session).list();
    let all = list().limit(1).results().all().wait()?;
    let ids: Vec<_> = all.iter().map(|found| found.discoverer_id().unwrap()).collect();
    assert_eq!(ids, ["events-event-bus-bank", "events-event-bus-shop", "events-event-bus-shop-2"]);
    assert_eq!(list().discoverer_id_prefix("events-event-bus-shop").results().count().wait()?, 2);
    assert_eq!(list().source_arn_prefix(bus("b")).results().count().wait()?, 1);
    let both = list().discoverer_id_prefix("events-event-bus-shop").source_arn_prefix(bus("shop-"));
    assert_eq!(both.limit(1).results().count().wait()?, 1);
    let exact = list().results().filter(Discoverer::FIELDS.source_arn.eq(bus("shop")));
    assert_eq!(exact.count().wait()?, 1);
    Ok(())
}

pub(super) fn what_is_missing_is_told(world: &World) -> Result<()> {
    let session = world.session();
    let discoverers = || Discoverer::objects(&session);
    assert!(discoverers().get("x").wait()?.is_none());
    assert_eq!(refused(world, || discoverers().delete("x").wait()), told(MISSING, ""));
    assert_eq!(refused(world, || discoverers().start("x").wait()), told(MISSING, ""));
    assert_eq!(refused(world, || discoverers().stop("x").wait()), told(MISSING, ""));
    Ok(())
}

pub(super) fn a_model_saves_and_deletes_itself(world: &World) -> Result<()> {
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
