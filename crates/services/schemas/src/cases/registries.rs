//! Registries: created, found, listed, changed, deleted.

use super::{BAD, CONFLICT, MISSING, World, refused, told};
use crate::{Registry, RegistryCreate, RegistryScope};
use nephos_core::{Result, prelude::*};

pub(super) fn registry(name: &str) -> Registry {
    Registry::builder().registry_name(name).build().unwrap()
}

pub(super) fn a_registry_is_found_as_it_was_created(world: &World) -> Result<()> {
    let session = world.session();
    let registry = Registry::builder()
        .registry_name("orders.v1-a_b")
        .description("what shops say")
        .tags([("team", "web")])
        .build()?;
    let created = Registry::objects(&session).create(&registry).wait()?;
    assert_eq!(created.registry_arn(), Some("arn:aws:schemas:us-east-1:123456789012:registry/orders.v1-a_b"));
    let found = Registry::objects(&session).get("orders.v1-a_b").wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.description(), Some("what shops say"));
    assert_eq!(found.tags_map().wait()?.get("team").map(|value| value.as_str()), Some("web"));
    assert_eq!(found.require_name()?, "orders.v1-a_b");
    assert_eq!(found.require_arn()?, created.require_arn()?);
    assert!(found.session().is_some());
    Ok(())
}

pub(super) fn names_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let long = "x".repeat(65);
    for name in ["", "a b", "a/b", "a@b", "é", &long] {
        assert!(Registry::builder().registry_name(name).build().is_err(), "{name:?}");
        let refusal = refused(world, || Registry::objects(&session).get(name).wait());
        assert_eq!(refusal, told(BAD, "RegistryName"), "{name:?}");
    }
    let create = |name: &str| Registry::objects(&session).create(&registry(name)).wait();
    assert_eq!(refused(world, || create("aws.events")), told(BAD, "RegistryName"));
    create("awsome")?;
    create(&"x".repeat(64))?;
    let nameless = Registry::builder().description("nothing").build()?;
    assert_eq!(
        refused(world, || Registry::objects(&session).create(&nameless).wait()),
        told(BAD, "RegistryName")
    );
    Ok(())
}

pub(super) fn descriptions_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let mut registry = registry("r");
    assert!(registry.set_description("x".repeat(257)).is_err());
    registry.set_description("ä".repeat(256))?;
    assert_eq!(Registry::objects(&session).create(&registry).wait()?.description(), registry.description());
    assert!(registry.set("RegistryArn", "arn:aws:schemas:us-east-1:123456789012:registry/r").is_err());
    Ok(())
}

pub(super) fn a_name_is_given_once(world: &World) -> Result<()> {
    let session = world.session();
    let create = || Registry::objects(&session).create(&registry("r")).wait();
    create()?;
    assert_eq!(refused(world, create), told(CONFLICT, ""));
    let error = create().unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::AlreadyExists, 409));
    Ok(())
}

pub(super) fn a_listing_is_in_order_and_tells_no_descriptions(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "a", "B", "a.b"] {
        let registry =
            Registry::builder().registry_name(name).description("d").tags([("n", name)]).build()?;
        Registry::objects(&session).create(&registry).wait()?;
    }
    let all = Registry::objects(&session).list().limit(2).results().all().wait()?;
    let names: Vec<_> = all.iter().map(|registry| registry.registry_name().unwrap()).collect();
    assert_eq!(names, ["B", "a", "a.b", "b"]);
    for registry in &all {
        assert!(registry.description().is_none() && registry.tags_map().wait()?.len() == 1);
    }
    Ok(())
}

pub(super) fn a_listing_can_be_narrowed(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["orders", "order", "shop"] {
        Registry::objects(&session).create(&registry(name)).wait()?;
    }
    let list = || Registry::objects(&session).list();
    assert_eq!(list().registry_name_prefix("order").results().count().wait()?, 2);
    assert_eq!(list().scope(RegistryScope::Local).results().count().wait()?, 3);
    assert_eq!(list().scope(RegistryScope::Provider).results().count().wait()?, 0);
    assert_eq!(list().set("Scope", "AWS").results().count().wait()?, 0);
    let exact = list().results().filter(Registry::FIELDS.registry_name.eq("order"));
    assert_eq!(exact.count().wait()?, 1);
    let both =
        list().registry_name_prefix("s").results().filter(Registry::FIELDS.registry_name.starts_with("o"));
    assert_eq!(both.count().wait()?, 0);
    assert_eq!(refused(world, || list().set("Scope", "Mine").results().count().wait()), told(BAD, "Scope"));
    assert_eq!(refused(world, || list().limit(0).results().count().wait()), told(BAD, "Limit"));
    assert_eq!(refused(world, || list().set("Prefix", "o").results().count().wait()), told(BAD, "Prefix"));
    Ok(())
}

