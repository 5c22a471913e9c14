//! Discovering a schema: what a few events have in common.

use crate::{BAD, refused, told};
use nephos::{Cloud, Result, Schema, Text, services::schemas::SchemaType};
use proptest::prelude::*;
use serde_json::{Value, json};

crate::cases! {
    an_event_is_told_as_an_envelope_with_a_detail, other_objects_are_told_as_one_component, events_are_checked,
}

fn discovered(cloud: &Cloud, events: &[Value], language: SchemaType) -> Result<Value> {
    let events: Vec<_> = events.iter().map(|event| Text::from(event.to_string())).collect();
    let found = Schema::objects(&cloud.session()).get_discovered(events, language).wait()?;
    Ok(serde_json::from_str(found.content().unwrap()).unwrap())
}

fn an_event_is_told_as_an_envelope_with_a_detail(cloud: &Cloud) -> Result<()> {
    let before = cloud.rows()?;
    let event = |detail: Value| json!({ "source": "shop", "detail-type": "Order placed!", "time": "2026-01-02T03:04:05Z", "detail": detail });
    let events = [
        event(json!({ "id": 1, "note": null, "items": [{ "price": 1 }, { "price": 2.5, "gift": true }] })),
        event(json!({ "id": 2, "note": "quick", "items": [] })),
    ];
    let document = discovered(cloud, &events, SchemaType::OpenApi3)?;
    let order = json!({
        "type": "object",
        "required": ["id", "note", "items"],
        "properties": {
            "id": { "type": "integer" },
            "note": { "type": "string", "nullable": true },
            "items": { "type": "array", "items": {
                "type": "object",
                "required": ["price"],
                "properties": { "price": { "type": "number" }, "gift": { "type": "boolean" } },
            } },
        },
    });
    assert_eq!(document["info"]["title"], "Orderplaced");
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["Orderplaced"], order);
    let envelope = &schemas["AWSEvent"];
    assert_eq!(envelope["required"], json!(["source", "detail-type", "time", "detail"]));
    assert_eq!(envelope["properties"]["detail"], json!({ "$ref": "#/components/schemas/Orderplaced" }));
    assert_eq!(envelope["properties"]["time"], json!({ "type": "string", "format": "date-time" }));
    assert_eq!(envelope["x-amazon-events-detail-type"], "Order placed!");
    let schema = discovered(cloud, &events, SchemaType::JsonSchemaDraft4)?;
    assert_eq!(schema["properties"]["detail"], json!({ "$ref": "#/definitions/Orderplaced" }));
    assert!(cloud.rows()? == before, "nothing is stored");
    Ok(())
}

fn other_objects_are_told_as_one_component(cloud: &Cloud) -> Result<()> {
    let events = [json!({ "a": 1, "b": [] }), json!({ "a": "x", "source": "s" }), json!({ "a": null })];
    let document = discovered(cloud, &events, SchemaType::OpenApi3)?;
    let expected = json!({
        "type": "object",
        "required": ["a"],
        "properties": {
            "a": { "anyOf": [{ "type": "string", "nullable": true }, { "type": "integer" }] },
            "b": { "type": "array", "items": {} },
            "source": { "type": "string" },
        },
    });
    assert_eq!(document["components"]["schemas"], json!({ "Event": expected }));
    let named = |detail_type: &str| json!({ "source": "s", "detail-type": detail_type, "detail": {} });
    for (name, title) in [("AWSEvent", "Event"), ("!", "Event"), ("A b", "Ab")] {
        assert_eq!(discovered(cloud, &[named(name)], SchemaType::OpenApi3)?["info"]["title"], title);
    }
    let different = discovered(cloud, &[named("a"), named("b")], SchemaType::OpenApi3)?;
    assert!(different["components"]["schemas"]["Event"].is_object());
    Ok(())
}

fn events_are_checked(cloud: &Cloud) -> Result<()> {
    let session = cloud.session();
    let discover = |events: &[&str], language: SchemaType| {
        let events: Vec<_> = events.iter().map(Text::new).collect();
        Schema::objects(&session).get_discovered(events, language).wait()
    };
    let open = SchemaType::OpenApi3;
    assert_eq!(refused(cloud, || discover(&[], open.clone())), told(BAD, "Events"));
    assert_eq!(refused(cloud, || discover(&["{}"; 11], open.clone())), told(BAD, "Events"));
    assert_eq!(refused(cloud, || discover(&["{}", ""], open.clone())), told(BAD, "Events[1]"));
    assert_eq!(refused(cloud, || discover(&["{}", "[]"], open.clone())), told(BAD, "Events[1]"));
    assert_eq!(refused(cloud, || discover(&["{"], open.clone())), told(BAD, "Events[0]"));
    let unknown = SchemaType::Unknown("Avro".into());
    assert_eq!(refused(cloud, || discover(&["{}"], unknown)), told(BAD, "Type"));
    discover(&["{}"; 10], open)?;
    Ok(())
}

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
    fn every_event_keeps_the_schema_made_of_it(details in proptest::collection::vec(value(), 1..5), envelope: bool) {
        let cloud = Cloud::in_memory();
        let event = |detail: &Value| {
            if envelope { json!({ "source": "s", "detail-type": "t", "detail": detail }) } else { json!({ "x": detail }) }
        };
        let events: Vec<_> = details.iter().map(event).collect();
        let schema = discovered(&cloud, &events, SchemaType::JsonSchemaDraft4).unwrap();
        let validator = jsonschema::draft4::new(&schema).unwrap();
        for event in &events {
            prop_assert!(validator.is_valid(event), "{event} does not keep {schema}");
        }
    }
}
