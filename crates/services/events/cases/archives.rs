//! Archives: created, read, listed, changed, deleted, and the events in them.

use super::{PATTERN, World, bus_arn};
use nephos_core::{Result, prelude::*};
use nephos_events::{Archive, ArchiveState, EventBus, EventRule, ListArchives, UpdateArchive, errors};
use nephos_testing::{DAY, HOUR, ask, names};

pub(super) fn created_archive_is_returned_by_get_and_list(world: &World) -> Result<()> {
    let session = world.session();
    let archive = Archive::builder()
        .archive_name("orders")
        .event_source_arn(bus_arn("default"))
        .description("of shops")
        .event_pattern(PATTERN)
        .retention_days(7)
        .kms_key_identifier("alias/events")
        .build()?;
    let created = Archive::objects(&session).create(&archive).wait()?;
    assert_eq!(created.require_arn()?, "arn:aws:events:us-east-1:123456789012:archive/orders");
    assert_eq!(created.event_source_arn(), Some(bus_arn("default").as_str()));
    assert_eq!((created.description(), created.event_pattern()), (Some("of shops"), Some(PATTERN)));
    assert_eq!((created.retention_days(), created.kms_key_identifier()), (Some(7), Some("alias/events")));
    assert_eq!((created.state(), created.state_reason()), (Some(&ArchiveState::Enabled), None));
    assert_eq!((created.event_count(), created.size_bytes()), (Some(0), Some(0)));
    assert_eq!(created.creation_time().map(|time| time.as_millisecond()), Some(world.now()));
    assert_eq!(world.existing_archive("orders")?, created);
    let listed = Archive::objects(&session).list().results().all().wait()?;
    assert_eq!(names(&listed)?, ["orders"]);
    assert_eq!((listed[0].state(), listed[0].event_count()), (created.state(), Some(0)));
    assert_eq!(listed[0].require_arn()?, created.require_arn()?);
    assert_eq!((listed[0].description(), listed[0].event_pattern()), (None, None));
    let refused = world.refused(&errors::EXISTS, None, || Archive::objects(&session).create(&archive).wait());
    assert_eq!(refused.message(), "Archive orders already exists.");
    assert_eq!(world.create_archive("all", "default")?.retention_days(), Some(0));
    assert!(Archive::objects(&world.other_region()).get("orders").wait()?.is_none());
    assert!(Archive::objects(&world.other_account()).get("orders").wait()?.is_none());
    Ok(())
}

pub(super) fn archives_are_listed_by_one_filter(world: &World) -> Result<()> {
    let session = world.session();
    world.create_bus("shop")?;
    for (name, bus) in [("c", "shop"), ("ab", "default"), ("aa", "shop"), ("b", "default")] {
        world.create_archive(name, bus)?;
    }
    let list = || Archive::objects(&session).list();
    assert_eq!(names(&list().limit(1).results().all().wait()?)?, ["aa", "ab", "b", "c"]);
    assert_eq!(names(&list().name_prefix("a").results().all().wait()?)?, ["aa", "ab"]);
    let of_bus = list().event_source_arn(bus_arn("shop")).limit(1).results().all().wait()?;
    assert_eq!(names(&of_bus)?, ["aa", "c"]);
    assert_eq!(list().state(ArchiveState::Enabled).results().count().wait()?, 4);
    assert_eq!(list().state(ArchiveState::Disabled).results().count().wait()?, 0);
    let both = || list().name_prefix("a").state(ArchiveState::Enabled).results().all().wait();
    let refused = world.refused(&errors::VALIDATION, None, both);
    assert_eq!(
        refused.message(),
        "At most one filter is allowed for ListArchives. Use either : State, EventSourceArn, or NamePrefix."
    );
    let unknown = || list().event_source_arn(bus_arn("none")).results().all().wait();
    let refused = world.refused(&errors::NOT_FOUND, "EventSourceArn", unknown);
    assert_eq!(refused.message(), "Event bus none does not exist.");
    world.refused(&errors::VALIDATION, "Limit", || list().limit(101).results().all().wait());
    let mut query = ListArchives::new();
    query.next_token = Some("x".into());
    world.refused(&errors::VALIDATION, "NextToken", || ask(&session, query));
    Ok(())
}