pub(super) fn an_update_changes_what_was_changed(world: &World) -> Result<()> {
    let session = world.session();
    let created = Registry::builder().registry_name("r").description("one").tags([("a", "1"), ("b", "2")]);
    Registry::objects(&session).create(&created.build()?).wait()?;
    let mut listed = Registry::objects(&session).list().results().first().wait()?.unwrap();
    listed.tags_mut().wait()?.insert("a", "3")?;
    let updated = Registry::objects(&session).update(&listed).wait()?;
    assert_eq!(updated.description(), Some("one"), "a listing does not tell it, and it was not changed");
    assert_eq!(updated.tags_map().wait()?.get("a").unwrap(), "3");
    assert_eq!(updated.tags_map().wait()?.get("b").unwrap(), "2");

    let built = Registry::builder().registry_name("r").description("two").build()?;
    let updated = Registry::objects(&session).update(&built).wait()?;
    assert_eq!((updated.description(), updated.tags_map().wait()?.len()), (Some("two"), 2));

    let before = world.state()?;
    Registry::objects(&session).update(&updated).wait()?;
    assert!(world.state()? == before, "nothing was changed");
    Ok(())
}

pub(super) fn a_model_saves_and_deletes_itself(world: &World) -> Result<()> {
    let session = world.session();
    let mut registry = registry("r");
    registry.set_session(Some(session.clone()));
    registry.save().wait()?;
    assert!(registry.registry_arn().is_some(), "saving tells what the service made");
    registry.set_description("again")?;
    registry.tags_mut().wait()?.insert("k", "v")?;
    registry.save().wait()?;
    let mut found = Registry::objects(&session).get("r").wait()?.unwrap();
    assert_eq!((found.description(), found.tags_map().wait()?.len()), (Some("again"), 1));
    found.set_description(None::<nephos_core::Text>)?;
    found.tags_mut().wait()?.clear()?;
    found.save().wait()?;
    let found = Registry::objects(&session).get("r").wait()?.unwrap();
    assert_eq!((found.description(), found.tags_map().wait()?.len()), (Some(""), 0));

    let mut renamed = found.clone();
    renamed.set_registry_name("s")?;
    assert_eq!(refused(world, || renamed.save().wait()), told(BAD, "RegistryName"));
    found.delete().wait()?;
    assert!(Registry::objects(&session).get("r").wait()?.is_none());
    Ok(())
}

pub(super) fn a_registry_with_schemas_stays(world: &World) -> Result<()> {
    let session = world.session();
    super::models::made(world, "r", "s")?;
    // Its name comes next in the keys, and must not be taken for the other's.
    Registry::objects(&session).create(&registry("r2")).wait()?;
    let delete = |name: &str| Registry::objects(&session).delete(name).wait();
    assert_eq!(refused(world, || delete("r")), told(BAD, "RegistryName"));
    delete("r2")?;
    crate::Schema::objects(&session).delete("r", "s").wait()?;
    delete("r")?;
    assert!(!world.state()?.iter().any(|(key, _)| key.starts_with(b"schemas/")), "nothing is left");
    Ok(())
}

pub(super) fn what_is_missing_is_told(world: &World) -> Result<()> {
    let session = world.session();
    assert!(Registry::objects(&session).get("r").wait()?.is_none());
    assert_eq!(refused(world, || Registry::objects(&session).delete("r").wait()), told(MISSING, ""));
    assert_eq!(
        refused(world, || Registry::objects(&session).update(&registry("r")).wait()),
        told(MISSING, "")
    );
    Ok(())
}

pub(super) fn accounts_and_regions_are_apart(world: &World) -> Result<()> {
    let here = world.session();
    Registry::objects(&here).create(&registry("r")).wait()?;
    for there in [world.other_account(), world.other_region()] {
        assert!(Registry::objects(&there).get("r").wait()?.is_none());
        let made = Registry::objects(&there).create(&registry("r")).wait()?;
        assert_ne!(made.registry_arn(), Some("arn:aws:schemas:us-east-1:123456789012:registry/r"));
    }
    Ok(())
}

pub(super) fn a_create_can_be_tried(world: &World) -> Result<()> {
    let session = world.session();
    let before = world.state()?;
    let call = nephos_core::Session::clone(&session);
    let create = Registry::objects(&call).create(&registry("r")).with(RegistryCreate::new(&registry("q")));
    let tried = create.preview().wait()?;
    assert_eq!(tried.answer.registry_name(), Some("q"));
    assert_eq!(tried.changes.iter().map(|change| change.row.as_str()).collect::<Vec<_>>(), ["registry q"]);
    assert!(world.state()? == before);
    Ok(())
}
