//! Export of OpenAPI 3 as JSON Schema draft 4.

use super::{
    BAD_REQUEST, World,
    documents::{invalid_path, with_schemas},
    expected,
    models::{create_schema, draft4, openapi, schema},
    refusal,
    registries::registry,
};
use nephos_core::{Result, prelude::*};
use nephos_schemas::{Registry, Schema};
use serde_json::{Value, json};

/// Creates a schema with the document, and exports it.
fn export_document(world: &World, document: &Value) -> Result<Value> {
    let session = world.session();
    if Registry::objects(&session).get("r").wait()?.is_none() {
        Registry::objects(&session).create(&registry("r")).wait()?;
    }
    let name = format!("s{}", Schema::objects(&session).list("r").results().count().wait()?);
    Schema::objects(&session).create(&schema("r", &name, &document.to_string())).wait()?;
    let before = world.state()?;
    let exported = Schema::objects(&session).export("r", name).wait();
    assert!(world.state()? == before);
    Ok(serde_json::from_str(exported?.unwrap().content().unwrap()).unwrap())
}

/// Exports a document with one component, and returns the converted component.
fn convert_component(world: &World, version: &str, schema: Value) -> Result<Value> {
    let mut root = export_document(world, &with_schemas(version, json!({ "A": schema })))?;
    let members = root.as_object_mut().unwrap();
    assert_eq!(members.shift_remove("$schema").unwrap(), "http://json-schema.org/draft-04/schema#");
    assert_eq!(members.shift_remove("title").unwrap(), "Events");
    Ok(root)
}

pub(super) fn envelope_becomes_root_of_export(world: &World) -> Result<()> {
    let schema = create_schema(world, "r", "s")?;
    let export = schema.export().wait()?.unwrap();
    assert_eq!((export.schema_name(), export.schema_version()), (Some("s"), Some("1")));
    assert_eq!((export.schema_arn(), export.r#type()), (schema.schema_arn(), Some("JSONSchemaDraft4")));
    let expected = json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "title": "Order",
        "definitions": {
            "Order": { "type": "object", "properties": { "id": { "type": ["string", "null"] } } },
        },
        "type": "object",
        "required": ["detail"],
        "x-amazon-events-source": "shop",
        "properties": {
            "detail": { "$ref": "#/definitions/Order" },
            "time": { "type": "string", "format": "date-time" },
        },
    });
    assert_eq!(export.content(), Some(expected.to_string().as_str()), "the order of members is kept");
    let mut model = schema.clone();
    model.set_content(openapi("other"))?;
    model.save().wait()?;
    let old = schema.export().schema_version("1").wait()?.unwrap();
    assert_eq!((old.content(), old.schema_version()), (export.content(), Some("1")));
    assert!(schema.export().wait()?.unwrap().content().unwrap().contains("other"));
    assert!(schema.export().schema_version("3").wait()?.is_none());
    Ok(())
}

pub(super) fn openapi_3_0_keywords_are_converted(world: &World) -> Result<()> {
    for (from, to) in [
        (json!({ "type": "string", "nullable": false }), json!({ "type": "string" })),
        (json!({ "nullable": true }), json!({})),
        (
            json!({ "type": "integer", "nullable": true, "enum": [1, 2, 1] }),
            json!({ "type": ["integer", "null"], "enum": [1, 2] }),
        ),
        (
            json!({ "minimum": 1, "exclusiveMinimum": true }),
            json!({ "minimum": 1, "exclusiveMinimum": true }),
        ),
        (json!({ "minimum": 1, "exclusiveMinimum": false }), json!({ "minimum": 1 })),
        (json!({ "exclusiveMaximum": true }), json!({})),
        (json!({ "maximum": 2.5 }), json!({ "maximum": 2.5 })),
        (json!({ "required": [] }), json!({})),
        (
            json!({ "discriminator": {}, "xml": {}, "example": 1, "externalDocs": {}, "readOnly": true, "writeOnly": true,
                "deprecated": true, "x-mine": 1, "const": 1, "patternProperties": { "a": {} }, "if": {} }),
            json!({}),
        ),
        (
            json!({ "items": { "type": "string", "nullable": true }, "additionalProperties": { "readOnly": true },
                "allOf": [{ "xml": {} }], "not": { "example": 1 }, "properties": { "example": { "example": 1 } } }),
            json!({ "items": { "type": ["string", "null"] }, "additionalProperties": {},
                "allOf": [{}], "not": {}, "properties": { "example": {} } }),
        ),
        (
            json!({ "additionalProperties": false, "default": { "xml": 1 } }),
            json!({ "additionalProperties": false, "default": { "xml": 1 } }),
        ),
    ] {
        assert_eq!(convert_component(world, "3.0.0", from.clone())?, to, "{from}");
    }
    Ok(())
}