pub(super) fn settings_of_archives_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let long = "x".repeat(49);
    for name in ["", "a b", "a/b", &long] {
        assert!(Archive::builder().archive_name(name).build().is_err(), "{name:?}");
    }
    assert!(Archive::builder().event_source_arn("default").build().is_err());
    assert!(Archive::builder().retention_days(-1).build().is_err());
    let refused = world.refused(&errors::NOT_FOUND, "EventSourceArn", || world.create_archive("a", "none"));
    assert_eq!(refused.message(), "Event bus none does not exist.");
    for arn in [
        "arn:aws:events:us-east-1:210987654321:event-bus/default",
        "arn:aws:events:eu-west-1:123456789012:event-bus/default",
        "arn:aws:events:us-east-1:123456789012:rule/default",
    ] {
        let archive = Archive::builder().archive_name("a").event_source_arn(arn).build()?;
        let create = || Archive::objects(&session).create(&archive).wait();
        world.refused(&errors::NOT_FOUND, "EventSourceArn", create);
    }
    let archive = Archive::builder().archive_name("a").event_source_arn(bus_arn("default"));
    let archive = archive.event_pattern(r#"{"source": "shop"}"#).build()?;
    let create = || Archive::objects(&session).create(&archive).wait();
    world.refused(&errors::INVALID_PATTERN, "EventPattern", create);
    world.create_archive("a", "default")?;
    let mut update = UpdateArchive::new("a");
    update.event_pattern = Some("{".into());
    world.refused(&errors::INVALID_PATTERN, "EventPattern", || ask(&session, update));
    let refused = world.refused(&errors::NOT_FOUND, None, || ask(&session, UpdateArchive::new("none")));
    assert_eq!(refused.message(), "Archive none does not exist.");
    world.refused(&errors::NOT_FOUND, None, || Archive::objects(&session).delete("none").wait());
    Ok(())
}

