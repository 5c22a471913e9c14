//! Property tests with random documents, events and changes.

use nephos_core::Text;
use nephos_schemas::{Registry, Schema, SchemaType};
use nephos_schemas_cases::{
    Cloud,
    documents::with_schemas,
    models::{openapi, schema},
    registries::registry,
};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

/// Returns a strategy for schemas of an OpenAPI 3.0 document with the components A, B and C.
fn component() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        "[ABC]".prop_map(|name| json!({ "$ref": format!("#/components/schemas/{name}") })),
        ("string|integer|number|boolean|object|array", any::<bool>())
            .prop_map(|(kind, nullable)| json!({ "type": kind, "nullable": nullable })),
        (any::<i32>(), any::<bool>(), any::<bool>()).prop_map(
            |(n, low, high)| json!({ "minimum": n, "exclusiveMinimum": low, "exclusiveMaximum": high })
        ),
        proptest::collection::vec(0..3i32, 1..5).prop_map(|values| json!({ "enum": values, "example": 1 })),
        proptest::collection::hash_set("[a-c]", 0..3)
            .prop_map(|names| json!({ "required": names, "xml": {} })),
        (0..9u32, "[a-z]{0,3}")
            .prop_map(|(n, title)| json!({ "maxLength": n, "title": title, "readOnly": true })),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::hash_map("[a-z]{1,3}", inner.clone(), 0..4)
                .prop_map(|members| json!({ "type": "object", "properties": members })),
            inner.clone().prop_map(|items| json!({ "type": "array", "items": items, "uniqueItems": true })),
            proptest::collection::vec(inner.clone(), 1..4)
                .prop_map(|all| json!({ "oneOf": all, "discriminator": {} })),
            inner.prop_map(|rest| json!({ "additionalProperties": rest, "description": "d" })),
        ]
    })
}

