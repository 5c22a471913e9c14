//! Discovering a schema: what a few events have in common.

use super::{BAD, World, refused, told};
use crate::{Schema, SchemaType};
use nephos_core::{Result, Text};
use serde_json::{Value, json};

fn discovered(world: &World, events: &[Value], language: SchemaType) -> Result<Value> {
    let events: Vec<_> = events.iter().map(|event| Text::from(event.to_string())).collect();
    let found = Schema::objects(&world.session()).get_discovered(events, language).wait()?;
    Ok(serde_json::from_str(found.content().unwrap()).unwrap())
}

pub(super) fn an_event_is_told_as_an_envelope_with_a_detail(world: &World) -> Result<()> {
    let before = world.state()?;
    let event = |detail: Value| json!({ "source": "shop", "detail-type": "Order placed!", "time": "2026-01-02T03:04:05Z", "detail": detail });
    let events = [
        event(json!({ "id": 1, "note": null, "items": [{ "price": 1 }, { "price": 2.5, "gift": true }] })),
        event(json!({ "id": 2, "note": "quick", "items": [] })),
    ];
    let document = discovered(world, &events, SchemaType::OpenApi3)?;
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
    let schema = discovered(world, &events, SchemaType::JsonSchemaDraft4)?;
    assert_eq!(schema["properties"]["detail"], json!({ "$ref": "#/definitions/Orderplaced" }));
    assert!(world.state()? == before, "nothing is stored");
    Ok(())
}

pub(super) fn other_objects_are_told_as_one_component(world: &World) -> Result<()> {
    let events = [json!({ "a": 1, "b": [] }), json!({ "a": "x", "source": "s" }), json!({ "a": null })];
    let document = discovered(world, &events, SchemaType::OpenApi3)?;
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
        assert_eq!(discovered(world, &[named(name)], SchemaType::OpenApi3)?["info"]["title"], title);
    }
    let different = discovered(world, &[named("a"), named("b")], SchemaType::OpenApi3)?;
    assert!(different["components"]["schemas"]["Event"].is_object());
    Ok(())
}

pub(super) fn events_are_checked(world: &World) -> Result<()> {
    let session = world.session();
    let discover = |events: &[&str], language: SchemaType| {
        let events: Vec<_> = events.iter().map(Text::new).collect();
        Schema::objects(&session).get_discovered(events, language).wait()
    };
    let open = SchemaType::OpenApi3;
    assert_eq!(refused(world, || discover(&[], open.clone())), told(BAD, "Events"));
    assert_eq!(refused(world, || discover(&["{}"; 11], open.clone())), told(BAD, "Events"));
    assert_eq!(refused(world, || discover(&["{}", ""], open.clone())), told(BAD, "Events[1]"));
    assert_eq!(refused(world, || discover(&["{}", "[]"], open.clone())), told(BAD, "Events[1]"));
    assert_eq!(refused(world, || discover(&["{"], open.clone())), told(BAD, "Events[0]"));
    let unknown = SchemaType::Unknown("Avro".into());
    assert_eq!(refused(world, || discover(&["{}"], unknown)), told(BAD, "Type"));
    discover(&["{}"; 10], open)?;
    Ok(())
}
