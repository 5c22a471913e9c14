//! Validation of documents against the meta-schema of JSON Schema draft 4.

use crate::{
    schema::content::DocumentError,
    validation::openapi::{CheckResult, are_unique, as_list, as_object, as_text, check_each},
};
use jsonschema_regex::is_valid_ecma_regex;
use serde_json::Value;

/// Checks that a value is a schema of draft 4. Unknown keywords may have any value.
pub fn check(schema: &Value) -> CheckResult {
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