fn cloud_with_registry() -> Cloud {
    let cloud = Cloud::in_memory();
    Registry::objects(&cloud.session()).create(&registry("r")).wait().unwrap();
    cloud
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn accepted_documents_are_exported_as_valid_draft_4(a in component(), b in component(), c in component()) {
        let cloud = cloud_with_registry();
        let document = with_schemas("3.0.3", json!({ "A": a, "B": b, "C": c })).to_string();
        let created = Schema::objects(&cloud.session()).create(&schema("r", "s", &document)).wait().unwrap();
        let export = created.export().wait().unwrap().unwrap();
        let exported: Value = serde_json::from_str(export.content().unwrap()).unwrap();
        prop_assert!(jsonschema::draft4::meta::is_valid(&exported), "{exported}");
        // A validator can be built: every reference exists.
        prop_assert!(jsonschema::draft4::new(&exported).is_ok(), "{exported}");
        let text = exported.to_string();
        for word in ["nullable", "\"example\":1", "discriminator\":{", "readOnly\":true", "#/components"] {
            prop_assert!(!text.contains(word), "{word} in {text}");
        }
    }

    #[test]
    fn code_is_generated_from_every_accepted_document(a in component(), b in component(), name in "[a-zA-Z0-9@._-]{1,9}") {
        let cloud = cloud_with_registry();
        let schemas = Schema::objects(&cloud.session());
        let document = with_schemas("3.0.3", json!({ "A": a, "B": b, "C": {} })).to_string();
        schemas.create(&schema("r", &name, &document)).wait().unwrap();
        for language in ["Python36", "Java8", "TypeScript3", "Go1"] {
            schemas.put_code_binding("r", name.as_str(), language).wait().unwrap();
            let source = schemas.get_code_binding_source("r", name.as_str(), language).wait().unwrap().unwrap();
            prop_assert!(source.body().unwrap().0.starts_with(b"PK"));
        }
    }

    #[test]
    fn version_numbers_and_counts_match_history(changes in proptest::collection::vec((0..4u8, 0..4usize), 1..24)) {
        let cloud = cloud_with_registry();
        let session = cloud.session();
        let mut model = Schema::objects(&session).create(&schema("r", "s", &openapi("f0"))).wait().unwrap();
        // The expected versions, with number and document, and the highest number so far.
        let (mut versions, mut last) = (vec![(1, openapi("f0"))], 1);
        for (change, n) in changes {
            if change == 0 {
                let number = versions[n % versions.len()].0;
                let delete = || Schema::objects(&session).delete_version("r", "s", number.to_string()).wait();
                if versions.len() == 1 {
                    let before = cloud.rows().unwrap();
                    delete().unwrap_err();
                    prop_assert!(cloud.rows().unwrap() == before);
                } else {
                    delete().unwrap();
                    versions.retain(|(other, _)| *other != number);
                }
            } else {
                let content = openapi(&format!("f{n}"));
                model.set_content(content.as_str()).unwrap();
                model = Schema::objects(&session).update(&model).wait().unwrap();
                // An unchanged model sends no update, so a new model with the same content is sent.
                let built = schema("r", "s", &content);
                model = Schema::objects(&session).update(&built).wait().unwrap_or(model);
                if versions.last().is_none_or(|(_, newest)| *newest != content) {
                    last += 1;
                    versions.push((last, content));
                }
            }
            let listed = Schema::objects(&session).list_versions("r", "s").limit(2).wait().unwrap();
            let numbers: Vec<_> = listed.iter().map(|version| version.schema_version().unwrap().to_owned()).collect();
            let expected: Vec<_> = versions.iter().map(|(number, _)| number.to_string()).collect();
            prop_assert_eq!(&numbers, &expected);
            let summary = Schema::objects(&session).list("r").results().first().wait().unwrap().unwrap();
            prop_assert_eq!(summary.version_count(), Some(versions.len() as i64));
            let newest = Schema::objects(&session).get("r", "s").wait().unwrap().unwrap();
            prop_assert_eq!(newest.content(), versions.last().map(|(_, content)| content.as_str()));
        }
    }

    #[test]
    fn arbitrary_documents_do_not_panic(text in "\\PC{0,40}", members in proptest::collection::hash_map("[a-z$]{1,8}", any::<i8>(), 0..4)) {
        let cloud = cloud_with_registry();
        let members: Map<String, Value> = members.into_iter().map(|(key, value)| (key, value.into())).collect();
        for content in [text, with_schemas("3.1.0", json!({ "A": members })).to_string()] {
            for r#type in ["OpenApi3", "JSONSchemaDraft4"] {
                let Ok(model) = Schema::builder().registry_name("r").schema_name("s").content(content.as_str()).r#type(r#type).build() else { continue };
                if let Ok(created) = Schema::objects(&cloud.session()).create(&model).wait() {
                    let _ = created.export().wait();
                    created.delete().wait().unwrap();
                }
            }
        }
    }
}

/// Returns a strategy for any JSON value.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i16>().prop_map(Value::from),
        (-100.0..100.0f64).prop_map(Value::from),
        "[a-z]{0,3}".prop_map(Value::from),
        Just(json!("2026-01-02T03:04:05.5+01:00")),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::hash_map("[a-c$]{1,2}", inner, 0..4).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn events_match_schema_inferred_from_them(details in proptest::collection::vec(value(), 1..5), envelope: bool) {
        let cloud = Cloud::in_memory();
        let event = |detail: &Value| {
            if envelope { json!({ "source": "s", "detail-type": "t", "detail": detail }) } else { json!({ "x": detail }) }
        };
        let events: Vec<_> = details.iter().map(event).collect();
        let texts: Vec<_> = events.iter().map(|event| Text::from(event.to_string())).collect();
        let found = Schema::objects(&cloud.session()).get_discovered(texts, SchemaType::JsonSchemaDraft4).wait().unwrap();
        let schema: Value = serde_json::from_str(found.content().unwrap()).unwrap();
        let validator = jsonschema::draft4::new(&schema).unwrap();
        for event in &events {
            prop_assert!(validator.is_valid(event), "{event} does not match {schema}");
        }
    }
}
