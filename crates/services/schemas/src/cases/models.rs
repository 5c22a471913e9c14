//! Schemas: created, found, listed, changed, searched, deleted.

use super::{BAD, CONFLICT, HOUR, MISSING, World, refused, registries::registry, told};
use crate::{CreateSchema, Registry, Schema, SchemaType};
use nephos_core::{Result, prelude::*};

/// An OpenAPI document of an event with one field.
pub(super) fn openapi(field: &str) -> String {
    format!(
        r##"{{"openapi": "3.0.0", "info": {{"title": "Order", "version": "1.0.0"}}, "paths": {{}}, "components": {{"schemas": {{
            "AWSEvent": {{"type": "object", "required": ["detail"], "x-amazon-events-source": "shop",
                "properties": {{"detail": {{"$ref": "#/components/schemas/Order"}}, "time": {{"type": "string", "format": "date-time"}}}}}},
            "Order": {{"type": "object", "properties": {{"{field}": {{"type": "string", "nullable": true}}}}}}}}}}}}"##
    )
}

/// A JSON Schema of an object with one field.
pub(super) fn draft4(field: &str) -> String {
    format!(
        r#"{{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {{"{field}": {{"type": "string"}}}}}}"#
    )
}

pub(super) fn schema(registry: &str, name: &str, content: &str) -> Schema {
    let language = if content.contains("openapi") { "OpenApi3" } else { "JSONSchemaDraft4" };
    let schema = Schema::builder().registry_name(registry).schema_name(name).content(content);
    schema.r#type(language).build().unwrap()
}

/// A schema in a registry, both made.
pub(super) fn made(world: &World, registry_name: &str, name: &str) -> Result<Schema> {
    let session = world.session();
    if Registry::objects(&session).get(registry_name).wait()?.is_none() {
        Registry::objects(&session).create(&registry(registry_name)).wait()?;
    }
    Schema::objects(&session).create(&schema(registry_name, name, &openapi("id"))).wait()
}

