//! Secret values that are not shown.

use super::{Columns, Query};
use crate::{env::Environment, exit::CmdResult};
use nephos::{Error, Value};

/// Returns true if values of the answer are hidden. If nothing but them was selected, and a program reads the output, it is
/// an error: the program would take the placeholder for the value.
pub(super) fn check(
    value: &Value,
    queried: Option<&Value>,
    columns: &Columns,
    env: &Environment<'_>,
) -> CmdResult<bool> {
    let is_hidden = contains_secret(queried.unwrap_or(value));
    let is_selected = queried.is_some() || columns.is_chosen() || !matches!(value, Value::Map(_));
    if is_hidden && is_selected && env.terminal.width.is_none() {
        return Err(refusal().into());
    }
    Ok(is_hidden)
}

/// Returns an error if a query or selected fields name a value of an answer that would be hidden. `example` is an answer with
/// all values that there can be.
pub(super) fn check_names(
    example: &Value,
    query: Option<&Query>,
    columns: &Columns,
    env: &Environment<'_>,
) -> CmdResult {
    let mut names = Vec::new();
    secret_names(example, &mut names);
    let is_named = |name: &&str| match query {
        Some(query) => query.mentions(name),
        None => columns.is_chosen(),
    };
    if !names.iter().any(is_named) {
        return Ok(());
    }
    match query.map(|query| query.apply(example)).transpose() {
        Ok(queried) => check(example, queried.as_ref(), columns, env).map(drop),
        Err(error) if error.field() == Some(FLAG) => Err(error.into()),
        // A function may need values that the example does not have.
        Err(_) => Ok(()),
    }
}

/// Flag that shows hidden values.
const FLAG: &str = "--show-values";

/// Returns the error for a result that needs a hidden value.
pub(super) fn refusal() -> Error {
    Error::invalid(FLAG, "secret values are hidden; add this flag to show them")
}

/// True if a part of the value is a secret.
pub(crate) fn contains_secret(value: &Value) -> bool {
    match value {
        Value::Secret(_) => true,
        Value::List(items) => items.iter().any(contains_secret),
        Value::Map(fields) => fields.values().any(contains_secret),
        _ => false,
    }
}

/// Collects the names of the fields that have secrets.
fn secret_names<'v>(value: &'v Value, names: &mut Vec<&'v str>) {
    match value {
        Value::List(items) => items.iter().for_each(|item| secret_names(item, names)),
        Value::Map(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Secret(_) => names.push(name),
                    value => secret_names(value, names),
                }
            }
        }
        _ => {}
    }
}
