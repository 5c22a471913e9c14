//! Secret values that are not shown.

use super::Columns;
use crate::{env::Environment, exit::CmdResult};
use nephos::{Error, SecretText, Value};

/// Returns true if values of the answer are hidden. If nothing but them was selected, and a program reads the output, it is
/// an error: the program would take the placeholder for the value.
pub(super) fn check(
    value: &Value,
    queried: Option<&Value>,
    columns: &Columns,
    env: &Environment<'_>,
) -> CmdResult<bool> {
    if !contains_secret(value) {
        return Ok(false);
    }
    let is_selected = match queried {
        Some(queried) => contains_text(queried, &SecretText::from("").to_string()),
        None => columns.is_chosen() || !matches!(value, Value::Map(_)),
    };
    if is_selected && env.terminal.width.is_none() {
        return Err(
            Error::invalid("--show-values", "secret values are hidden; add this flag to show them").into()
        );
    }
    Ok(queried.is_none() || is_selected)
}

fn contains_secret(value: &Value) -> bool {
    match value {
        Value::Secret(_) => true,
        Value::List(items) => items.iter().any(contains_secret),
        Value::Map(fields) => fields.values().any(contains_secret),
        _ => false,
    }
}

fn contains_text(value: &Value, wanted: &str) -> bool {
    match value {
        Value::Text(text) => text == wanted,
        Value::List(items) => items.iter().any(|item| contains_text(item, wanted)),
        Value::Map(fields) => fields.values().any(|field| contains_text(field, wanted)),
        _ => false,
    }
}
