//! Validation of documents, and the paths of errors.

use super::{World, models::schema, registries::registry};
use nephos_core::{Error, Result};
use nephos_schemas::{Registry, Schema};
use serde_json::{Value, json};

/// Returns the path in the error of an invalid document.
fn error_path(world: &World, r#type: &str, content: &str) -> String {
    let session = world.session();
    let mut model = schema("r", "s", content);
    model.set_type(r#type).unwrap();
    let before = world.state().unwrap();
    let error = Schema::objects(&session).create(&model).wait().unwrap_err();
    assert!(world.state().unwrap() == before);
    assert_eq!((error.code(), error.field()), ("BadRequestException", Some("Content")), "{error}");
    invalid_path(&error).unwrap_or_default()
}

/// Returns the path in the document that an error has.
pub(super) fn invalid_path(error: &Error) -> Option<String> {
    let path = error.message().strip_prefix("Schema content is not valid at ")?.strip_suffix('.')?;
    Some(path.to_owned())
}

/// Returns an OpenAPI document with these components.
pub fn with_schemas(version: &str, schemas: Value) -> Value {
    json!({
        "openapi": version,
        "info": { "title": "Events", "version": "1.0.0" },
        "paths": {},
        "components": { "schemas": schemas },
    })
}

pub(super) fn invalid_openapi_document_is_refused_with_path(world: &World) -> Result<()> {
    Registry::objects(&world.session()).create(&registry("r")).wait()?;
    let valid = with_schemas("3.0.1", json!({ "A": { "type": "object" } }));
    let path_with = |pointer: &str, value: Value| {
        let mut document = valid.clone();
        let (parent, name) = pointer.rsplit_once('/').unwrap();
        let parent = document.pointer_mut(parent).unwrap().as_object_mut().unwrap();
        match value {
            Value::Null => drop(parent.remove(name)),
            value => drop(parent.insert(name.to_owned(), value)),
        }
        error_path(world, "OpenApi3", &document.to_string())
    };
    for text in ["{", "[]", "openapi: 3.0.0", "{} x"] {
        assert_eq!(error_path(world, "OpenApi3", text), "", "{text}");
    }
    for missing in ["/openapi", "/info", "/paths"] {
        assert_eq!(path_with(missing, Value::Null), "", "{missing}");
    }
    for missing in ["/info/title", "/info/version"] {
        assert_eq!(path_with(missing, Value::Null), "/info", "{missing}");
    }
    for (pointer, value) in [
        ("/openapi", json!("2.0")),
        ("/openapi", json!("3.0")),
        ("/openapi", json!("4.0.0")),
        ("/openapi", json!(3)),
        ("/info", json!([])),
        ("/info/title", json!(1)),
        ("/paths", json!([])),
        ("/paths/orders", json!({})),
        ("/components", json!([])),
        ("/components/schemas", json!([])),
        ("/components/schemas/a b", json!({})),
        ("/components/schemas/A", json!(true)),
        ("/components/schemas/A/type", json!("text")),
        ("/components/schemas/A/type", json!("null")),
        ("/components/schemas/A/type", json!(["string"])),
        ("/components/schemas/A/properties", json!([])),
        ("/components/schemas/A/minLength", json!(-1)),
        ("/components/schemas/A/maxItems", json!(1.5)),
        ("/components/schemas/A/multipleOf", json!(0)),
        ("/components/schemas/A/minimum", json!("1")),
        ("/components/schemas/A/exclusiveMinimum", json!(1)),
        ("/components/schemas/A/nullable", json!("yes")),
        ("/components/schemas/A/enum", json!([])),
        ("/components/schemas/A/allOf", json!([])),
        ("/components/schemas/A/required", json!(["a", "a"])),
        ("/components/schemas/A/title", json!(1)),
        ("/components/schemas/A/additionalProperties", json!("no")),
    ] {
        assert_eq!(path_with(pointer, value.clone()), pointer, "{value}");
    }
    let deep = json!({ "x/y": { "items": { "anyOf": [{}, { "$ref": "#/components/schemas/B" }] } } });
    let at = "/components/schemas/A/properties/x~1y/items/anyOf/1/$ref";
    assert_eq!(path_with("/components/schemas/A/properties", deep), at);
    Ok(())
}

pub(super) fn invalid_json_schema_is_refused_with_path(world: &World) -> Result<()> {
    Registry::objects(&world.session()).create(&registry("r")).wait()?;
    for (document, at) in [
        (json!([]), ""),
        (json!(true), ""),
        (json!({ "$schema": "http://json-schema.org/draft-07/schema#" }), "/$schema"),
        (json!({ "$schema": 4 }), "/$schema"),
        (json!({ "type": "text" }), "/type"),
        (json!({ "properties": { "a": { "minLength": -1 } } }), "/properties/a/minLength"),
        (json!({ "required": [] }), "/required"),
        (json!({ "definitions": { "A": { "not": { "pattern": 1 } } } }), "/definitions/A/not/pattern"),
        (json!({ "exclusiveMinimum": 1 }), "/exclusiveMinimum"),
    ] {
        assert_eq!(error_path(world, "JSONSchemaDraft4", &document.to_string()), at, "{document}");
    }
    assert_eq!(error_path(world, "JSONSchemaDraft4", "{"), "");
    Ok(())
}

pub(super) fn valid_documents_are_accepted(world: &World) -> Result<()> {
    let session = world.session();
    Registry::objects(&session).create(&registry("r")).wait()?;
    let refers =
        json!({ "A": { "$ref": "#/components/schemas/B", "type": 1 }, "B": { "$ref": "other.json#/C" } });
    let newer = json!({ "A": { "type": ["string", "null"], "exclusiveMinimum": 1 }, "B": true });
    let plain = json!({ "openapi": "3.0.3", "info": { "title": "t", "version": "v" }, "paths": { "/a": {}, "x-b": 1 } });
    let documents = [
        ("OpenApi3", plain),
        ("OpenApi3", with_schemas("3.0.0", refers)),
        ("OpenApi3", with_schemas("3.1.0", newer)),
        ("JSONSchemaDraft4", json!({})),
        (
            "JSONSchemaDraft4",
            json!({ "$schema": "http://json-schema.org/draft-04/schema", "id": "http://x/y" }),
        ),
    ];
    for (n, (r#type, document)) in documents.into_iter().enumerate() {
        let mut model = schema("r", &format!("s{n}"), &document.to_string());
        model.set_type(r#type)?;
        let created = Schema::objects(&session).create(&model).wait()?;
        assert_eq!(
            created.content(),
            Some(document.to_string().as_str()),
            "the document is stored unchanged"
        );
    }
    Ok(())
}