pub(super) fn update_changes_what_the_model_changed(world: &World) -> Result<()> {
    let archive = Archive::builder().archive_name("a").event_source_arn(bus_arn("default"));
    let archive = archive.description("one").event_pattern(PATTERN).kms_key_identifier("k").retention_days(3);
    Archive::objects(&world.session()).create(&archive.build()?).wait()?;
    // A model of a listing does not have the description.
    let mut listed = Archive::objects(&world.session()).list().results().all().wait()?.remove(0);
    listed.set_retention_days(4)?;
    listed.save().wait()?;
    let mut found = world.existing_archive("a")?;
    assert_eq!((found.description(), found.retention_days()), (Some("one"), Some(4)));
    assert_eq!((found.event_pattern(), found.kms_key_identifier()), (Some(PATTERN), Some("k")));
    found.set_description(None::<&str>)?;
    found.set_kms_key_identifier(None::<&str>)?;
    found.set_retention_days(None::<i64>)?;
    found.set_event_pattern(r#"{"source": ["bank"]}"#)?;
    found.save().wait()?;
    let mut found = world.existing_archive("a")?;
    assert_eq!(
        (found.description(), found.kms_key_identifier(), found.retention_days()),
        (None, None, Some(0))
    );
    assert_eq!(found.event_pattern(), Some(r#"{"source": ["bank"]}"#));
    found.set_event_pattern(None::<&str>)?;
    world.refused(&errors::VALIDATION, "EventPattern", || found.save().wait());
    Ok(())
}

pub(super) fn matching_events_are_archived(world: &World) -> Result<()> {
    let session = world.session();
    world.create_bus("shop")?;
    world.create_archive("all", "default")?;
    world.create_archive("other", "shop")?;
    let archive = Archive::builder().archive_name("shop").event_source_arn(bus_arn("default"));
    Archive::objects(&session).create(&archive.event_pattern(PATTERN).build()?).wait()?;
    let counts = || -> Result<Vec<i64>> {
        let listed = Archive::objects(&session).list().results().all().wait()?;
        Ok(listed.iter().map(|archive| archive.event_count().unwrap()).collect())
    };
    world.send_event("default", "shop", None)?;
    assert_eq!(counts()?, [1, 0, 1]);
    world.send_event("default", "bank", None)?;
    assert_eq!(counts()?, [2, 0, 1]);
    world.send_event("shop", "bank", None)?;
    assert_eq!(counts()?, [2, 1, 1]);
    // Source, type, time and content: `shop`, `Order`, `2026-01-31T12:00:00Z` and `{}`.
    assert_eq!(world.existing_archive("shop")?.size_bytes(), Some(4 + 5 + 20 + 2));
    let mut changed = world.existing_archive("shop")?;
    changed.set_event_pattern(r#"{"source": ["bank"]}"#)?;
    changed.save().wait()?;
    world.send_event("default", "shop", None)?;
    assert_eq!(counts()?, [3, 1, 1], "a new pattern counts at once, and events of the old one stay");
    // Another archive with the same name begins empty.
    changed.delete().wait()?;
    world.send_event("default", "bank", None)?;
    assert_eq!(world.create_archive("shop", "default")?.event_count(), Some(0));
    Ok(())
}

pub(super) fn events_are_removed_when_their_retention_ends(world: &World) -> Result<()> {
    let archive = Archive::builder().archive_name("a").event_source_arn(bus_arn("default"));
    Archive::objects(&world.session()).create(&archive.retention_days(2).build()?).wait()?;
    world.create_archive("kept", "default")?;
    let expect = |count: i64| -> Result<()> {
        let archive = world.existing_archive("a")?;
        assert_eq!((archive.event_count(), archive.size_bytes()), (Some(count), Some(count * 31)));
        Ok(())
    };
    world.send_event("default", "shop", None)?;
    // The retention of an old event begins when it arrives.
    world.send_event("default", "shop", Some(world.now() - 30 * DAY))?;
    world.advance(DAY)?;
    world.send_event("default", "shop", None)?;
    world.send_event("default", "shop", None)?;
    world.advance(DAY - 1)?;
    expect(4)?;
    world.advance(1)?;
    expect(2)?;
    world.advance(DAY)?;
    expect(0)?;
    // A change of the retention is for the events that are in the archive, too.
    world.send_event("default", "shop", None)?;
    let mut archive = world.existing_archive("a")?;
    archive.set_retention_days(5)?;
    archive.save().wait()?;
    world.advance(5 * DAY - HOUR)?;
    expect(1)?;
    world.send_event("default", "shop", None)?;
    archive.set_retention_days(1)?;
    archive.save().wait()?;
    expect(1)?;
    archive.set_retention_days(0)?;
    archive.save().wait()?;
    world.advance(10 * DAY)?;
    expect(1)?;
    assert_eq!(world.existing_archive("kept")?.event_count(), Some(6));
    assert_eq!(world.cloud().failed_work()?, []);
    Ok(())
}

pub(super) fn archive_has_a_managed_rule(world: &World) -> Result<()> {
    let session = world.session();
    let archive = Archive::builder().archive_name("a").event_source_arn(bus_arn("default"));
    let archive = Archive::objects(&session).create(&archive.event_pattern(PATTERN).build()?).wait()?;
    let rule = world.existing_rule("default", "Events-Archive-a")?;
    assert_eq!(rule.managed_by(), Some("prod.vhs.events.aws.internal"));
    assert_eq!(rule.event_pattern(), Some(r#"{"source":["shop"],"replay-name":[{"exists":false}]}"#));
    let targets = rule.targets().wait()?;
    assert_eq!((targets.len(), targets[0].require_arn()?), (1, "arn:aws:events:us-east-1:::"));
    assert_eq!(targets[0].id(), Some("Events-Archive-a"));
    world.refused(&errors::MANAGED_RULE, None, || rule.delete().wait());
    world.send_event("default", "shop", None)?;
    assert_eq!(world.existing_archive("a")?.event_count(), Some(1));
    let mut update = UpdateArchive::new("a");
    update.event_pattern = Some(r#"{"source":["bank"]}"#.into());
    ask(&session, update)?;
    let pattern = Some(r#"{"source":["bank"],"replay-name":[{"exists":false}]}"#);
    assert_eq!(world.existing_rule("default", "Events-Archive-a")?.event_pattern(), pattern);
    archive.delete().wait()?;
    assert!(EventRule::objects(&session).get("Events-Archive-a").wait()?.is_none());
    // A rule of a user has the name already.
    world.create_rule("default", "Events-Archive-b")?;
    let refused = world.refused(&errors::EXISTS, None, || world.create_archive("b", "default"));
    assert_eq!(refused.message(), "Rule Events-Archive-b already exists.");
    Ok(())
}

pub(super) fn bus_is_deleted_after_the_rule_of_its_archive(world: &World) -> Result<()> {
    let session = world.session();
    let bus = world.create_bus("shop")?;
    let archive = world.create_archive("a", "shop")?;
    world.send_event("shop", "shop", None)?;
    let refused = world.refused(&errors::VALIDATION, "Name", || bus.delete().wait());
    assert_eq!(refused.message(), "EventBus can't be deleted since it has rules.");
    let rule = world.existing_rule("shop", "Events-Archive-a")?;
    for target in rule.targets().wait()? {
        target.delete().force(true).wait()?;
    }
    rule.delete().force(true).wait()?;
    let disabled = world.existing_archive("a")?;
    assert_eq!(disabled.state(), Some(&ArchiveState::Disabled));
    assert_eq!(disabled.state_reason(), Some("Managed rule for the archive was forcefully deleted."));
    bus.delete().wait()?;
    EventBus::objects(&session).create(&EventBus::builder().name("shop").build()?).wait()?;
    world.send_event("shop", "shop", None)?;
    assert_eq!(world.existing_archive("a")?.event_count(), Some(1), "a new bus does not fill it");
    archive.delete().wait()?;
    assert!(Archive::objects(&session).get("a").wait()?.is_none());
    world.refused(&errors::NOT_FOUND, None, || archive.delete().wait());
    Ok(())
}
