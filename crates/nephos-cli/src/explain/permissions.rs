//! `nephos explain --permissions`: actions, access levels, resources and condition keys of operations.

use super::{non_empty_map, services};
use nephos::{Error, Value};
use nephos_core::{
    Map, Text,
    shape::{OperationShape, ServiceShape},
};

/// Explains the permissions of the operation or service `what`, or of all services.
pub(super) fn explain(what: Option<&str>) -> Result<Value, Error> {
    services::explain(what, explain_service, explain_operation)
}

fn explain_service(service: &ServiceShape) -> Value {
    let operations = service.operations.iter().map(|operation| explain_operation(service, operation));
    non_empty_map([("service", service.name.into()), ("operations", Value::List(operations.collect()))])
}

fn explain_operation(service: &ServiceShape, operation: &OperationShape) -> Value {
    let mut explained: Map<Value> = [(Text::from("operation"), operation.name.into())].into_iter().collect();
    explained.extend(facts(service, operation));
    Value::Map(explained)
}

/// Returns what a permission check takes from the shape of an operation.
pub(super) fn facts(service: &ServiceShape, operation: &OperationShape) -> Map<Value> {
    let permission = &operation.permission;
    let further = permission.further.iter().map(|(action, template)| {
        let action =
            if action.contains(':') { (*action).to_owned() } else { format!("{}:{action}", service.signing) };
        match template.split_once('?') {
            Some((given, "")) => format!("{action} if {given} is given"),
            _ => format!("{action} on {}", resources(template).join(", ")),
        }
    });
    let facts = match permission.open {
        true => non_empty_map([("permission", "not needed: every caller may run it".into())]),
        false => non_empty_map([
            ("action", operation.action(service).into()),
            ("access", operation.access_level(service).to_string().into()),
            ("resources", list(resources(operation.subject))),
            ("furtherActions", list(further.collect())),
            ("conditionKeys", list(operation.condition_keys(service))),
        ]),
    };
    match facts {
        Value::Map(facts) => facts,
        _ => Map::default(),
    }
}

fn list<T: Into<Value>>(items: Vec<T>) -> Value {
    if items.is_empty() { Value::Null } else { Value::List(items.into_iter().map(Into::into).collect()) }
}

/// Returns the resources of a template, with the parameters that they depend on.
fn resources(template: &str) -> Vec<String> {
    let parts = template.split(" + ").map(|part| match part.split_once("? ") {
        Some((given, resource)) => format!("{resource} if {given} is given"),
        None => part.to_owned(),
    });
    parts.collect()
}
