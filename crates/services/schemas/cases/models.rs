//! Schemas: created, read, listed, updated, searched, deleted.

use super::{BAD_REQUEST, CONFLICT, HOUR, NOT_FOUND, World, expected, refusal, registries::registry};
use nephos_core::{Result, prelude::*};
use nephos_schemas::{CreateSchema, Registry, Schema, SchemaType};

/// Returns an OpenAPI document of an event with one field.
pub fn openapi(field: &str) -> String {
    format!(
        r##"{{"openapi": "3.0.0", "info": {{"title": "Order", "version": "1.0.0"}}, "paths": {{}}, "components": {{"schemas": {{
            "AWSEvent": {{"type": "object", "required": ["detail"], "x-amazon-events-source": "shop",
                "properties": {{"detail": {{"$ref": "#/components/schemas/Order"}}, "time": {{"type": "string", "format": "date-time"}}}}}},
            "Order": {{"type": "object", "properties": {{"{field}": {{"type": "string", "nullable": true}}}}}}}}}}}}"##
    )
}

/// Returns a JSON Schema of an object with one field.
pub(super) fn draft4(field: &str) -> String {
    format!(
        r#"{{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {{"{field}": {{"type": "string"}}}}}}"#
    )
}

/// Returns a schema of OpenAPI 3.
pub fn schema(registry: &str, name: &str, content: &str) -> Schema {
    let r#type = if content.contains("openapi") { "OpenApi3" } else { "JSONSchemaDraft4" };
    let schema = Schema::builder().registry_name(registry).schema_name(name).content(content);
    schema.r#type(r#type).build().unwrap()
}

/// Creates a schema, and its registry if it does not exist.
pub(super) fn create_schema(world: &World, registry_name: &str, name: &str) -> Result<Schema> {
    let session = world.session();
    if Registry::objects(&session).get(registry_name).wait()?.is_none() {
        Registry::objects(&session).create(&registry(registry_name)).wait()?;
    }
    Schema::objects(&session).create(&schema(registry_name, name, &openapi("id"))).wait()
}

