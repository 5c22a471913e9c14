//! Tests of `discoverer::widen`.

use nephos_schemas::parts::inference::infer_schema;
use nephos_schemas::parts::widen::*;
use serde_json::{Value, json};

/// Schema that is inferred from the first value and widened by the others.
fn widened(values: &[Value]) -> Value {
    let mut schema = infer_schema(&[&values[0]]);
    values[1..].iter().for_each(|value| widen(&mut schema, value));
    schema
}

#[test]
fn widened_schema_describes_all_values() {
    let table = [
        (vec![json!(1), json!(2)], json!({ "type": "integer" })),
        (vec![json!(1), json!(2.5), json!(3)], json!({ "type": "number" })),
        (vec![json!(1), json!(null)], json!({ "type": "integer", "nullable": true })),
        (vec![json!(null), json!("x")], json!({ "type": "string" })),
        (
            vec![json!(1), json!("x"), json!(2), json!(null), json!(null)],
            json!({ "anyOf": [{ "type": "integer", "nullable": true }, { "type": "string" }] }),
        ),
        (
            vec![json!("2026-01-02T03:04:05Z"), json!("2026-01-03T03:04:05Z")],
            json!({ "type": "string", "format": "date-time" }),
        ),
        (vec![json!("2026-01-02T03:04:05Z"), json!("soon")], json!({ "type": "string" })),
        (
            vec![json!([]), json!([1]), json!([2.5])],
            json!({ "type": "array", "items": { "type": "number" } }),
        ),
        (
            vec![json!({ "a": 1, "b": 1 }), json!({ "a": "x", "c": true })],
            json!({
                "type": "object",
                "required": ["a"],
                "properties": {
                    "a": { "anyOf": [{ "type": "integer" }, { "type": "string" }] },
                    "b": { "type": "integer" },
                    "c": { "type": "boolean" },
                },
            }),
        ),
        (
            vec![json!({ "a": 1 }), json!({})],
            json!({ "type": "object", "properties": { "a": { "type": "integer" } } }),
        ),
    ];
    for (values, expected) in table {
        assert_eq!(widened(&values), expected, "{values:?}");
    }
}

#[test]
fn schemas_that_are_not_inferred_stay() {
    for schema in [json!({ "$ref": "#/x" }), json!({ "allOf": [] }), json!(true)] {
        let mut widened = schema.clone();
        widen(&mut widened, &json!(1));
        assert_eq!(widened, schema);
    }
}
