//! Widening of a schema, so that it also describes another value.

use crate::discoverer::inference::infer_schema;
use serde_json::{Map, Value, json};

/// Widens an OpenAPI document that was inferred from events, so that it describes one more event. Returns false if the document
/// does not have the form of an inferred one: an envelope `AWSEvent` whose detail is another component.
pub(crate) fn widen_document(document: &mut Value, event: &Map<String, Value>) -> bool {
    let Some(schemas) = document.pointer_mut("/components/schemas").and_then(Value::as_object_mut) else {
        return false;
    };
    let detail = schemas.get("AWSEvent").and_then(|envelope| envelope.pointer("/properties/detail/$ref"));
    let detail = detail.and_then(Value::as_str).and_then(|path| path.strip_prefix("#/components/schemas/"));
    let Some(detail) = detail.filter(|name| schemas.contains_key(*name)).map(str::to_owned) else {
        return false;
    };
    if let Some(envelope) = schemas.get_mut("AWSEvent").and_then(Value::as_object_mut) {
        widen_object(envelope, event);
    }
    if let (Some(schema), Some(value)) = (schemas.get_mut(&detail), event.get("detail")) {
        widen(schema, value);
    }
    true
}

/// Type of a value in schemas; integers are numbers.
fn type_of(value: &Value) -> Option<&'static str> {
    match value {
        Value::Null => None,
        Value::Bool(_) => Some("boolean"),
        Value::Number(_) => Some("number"),
        Value::String(_) => Some("string"),
        Value::Array(_) => Some("array"),
        Value::Object(_) => Some("object"),
    }
}

/// True if a schema is for values of a type.
fn is_for(schema: &Value, r#type: &str) -> bool {
    let own = schema.get("type").and_then(Value::as_str);
    own == Some(r#type) || (own == Some("integer") && r#type == "number")
}

/// Widens a schema. One that is not inferred, such as a reference, stays as it is.
pub fn widen(schema: &mut Value, value: &Value) {
    let Some(members) = schema.as_object_mut() else { return };
    if let Some(choices) = members.get_mut("anyOf").and_then(Value::as_array_mut) {
        return widen_choice(choices, value);
    }
    if members.is_empty() {
        *schema = infer_schema(&[value]);
    } else if members.contains_key("type") {
        let mut choices = vec![schema.take()];
        widen_choice(&mut choices, value);
        *schema = match choices.len() {
            1 => choices.remove(0),
            _ => json!({ "anyOf": choices }),
        };
    }
}

/// Widens the schema among `choices` that is for values of this type, or adds one.
fn widen_choice(choices: &mut Vec<Value>, value: &Value) {
    let Some(r#type) = type_of(value) else {
        let is_nullable = choices.iter().any(|choice| choice.get("nullable") == Some(&true.into()));
        if let (false, Some(first)) = (is_nullable, choices.first_mut()) {
            first["nullable"] = true.into();
        }
        return;
    };
    let found = choices.iter_mut().find(|choice| is_for(choice, r#type));
    let Some(schema) = found.and_then(Value::as_object_mut) else {
        return choices.push(infer_schema(&[value]));
    };
    match value {
        Value::Object(object) => widen_object(schema, object),
        Value::Array(items) => {
            if let Some(schema) = schema.get_mut("items") {
                items.iter().for_each(|item| widen(schema, item));
            }
        }
        // What the new value has in common with the former ones.
        value => {
            let inferred = infer_schema(&[value]);
            if schema.get("type") != inferred.get("type") {
                schema.insert("type".to_owned(), r#type.into());
            }
            if schema.get("format") != inferred.get("format") {
                schema.shift_remove("format");
            }
        }
    }
}

/// Widens the schema of an object: members that it lacks are no longer required, and new ones are added.
fn widen_object(schema: &mut Map<String, Value>, object: &Map<String, Value>) {
    if let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut) {
        required.retain(|name| name.as_str().is_some_and(|name| object.contains_key(name)));
        if required.is_empty() {
            schema.shift_remove("required");
        }
    }
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else { return };
    for (name, value) in object {
        match properties.get_mut(name) {
            Some(schema) => widen(schema, value),
            None => drop(properties.insert(name.clone(), infer_schema(&[value]))),
        }
    }
}