pub(super) fn a_schema_is_found_as_it_was_created(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let content = openapi("id");
    let schema = Schema::builder()
        .registry_name("r")
        .schema_name("shop@Order_1.a-b")
        .content(content.as_str())
        .r#type("OpenApi3")
        .description("an order")
        .tags([("team", "web")])
        .build()?;
    let created = Schema::objects(&session).create(&schema).wait()?;
    let found = Schema::objects(&session).get("r", "shop@Order_1.a-b").wait()?.unwrap();
    assert_eq!(found, created);
    assert_eq!(found.schema_arn(), Some("arn:aws:schemas:us-east-1:123456789012:schema/r/shop@Order_1.a-b"));
    assert_eq!((found.content(), found.description()), (Some(content.as_str()), Some("an order")));
    assert_eq!((found.schema_version(), found.r#type()), (Some("1"), Some("OpenApi3")));
    assert_eq!((found.registry_name(), found.version_count()), (Some("r"), None));
    assert_eq!(found.last_modified(), Some(world.cloud().clock().now()));
    assert_eq!(found.version_created_date(), Some(world.cloud().clock().now()));
    assert_eq!(found.tags_map().wait()?.len(), 1);
    let pk = found.pk()?;
    assert_eq!(format!("{pk:?}").matches("shop@Order_1.a-b").count(), 1, "{pk:?}");
    Ok(())
}

pub(super) fn what_create_needs_is_told(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let full = schema("r", "s", &openapi("id"));
    for field in ["RegistryName", "SchemaName", "Content", "Type"] {
        let mut lacking = full.clone();
        lacking.set(field, Value::Null)?;
        assert_eq!(refused(world, || Schema::objects(&session).create(&lacking).wait()), told(BAD, field));
    }
    let mut other = full.clone();
    other.set_type("Avro")?;
    assert_eq!(refused(world, || Schema::objects(&session).create(&other).wait()), told(BAD, "Type"));
    let create = CreateSchema::new(openapi("id"), "r", "s", SchemaType::Unknown("Avro".into()));
    assert_eq!(create.r#type, SchemaType::Unknown("Avro".into()));
    Ok(())
}

pub(super) fn names_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let long = "x".repeat(386);
    for name in ["", "a b", "a/b", "a#b", "é", &long] {
        assert!(Schema::builder().schema_name(name).build().is_err(), "{name:?}");
    }
    assert!(Schema::builder().content("").build().is_err());
    assert!(Schema::builder().content("x".repeat(100_001)).build().is_err());
    Schema::objects(&session).create(&schema("r", &"x".repeat(385), &openapi("id"))).wait()?;
    Ok(())
}

pub(super) fn a_name_is_given_once(world: &World) -> Result<()> {
    let session = world.session();
    made(world, "r", "s")?;
    let again = || Schema::objects(&session).create(&schema("r", "s", &openapi("other"))).wait();
    assert_eq!(refused(world, again), told(CONFLICT, ""));
    made(world, "r2", "s")?;
    Ok(())
}

pub(super) fn a_listing_tells_counts_and_the_registry(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "a", "a.b"] {
        made(world, "r", name)?;
    }
    made(world, "r2", "c")?;
    let mut a = Schema::objects(&session).get("r", "a").wait()?.unwrap();
    a.set_content(openapi("other"))?;
    a.save().wait()?;
    let list = || Schema::objects(&session).list("r");
    let all = list().limit(1).results().all().wait()?;
    let told: Vec<_> = all.iter().map(|schema| (schema.schema_name(), schema.version_count())).collect();
    assert_eq!(told, [(Some("a"), Some(2)), (Some("a.b"), Some(1)), (Some("b"), Some(1))]);
    for schema in &all {
        assert_eq!(schema.registry_name(), Some("r"));
        assert!(schema.content().is_none() && schema.r#type().is_none() && schema.schema_version().is_none());
        assert!(schema.last_modified().is_some() && schema.version_created_date().is_none());
    }
    assert_eq!(list().schema_name_prefix("a").results().count().wait()?, 2);
    let b = list().results().filter(Schema::FIELDS.schema_name.eq("b"));
    assert_eq!(b.first().wait()?.unwrap().schema_name(), Some("b"));
    Ok(())
}

pub(super) fn an_update_changes_what_was_changed(world: &World) -> Result<()> {
    let session = world.session();
    let made = made(world, "r", "s")?;
    world.advance(HOUR)?;
    let mut listed = Schema::objects(&session).list("r").results().first().wait()?.unwrap();
    listed.set_description("about orders")?;
    let updated = Schema::objects(&session).update(&listed).wait()?;
    assert_eq!((updated.description(), updated.schema_version()), (Some("about orders"), Some("1")));
    assert_eq!(updated.content(), made.content(), "a listing does not tell it, and it was not changed");
    assert_eq!(updated.version_created_date(), made.version_created_date());
    assert_eq!(updated.last_modified(), Some(world.cloud().clock().now()));

    world.advance(HOUR)?;
    let mut model = updated.clone();
    model.set_content(draft4("id"))?;
    assert_eq!(refused(world, || Schema::objects(&session).update(&model).wait()), told(BAD, "Content"));
    model.set_type("JSONSchemaDraft4")?;
    let updated = Schema::objects(&session).update(&model).client_token_id("once").wait()?;
    assert_eq!((updated.schema_version(), updated.r#type()), (Some("2"), Some("JSONSchemaDraft4")));
    assert_eq!(updated.version_created_date(), Some(world.cloud().clock().now()));
    assert_eq!(updated.description(), Some("about orders"));

    world.advance(HOUR)?;
    let before = world.state()?;
    Schema::objects(&session).update(&model).client_token_id("once").wait()?;
    Schema::objects(&session).update(&updated).wait()?;
    assert!(world.state()? == before, "nothing is new");
    let long = Schema::objects(&session).update(&model).client_token_id("x".repeat(37));
    assert_eq!(refused(world, || long.wait()), told(BAD, "ClientTokenId"));
    let mut lacking = updated.clone();
    lacking.set_content(None::<nephos_core::Text>)?;
    assert_eq!(refused(world, || Schema::objects(&session).update(&lacking).wait()), told(BAD, "Content"));
    Ok(())
}

pub(super) fn a_model_saves_and_deletes_itself(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let mut model = schema("r", "s", &openapi("a"));
    model.set_session(Some(session.clone()));
    model.save().wait()?;
    assert_eq!(model.schema_version(), Some("1"));
    model.set_content(openapi("b"))?;
    model.tags_mut().wait()?.insert("k", "v")?;
    model.save().wait()?;
    assert_eq!((model.schema_version(), model.tags_map().wait()?.len()), (Some("2"), 1));
    let mut moved = model.clone();
    moved.set_registry_name("q")?;
    assert_eq!(refused(world, || moved.save().wait()), told(BAD, "RegistryName"));
    model.delete().wait()?;
    assert!(Schema::objects(&session).get("r", "s").wait()?.is_none());
    Ok(())
}

pub(super) fn deleting_takes_the_versions_along(world: &World) -> Result<()> {
    let session = world.session();
    made(world, "r", "s2")?;
    let before = world.state()?;
    let mut model = made(world, "r", "s")?;
    model.set_content(openapi("b"))?;
    model.save().wait()?;
    Schema::objects(&session).delete("r", "s").wait()?;
    assert!(world.state()? == before, "nothing of it is left, and nothing else is gone");
    let again = made(world, "r", "s")?;
    assert_eq!(again.schema_version(), Some("1"));
    Ok(())
}

pub(super) fn what_is_missing_is_told(world: &World) -> Result<()> {
    let session = world.session();
    let schemas = || Schema::objects(&session);
    for registry_name in ["r", "q"] {
        assert!(schemas().get(registry_name, "s").wait()?.is_none());
        assert!(schemas().export(registry_name, "s").wait()?.is_none());
        assert_eq!(refused(world, || schemas().delete(registry_name, "s").wait()), told(MISSING, ""));
        assert_eq!(refused(world, || schemas().list_versions(registry_name, "s").wait()), told(MISSING, ""));
        let update = || schemas().update(&schema(registry_name, "s", &openapi("id"))).wait();
        assert_eq!(refused(world, update), told(MISSING, ""));
        if registry_name == "r" {
            let create = || schemas().create(&schema("r", "s", &openapi("id"))).wait();
            assert_eq!(refused(world, create), told(MISSING, ""));
            assert_eq!(refused(world, || schemas().list("r").results().all().wait()), told(MISSING, ""));
            assert_eq!(refused(world, || schemas().search("r", "order").wait()), told(MISSING, ""));
            Registry::objects(&session).create(&registry("q")).wait()?;
        }
    }
    Ok(())
}

pub(super) fn search_looks_into_names_and_documents(world: &World) -> Result<()> {
    let session = world.session();
    for (name, field) in [("shop@Order", "price"), ("shop@Cart", "PRICE"), ("bank@Payment", "amount")] {
        made(world, "r", name)?;
        let mut model = Schema::objects(&session).get("r", name).wait()?.unwrap();
        model.set_content(openapi(field))?;
        model.save().wait()?;
    }
    made(world, "r2", "shop@Order")?;
    let search = |keywords: &str| -> Result<Vec<(String, Vec<String>)>> {
        let found = Schema::objects(&session).search("r", keywords).limit(1).wait()?;
        let told = found.iter().map(|found| {
            assert_eq!(found.registry_name(), Some("r"));
            assert!(found.schema_arn().unwrap().ends_with(found.schema_name().unwrap()));
            let versions = found.schema_versions().unwrap().iter();
            let versions = versions.map(|version| version.schema_version().unwrap().to_owned()).collect();
            (found.schema_name().unwrap().to_owned(), versions)
        });
        Ok(told.collect())
    };
    let found = |name: &str, versions: &[&str]| {
        (name.to_owned(), versions.iter().map(|version| (*version).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(search("price")?, [found("shop@Cart", &["2"]), found("shop@Order", &["2"])]);
    assert_eq!(search("SHOP cart")?, [found("shop@Cart", &["1", "2"])]);
    assert_eq!(search("bank amount")?, [found("bank@Payment", &["2"])]);
    assert_eq!(search("bank price")?, []);
    assert_eq!(refused(world, || Schema::objects(&session).search("r", "  ").wait()), told(BAD, "Keywords"));
    Ok(())
}