pub(super) fn openapi_3_1_keywords_are_converted(world: &World) -> Result<()> {
    for (from, to) in [
        (json!({ "type": ["string", "null"] }), json!({ "type": ["string", "null"] })),
        (json!({ "exclusiveMinimum": 3 }), json!({ "minimum": 3, "exclusiveMinimum": true })),
        (json!({ "minimum": 5, "exclusiveMinimum": 3 }), json!({ "minimum": 5 })),
        (json!({ "minimum": 3, "exclusiveMinimum": 3 }), json!({ "minimum": 3, "exclusiveMinimum": true })),
        (json!({ "maximum": 3, "exclusiveMaximum": 5 }), json!({ "maximum": 3 })),
        (json!({ "maximum": 5, "exclusiveMaximum": 3 }), json!({ "maximum": 3, "exclusiveMaximum": true })),
        (json!({ "const": 1, "allOf": [{}] }), json!({ "allOf": [{}, { "enum": [1] }] })),
        (
            json!({ "properties": { "a": true, "b": false } }),
            json!({ "properties": { "a": {}, "b": { "not": {} } } }),
        ),
        (
            json!({ "patternProperties": { "a": { "examples": [1] } } }),
            json!({ "patternProperties": { "a": {} } }),
        ),
        (json!({ "nullable": true, "type": "string" }), json!({ "type": "string" })),
    ] {
        assert_eq!(convert_component(world, "3.1.0", from.clone())?, to, "{from}");
    }
    let beside =
        json!({ "A": { "$ref": "#/components/schemas/B", "minLength": 1 }, "B": { "type": "string" } });
    let root = export_document(world, &with_schemas("3.1.0", beside))?;
    assert_eq!((&root["minLength"], &root["allOf"]), (&json!(1), &json!([{ "$ref": "#/definitions/B" }])));
    Ok(())
}

pub(super) fn unreferenced_component_becomes_root(world: &World) -> Result<()> {
    let refer = |name: &str| json!({ "$ref": format!("#/components/schemas/{name}") });
    let tree = json!({ "A": { "items": refer("B") }, "B": { "minLength": 1, "not": refer("B") } });
    let root = export_document(world, &with_schemas("3.0.0", tree))?;
    assert_eq!(root["items"], json!({ "$ref": "#/definitions/B" }));
    assert_eq!(root["definitions"], json!({ "B": { "minLength": 1, "not": { "$ref": "#/definitions/B" } } }));

    let several =
        export_document(world, &with_schemas("3.0.0", json!({ "A": {}, "B": { "minLength": 1 } })))?;
    assert_eq!(several["definitions"], json!({ "A": {}, "B": { "minLength": 1 } }));
    assert_eq!(several.as_object().unwrap().len(), 3);

    let itself = json!({ "A": { "properties": { "a": refer("A") } } });
    let itself = export_document(world, &with_schemas("3.0.0", itself))?;
    assert_eq!(itself["definitions"]["A"]["properties"], itself["properties"]);

    let only_refers = json!({ "AWSEvent": refer("B"), "B": { "minLength": 1 }, "C": {} });
    let only_refers = export_document(world, &with_schemas("3.0.0", only_refers))?;
    assert_eq!(only_refers["allOf"], json!([{ "$ref": "#/definitions/B" }]));
    Ok(())
}

pub(super) fn unsupported_document_is_refused_with_path(world: &World) -> Result<()> {
    let plain = json!({ "openapi": "3.0.3", "info": { "title": "t", "version": "v" }, "paths": {} });
    let document = |version, schema| with_schemas(version, json!({ "A": schema }));
    let inner = "#/components/schemas/A/example/x";
    for (document, at) in [
        (plain, "/components"),
        (document("3.0.0", json!({ "items": { "$ref": "other.json" } })), "/components/schemas/A/items/$ref"),
        (document("3.0.0", json!({ "not": { "$ref": "#/info" } })), "/components/schemas/A/not/$ref"),
        (document("3.1.0", json!({ "not": { "if": {} } })), "/components/schemas/A/not/if"),
        (
            document("3.0.0", json!({ "example": { "x": {} }, "not": { "$ref": inner } })),
            "/definitions/A/not/$ref",
        ),
        (document("3.0.0", json!({ "pattern": "(" })), "/pattern"),
    ] {
        let error = export_document(world, &document).unwrap_err();
        assert_eq!((error.code(), error.field()), (BAD_REQUEST, Some("Content")), "{error}");
        assert_eq!(invalid_path(&error).as_deref(), Some(at), "{error}");
    }
    Ok(())
}

pub(super) fn document_is_exported_unchanged_as_its_own_type(world: &World) -> Result<()> {
    let session = world.session();
    create_schema(world, "r", "o")?;
    Schema::objects(&session).create(&schema("r", "j", &draft4("id"))).wait()?;
    let export = |name: &str, r#type: &str| Schema::objects(&session).export("r", name).r#type(r#type).wait();
    assert_eq!(export("o", "OpenApi3")?.unwrap().content(), Some(openapi("id").as_str()));
    assert_eq!(export("j", "JSONSchemaDraft4")?.unwrap().content(), Some(draft4("id").as_str()));
    assert_eq!(refusal(world, || export("j", "OpenApi3")), expected(BAD_REQUEST, "Type"));
    assert_eq!(refusal(world, || export("o", "Avro")), expected(BAD_REQUEST, "Type"));
    Ok(())
}
