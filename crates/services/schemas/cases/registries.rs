//! Registries: created, read, listed, updated, deleted.

use super::{BAD_REQUEST, CONFLICT, NOT_FOUND, World, expected, refusal};
use nephos_core::{Result, prelude::*};
use nephos_schemas::{Registry, RegistryCreate, RegistryScope};

/// Returns a registry.
pub fn registry(name: &str) -> Registry {
    Registry::builder().registry_name(name).build().unwrap()
}

pub(super) fn created_registry_is_returned_by_get(world: &World) -> Result<()> {
    let session = world.session();
    let registry = Registry::builder()
        .registry_name("orders.v1-a_b")
        .description("events of shops")
        .tags([("team", "web")])
        .build()?;
    let created = Registry::objects(&session).create(&registry).wait()?;
    assert_eq!(created.registry_arn(), Some("arn:aws:schemas:us-east-1:123456789012:registry/orders.v1-a_b"));
    let found = Registry::objects(&session).get("orders.v1-a_b").wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.description(), Some("events of shops"));
    assert_eq!(found.tags_map().wait()?.get("team").map(|value| value.as_str()), Some("web"));
    assert_eq!(found.require_name()?, "orders.v1-a_b");
    assert_eq!(found.require_arn()?, created.require_arn()?);
    assert!(found.session().is_some());
    Ok(())
}

pub(super) fn invalid_names_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let long = "x".repeat(65);
    for name in ["", "a b", "a/b", "a@b", "é", &long] {
        assert!(Registry::builder().registry_name(name).build().is_err(), "{name:?}");
        let refusal = refusal(world, || Registry::objects(&session).get(name).wait());
        assert_eq!(refusal, expected(BAD_REQUEST, "RegistryName"), "{name:?}");
    }
    let create = |name: &str| Registry::objects(&session).create(&registry(name)).wait();
    for reserved in ["aws.", "aws.mine", "discovered-schemas"] {
        assert_eq!(refusal(world, || create(reserved)), expected(BAD_REQUEST, "RegistryName"), "{reserved}");
    }
    create("awsome")?;
    create(&"x".repeat(64))?;
    let nameless = Registry::builder().description("nothing").build()?;
    assert_eq!(
        refusal(world, || Registry::objects(&session).create(&nameless).wait()),
        expected(BAD_REQUEST, "RegistryName")
    );
    Ok(())
}

pub(super) fn description_length_is_checked(world: &World) -> Result<()> {
    let session = world.session();
    let mut registry = registry("r");
    assert!(registry.set_description("x".repeat(257)).is_err());
    registry.set_description("ä".repeat(256))?;
    assert_eq!(Registry::objects(&session).create(&registry).wait()?.description(), registry.description());
    assert!(registry.set("RegistryArn", "arn:aws:schemas:us-east-1:123456789012:registry/r").is_err());
    Ok(())
}

pub(super) fn duplicate_name_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    let create = || Registry::objects(&session).create(&registry("r")).wait();
    create()?;
    assert_eq!(refusal(world, create), expected(CONFLICT, ""));
    let error = create().unwrap_err();
    assert_eq!((error.kind(), error.status()), (ErrorKind::AlreadyExists, 409));
    Ok(())
}

pub(super) fn list_is_sorted_and_omits_descriptions(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "a", "B", "a.b"] {
        let registry =
            Registry::builder().registry_name(name).description("d").tags([("n", name)]).build()?;
        Registry::objects(&session).create(&registry).wait()?;
    }
    let all = Registry::objects(&session).list().limit(2).results().all().wait()?;
    let names: Vec<_> = all.iter().map(|registry| registry.registry_name().unwrap()).collect();
    assert_eq!(names, ["B", "a", "a.b", "aws.events", "b"]);
    for registry in &all {
        let tags = usize::from(registry.registry_name() != Some("aws.events"));
        assert!(registry.description().is_none() && registry.tags_map().wait()?.len() == tags);
    }
    Ok(())
}

pub(super) fn list_applies_prefix_filters(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["orders", "order", "shop"] {
        Registry::objects(&session).create(&registry(name)).wait()?;
    }
    let list = || Registry::objects(&session).list();
    assert_eq!(list().registry_name_prefix("order").results().count().wait()?, 2);
    assert_eq!(list().scope(RegistryScope::Local).results().count().wait()?, 3);
    assert_eq!(list().scope(RegistryScope::Provider).results().count().wait()?, 1);
    assert_eq!(list().set("Scope", "AWS").results().count().wait()?, 1);
    assert_eq!(list().results().count().wait()?, 4);
    let exact = list().results().filter(Registry::FIELDS.registry_name.eq("order"));
    assert_eq!(exact.count().wait()?, 1);
    let both =
        list().registry_name_prefix("s").results().filter(Registry::FIELDS.registry_name.starts_with("o"));
    assert_eq!(both.count().wait()?, 0);
    assert_eq!(
        refusal(world, || list().set("Scope", "Mine").results().count().wait()),
        expected(BAD_REQUEST, "Scope")
    );
    assert_eq!(refusal(world, || list().limit(0).results().count().wait()), expected(BAD_REQUEST, "Limit"));
    assert_eq!(
        refusal(world, || list().set("Prefix", "o").results().count().wait()),
        expected(BAD_REQUEST, "Prefix")
    );
    Ok(())
}

