//! Tests of `validation::metaschema`.

use nephos_schemas::validation::metaschema::check;
use proptest::prelude::*;
use serde_json::Value;
use serde_json::json;

const KEYWORDS: &[&str] = &[
    "$ref",
    "$schema",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "default",
    "definitions",
    "dependencies",
    "description",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "id",
    "items",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "properties",
    "required",
    "title",
    "type",
    "uniqueItems",
];

/// Returns values that are valid for some keywords and invalid for others.
fn values() -> Vec<Value> {
    let texts =
        ["", "a", "null", "integer", "text", "(", "[z-a]", r"\d", r"\a", "(?P<n>x)", "(?<n>x)", "a{2,1}"];
    let numbers = [
        "0",
        "-1",
        "1.0",
        "-0.0",
        "0.5",
        "1e19",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775808",
        "1e3",
        "-1e300",
        "1e300",
        "1e-400",
    ];
    let numbers = numbers.iter().map(|number| serde_json::from_str(number).unwrap());
    let mut values: Vec<Value> = texts.iter().map(|text| json!(text)).chain(numbers).collect();
    values.extend([json!(null), json!(true), json!(false), json!({}), json!([])]);
    let flat = values.clone();
    values.extend(flat.iter().flat_map(|value| [json!([value]), json!({ "a": value })]));
    values.extend([json!(["a", "b"]), json!(["a", "a"]), json!(["null", "string"]), json!(["null", "null"])]);
    values.extend([json!([{}, 1]), json!({ "type": "text" }), json!({ "a": { "minLength": -1 } })]);
    values.extend([json!({ "a": ["b", "b"] }), json!({ "a": [] }), json!([{ "type": [] }])]);
    values
}

fn assert_same(document: &Value) {
    assert_eq!(check(document).is_ok(), jsonschema::draft4::meta::is_valid(document), "{document}");
}

#[test]
fn keywords_are_checked_like_the_meta_schema() {
    values().iter().for_each(assert_same);
    for value in values() {
        for keyword in KEYWORDS {
            let document = json!({ *keyword: value });
            assert_same(&document);
            assert_same(&json!({ *keyword: value, "minimum": 1, "maximum": 2 }));
            for outer in KEYWORDS {
                for held in [document.clone(), json!([document]), json!({ "a": document })] {
                    assert_same(&json!({ *outer: held }));
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn patterns_are_checked_like_the_meta_schema(pattern in r"[\\\[\](){}?*+|^$a-c0-2<>=!:,.\-ukpdsPxi]{0,12}") {
        assert_same(&json!({ "pattern": pattern }));
    }
}