pub(super) fn created_schema_is_returned_by_get(world: &World) -> Result<()> {
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

pub(super) fn missing_required_fields_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let full = schema("r", "s", &openapi("id"));
    for field in ["RegistryName", "SchemaName", "Content", "Type"] {
        let mut lacking = full.clone();
        lacking.set(field, Value::Null)?;
        assert_eq!(
            refusal(world, || Schema::objects(&session).create(&lacking).wait()),
            expected(BAD_REQUEST, field)
        );
    }
    let mut other = full.clone();
    other.set_type("Avro")?;
    assert_eq!(
        refusal(world, || Schema::objects(&session).create(&other).wait()),
        expected(BAD_REQUEST, "Type")
    );
    let create = CreateSchema::new(openapi("id"), "r", "s", SchemaType::Unknown("Avro".into()));
    assert_eq!(create.r#type, SchemaType::Unknown("Avro".into()));
    Ok(())
}

pub(super) fn invalid_names_are_refused(world: &World) -> Result<()> {
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

pub(super) fn duplicate_name_is_refused(world: &World) -> Result<()> {
    let session = world.session();
    create_schema(world, "r", "s")?;
    let again = || Schema::objects(&session).create(&schema("r", "s", &openapi("other"))).wait();
    assert_eq!(refusal(world, again), expected(CONFLICT, ""));
    create_schema(world, "r2", "s")?;
    Ok(())
}

pub(super) fn list_returns_version_count_and_registry(world: &World) -> Result<()> {
    let session = world.session();
    for name in ["b", "a", "a.b"] {
        create_schema(world, "r", name)?;
    }
    create_schema(world, "r2", "c")?;
    let mut a = Schema::objects(&session).get("r", "a").wait()?.unwrap();
    a.set_content(openapi("other"))?;
    a.save().wait()?;
    let list = || Schema::objects(&session).list("r");
    let all = list().limit(1).results().all().wait()?;
    let listed: Vec<_> = all.iter().map(|schema| (schema.schema_name(), schema.version_count())).collect();
    assert_eq!(listed, [(Some("a"), Some(2)), (Some("a.b"), Some(1)), (Some("b"), Some(1))]);
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

pub(super) fn update_sends_only_changed_fields(world: &World) -> Result<()> {
    let session = world.session();
    let created = create_schema(world, "r", "s")?;
    world.advance(HOUR)?;
    let mut listed = Schema::objects(&session).list("r").results().first().wait()?.unwrap();
    listed.set_description("about orders")?;
    let updated = Schema::objects(&session).update(&listed).wait()?;
    assert_eq!((updated.description(), updated.schema_version()), (Some("about orders"), Some("1")));
    assert_eq!(updated.content(), created.content(), "the content is not in the listing and was not changed");
    assert_eq!(updated.version_created_date(), created.version_created_date());
    assert_eq!(updated.last_modified(), Some(world.cloud().clock().now()));

    world.advance(HOUR)?;
    let mut model = updated.clone();
    model.set_content(draft4("id"))?;
    assert_eq!(
        refusal(world, || Schema::objects(&session).update(&model).wait()),
        expected(BAD_REQUEST, "Content")
    );
    model.set_type("JSONSchemaDraft4")?;
    let updated = Schema::objects(&session).update(&model).client_token_id("once").wait()?;
    assert_eq!((updated.schema_version(), updated.r#type()), (Some("2"), Some("JSONSchemaDraft4")));
    assert_eq!(updated.version_created_date(), Some(world.cloud().clock().now()));
    assert_eq!(updated.description(), Some("about orders"));

    world.advance(HOUR)?;
    let before = world.state()?;
    Schema::objects(&session).update(&model).client_token_id("once").wait()?;
    Schema::objects(&session).update(&updated).wait()?;
    assert!(world.state()? == before, "an update without changes has no effect");
    let long = Schema::objects(&session).update(&model).client_token_id("x".repeat(37));
    assert_eq!(refusal(world, || long.wait()), expected(BAD_REQUEST, "ClientTokenId"));
    let mut lacking = updated.clone();
    lacking.set_content(None::<nephos_core::Text>)?;
    assert_eq!(
        refusal(world, || Schema::objects(&session).update(&lacking).wait()),
        expected(BAD_REQUEST, "Content")
    );
    Ok(())
}

pub(super) fn model_is_saved_and_deleted(world: &World) -> Result<()> {
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
    assert_eq!(refusal(world, || moved.save().wait()), expected(BAD_REQUEST, "RegistryName"));
    model.delete().wait()?;
    assert!(Schema::objects(&session).get("r", "s").wait()?.is_none());
    Ok(())
}

pub(super) fn delete_removes_all_versions(world: &World) -> Result<()> {
    let session = world.session();
    create_schema(world, "r", "s2")?;
    let before = world.state()?;
    let mut model = create_schema(world, "r", "s")?;
    model.set_content(openapi("b"))?;
    model.save().wait()?;
    Schema::objects(&session).delete("r", "s").wait()?;
    assert!(world.state()? == before, "all rows of the schema are removed, and no others");
    let again = create_schema(world, "r", "s")?;
    assert_eq!(again.schema_version(), Some("1"));
    Ok(())
}

pub(super) fn missing_schema_is_not_found(world: &World) -> Result<()> {
    let session = world.session();
    let schemas = || Schema::objects(&session);
    for registry_name in ["r", "q"] {
        assert!(schemas().get(registry_name, "s").wait()?.is_none());
        assert!(schemas().export(registry_name, "s").wait()?.is_none());
        assert_eq!(refusal(world, || schemas().delete(registry_name, "s").wait()), expected(NOT_FOUND, ""));
        assert_eq!(
            refusal(world, || schemas().list_versions(registry_name, "s").wait()),
            expected(NOT_FOUND, "")
        );
        let update = || schemas().update(&schema(registry_name, "s", &openapi("id"))).wait();
        assert_eq!(refusal(world, update), expected(NOT_FOUND, ""));
        if registry_name == "r" {
            let create = || schemas().create(&schema("r", "s", &openapi("id"))).wait();
            assert_eq!(refusal(world, create), expected(NOT_FOUND, ""));
            assert_eq!(
                refusal(world, || schemas().list("r").results().all().wait()),
                expected(NOT_FOUND, "")
            );
            assert_eq!(refusal(world, || schemas().search("r", "order").wait()), expected(NOT_FOUND, ""));
            Registry::objects(&session).create(&registry("q")).wait()?;
        }
    }
    Ok(())
}

pub(super) fn search_matches_names_and_documents(world: &World) -> Result<()> {
    let session = world.session();
    for (name, field) in [("shop@Order", "price"), ("shop@Cart", "PRICE"), ("bank@Payment", "amount")] {
        create_schema(world, "r", name)?;
        let mut model = Schema::objects(&session).get("r", name).wait()?.unwrap();
        model.set_content(openapi(field))?;
        model.save().wait()?;
    }
    create_schema(world, "r2", "shop@Order")?;
    let search = |keywords: &str| -> Result<Vec<(String, Vec<String>)>> {
        let found = Schema::objects(&session).search("r", keywords).limit(1).wait()?;
        let summaries = found.iter().map(|found| {
            assert_eq!(found.registry_name(), Some("r"));
            assert!(found.schema_arn().unwrap().ends_with(found.schema_name().unwrap()));
            let versions = found.schema_versions().unwrap().iter();
            let versions = versions.map(|version| version.schema_version().unwrap().to_owned()).collect();
            (found.schema_name().unwrap().to_owned(), versions)
        });
        Ok(summaries.collect())
    };
    let summary = |name: &str, versions: &[&str]| {
        (name.to_owned(), versions.iter().map(|version| (*version).to_owned()).collect::<Vec<_>>())
    };
    assert_eq!(search("price")?, [summary("shop@Cart", &["2"]), summary("shop@Order", &["2"])]);
    assert_eq!(search("SHOP cart")?, [summary("shop@Cart", &["1", "2"])]);
    assert_eq!(search("bank amount")?, [summary("bank@Payment", &["2"])]);
    assert_eq!(search("bank price")?, []);
    assert_eq!(
        refusal(world, || Schema::objects(&session).search("r", "  ").wait()),
        expected(BAD_REQUEST, "Keywords")
    );
    Ok(())
}