pub(super) fn update_sends_only_changed_fields(world: &World) -> Result<()> {
    let session = world.session();
    let created = Registry::builder().registry_name("r").description("one").tags([("a", "1"), ("b", "2")]);
    Registry::objects(&session).create(&created.build()?).wait()?;
    let local = Registry::objects(&session).list().scope(RegistryScope::Local);
    let mut listed = local.results().first().wait()?.unwrap();
    listed.tags_mut().wait()?.insert("a", "3")?;
    let updated = Registry::objects(&session).update(&listed).wait()?;
    assert_eq!(
        updated.description(),
        Some("one"),
        "the description is not in the listing and was not changed"
    );
    assert_eq!(updated.tags_map().wait()?.get("a").unwrap(), "3");
    assert_eq!(updated.tags_map().wait()?.get("b").unwrap(), "2");

    let built = Registry::builder().registry_name("r").description("two").build()?;
    let updated = Registry::objects(&session).update(&built).wait()?;
    assert_eq!((updated.description(), updated.tags_map().wait()?.len()), (Some("two"), 2));

    let before = world.state()?;
    Registry::objects(&session).update(&updated).wait()?;
    assert!(world.state()? == before, "an update without changes has no effect");
    Ok(())
}

pub(super) fn model_is_saved_and_deleted(world: &World) -> Result<()> {
    let session = world.session();
    let mut registry = registry("r");
    registry.set_session(Some(session.clone()));
    registry.save().wait()?;
    assert!(registry.registry_arn().is_some(), "save sets the fields that the service assigns");
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
    assert_eq!(refusal(world, || renamed.save().wait()), expected(BAD_REQUEST, "RegistryName"));
    found.delete().wait()?;
    assert!(Registry::objects(&session).get("r").wait()?.is_none());
    Ok(())
}

pub(super) fn registry_with_schemas_cannot_be_deleted(world: &World) -> Result<()> {
    let session = world.session();
    super::models::create_schema(world, "r", "s")?;
    // The key of this registry follows in order, and has the other's name as a prefix.
    Registry::objects(&session).create(&registry("r2")).wait()?;
    let delete = |name: &str| Registry::objects(&session).delete(name).wait();
    assert_eq!(refusal(world, || delete("r")), expected(BAD_REQUEST, "RegistryName"));
    delete("r2")?;
    nephos_schemas::Schema::objects(&session).delete("r", "s").wait()?;
    delete("r")?;
    assert!(!world.state()?.iter().any(|(key, _)| key.starts_with(b"schemas/")), "all rows are removed");
    Ok(())
}

pub(super) fn missing_registry_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    assert!(Registry::objects(&session).get("r").wait()?.is_none());
    assert_eq!(refusal(world, || Registry::objects(&session).delete("r").wait()), expected(NOT_FOUND, ""));
    assert_eq!(
        refusal(world, || Registry::objects(&session).update(&registry("r")).wait()),
        expected(NOT_FOUND, "")
    );
    Ok(())
}

pub(super) fn accounts_and_regions_are_isolated(world: &World) -> Result<()> {
    let here = world.session();
    Registry::objects(&here).create(&registry("r")).wait()?;
    for there in [world.other_account(), world.other_region()] {
        assert!(Registry::objects(&there).get("r").wait()?.is_none());
        let created = Registry::objects(&there).create(&registry("r")).wait()?;
        assert_ne!(created.registry_arn(), Some("arn:aws:schemas:us-east-1:123456789012:registry/r"));
    }
    Ok(())
}

pub(super) fn create_can_be_previewed(world: &World) -> Result<()> {
    let session = world.session();
    let before = world.state()?;
    let call = nephos_core::Session::clone(&session);
    let create = Registry::objects(&call).create(&registry("r")).with(RegistryCreate::new(&registry("q")));
    let preview = create.preview().wait()?;
    assert_eq!(preview.answer.registry_name(), Some("q"));
    assert_eq!(preview.changes.iter().map(|change| change.row.as_str()).collect::<Vec<_>>(), ["registry q"]);
    assert!(world.state()? == before);
    Ok(())
}
