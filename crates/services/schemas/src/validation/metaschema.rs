//! Validation of documents against the meta-schema of JSON Schema draft 4.

use crate::{
    schema::content::DocumentError,
    validation::openapi::{CheckResult, are_unique, as_list, as_object, as_text, check_each},
};
use jsonschema_regex::is_valid_ecma_regex;
use serde_json::Value;

/// Checks that a value is a schema of draft 4. Unknown keywords may have any value.
pub(crate) fn check(schema: &Value) -> CheckResult {
    let keywords = as_object(schema)?;
    keywords
        .iter()
        .try_for_each(|(name, value)| check_keyword(name, value).map_err(|error| error.in_field(name)))?;
    for (exclusive, bound) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
        if keywords.contains_key(exclusive) && !keywords.contains_key(bound) {
            return Err(DocumentError::new(format!("must have {bound} if it has {exclusive}")));
        }
    }
    Ok(())
}

fn check_keyword(name: &str, value: &Value) -> CheckResult {
    match name {
        "id" | "$schema" | "title" | "description" | "format" => as_text(value).map(drop),
        "pattern" => ensure(is_valid_ecma_regex(as_text(value)?), "a regular expression (ECMAScript)"),
        "minimum" | "maximum" => ensure(value.is_number(), "a number"),
        "multipleOf" => ensure(value.as_f64().is_some_and(|number| number > 0.0), "a number greater than 0"),
        "exclusiveMinimum" | "exclusiveMaximum" | "uniqueItems" => {
            ensure(value.is_boolean(), "true or false")
        }
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            ensure(is_count(value), "a whole number of 0 or more")
        }
        "enum" => as_list(value).map(drop),
        "required" => check_strings(value),
        "type" => check_types(value),
        "additionalItems" | "additionalProperties" if value.is_boolean() => Ok(()),
        "not" | "additionalItems" | "additionalProperties" => check(value),
        "items" if !value.is_array() => check(value),
        "items" | "allOf" | "anyOf" | "oneOf" => {
            ensure(!as_list(value)?.is_empty(), "a list of at least one schema")?;
            check_each(as_list(value)?, check)
        }
        "definitions" | "properties" | "patternProperties" => check_members(value, check),
        "dependencies" => {
            check_members(value, |value| if value.is_array() { check_strings(value) } else { check(value) })
        }
        _ => Ok(()),
    }
}

/// True for a non-negative integer. An integer of more than 64 bits was parsed as a float.
fn is_count(value: &Value) -> bool {
    value.is_u64() || value.as_f64().is_some_and(|number| number >= 2f64.powi(63))
}

fn ensure(condition: bool, expected: &str) -> CheckResult {
    if condition { Ok(()) } else { Err(DocumentError::new(format!("must be {expected}"))) }
}

fn check_members(value: &Value, check: impl Fn(&Value) -> CheckResult) -> CheckResult {
    as_object(value)?.iter().try_for_each(|(name, value)| check(value).map_err(|error| error.in_field(name)))
}

fn check_strings(value: &Value) -> CheckResult {
    let items = as_list(value)?;
    check_each(items, |item| as_text(item).map(drop))?;
    ensure(!items.is_empty() && are_unique(items), "a non-empty list of unique strings")
}

fn check_types(value: &Value) -> CheckResult {
    let one = |value: &Value| {
        let types = ["array", "boolean", "integer", "null", "number", "object", "string"];
        ensure(types.contains(&as_text(value)?), "a type")
    };
    if !value.is_array() {
        return one(value);
    }
    check_strings(value)?;
    check_each(as_list(value)?, one)
}

#[cfg(test)]
mod tests {
    use super::check;
    use proptest::prelude::*;
    use serde_json::{Value, json};

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
        values.extend([
            json!(["a", "b"]),
            json!(["a", "a"]),
            json!(["null", "string"]),
            json!(["null", "null"]),
        ]);
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
}
