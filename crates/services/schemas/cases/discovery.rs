//! Inference of a schema from events.

use super::{BAD_REQUEST, World, expected, refusal};
use nephos_core::{Result, Text};
use nephos_schemas::{Schema, SchemaType};
use serde_json::{Value, json};

fn discover_schema(world: &World, events: &[Value], r#type: SchemaType) -> Result<Value> {
    let events: Vec<_> = events.iter().map(|event| Text::from(event.to_string())).collect();
    let found = Schema::objects(&world.session()).get_discovered(events, r#type).wait()?;
    Ok(serde_json::from_str(found.content().unwrap()).unwrap())
}

pub(super) fn events_with_detail_become_envelope_and_detail(world: &World) -> Result<()> {
    let before = world.state()?;
    let event = |detail: Value| json!({ "source": "shop", "detail-type": "Order placed!", "time": "2026-01-02T03:04:05Z", "detail": detail });
    let events = [
        event(json!({ "id": 1, "note": null, "items": [{ "price": 1 }, { "price": 2.5, "gift": true }] })),
        event(json!({ "id": 2, "note": "quick", "items": [] })),
    ];
    let document = discover_schema(world, &events, SchemaType::OpenApi3)?;
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
    let schema = discover_schema(world, &events, SchemaType::JsonSchemaDraft4)?;
    assert_eq!(schema["properties"]["detail"], json!({ "$ref": "#/definitions/Orderplaced" }));
    assert!(world.state()? == before, "nothing is stored");
    Ok(())
}

pub(super) fn other_events_become_one_component(world: &World) -> Result<()> {
    let events = [json!({ "a": 1, "b": [] }), json!({ "a": "x", "source": "s" }), json!({ "a": null })];
    let document = discover_schema(world, &events, SchemaType::OpenApi3)?;
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
    let event = |detail_type: &str| json!({ "source": "s", "detail-type": detail_type, "detail": {} });
    for (name, title) in [("AWSEvent", "Event"), ("!", "Event"), ("A b", "Ab")] {
        assert_eq!(discover_schema(world, &[event(name)], SchemaType::OpenApi3)?["info"]["title"], title);
    }
    let different = discover_schema(world, &[event("a"), event("b")], SchemaType::OpenApi3)?;
    assert!(different["components"]["schemas"]["Event"].is_object());
    Ok(())
}

pub(super) fn invalid_events_are_refused(world: &World) -> Result<()> {
    let session = world.session();
    let discover = |events: &[&str], r#type: SchemaType| {
        let events: Vec<_> = events.iter().map(Text::new).collect();
        Schema::objects(&session).get_discovered(events, r#type).wait()
    };
    let open = SchemaType::OpenApi3;
    assert_eq!(refusal(world, || discover(&[], open.clone())), expected(BAD_REQUEST, "Events"));
    assert_eq!(refusal(world, || discover(&["{}"; 11], open.clone())), expected(BAD_REQUEST, "Events"));
    assert_eq!(refusal(world, || discover(&["{}", ""], open.clone())), expected(BAD_REQUEST, "Events[1]"));
    assert_eq!(refusal(world, || discover(&["{}", "[]"], open.clone())), expected(BAD_REQUEST, "Events[1]"));
    assert_eq!(refusal(world, || discover(&["{"], open.clone())), expected(BAD_REQUEST, "Events[0]"));
    let unknown = SchemaType::Unknown("Avro".into());
    assert_eq!(refusal(world, || discover(&["{}"], unknown)), expected(BAD_REQUEST, "Type"));
    discover(&["{}"; 10], open)?;
    Ok(())
}
