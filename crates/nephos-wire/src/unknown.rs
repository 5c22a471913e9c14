//! Members of requests that an operation does not have. They are ignored; a server notes them in its log.

use crate::{HttpRequest, Route, dialect::Dialect, query, uri};
use nephos_core::{
    Type, Value, json,
    shape::{Location, Protocol, RecordShape},
};

/// Maximum number of paths that are returned.
const MAX_PATHS: usize = 20;

/// Returns the paths of the members of a request that its operation does not have: `entity`, `logEvents[].severity`. The
/// first 20 are enough to find a mistake.
pub fn unknown_members(route: Route, message: &HttpRequest) -> Vec<String> {
    let mut found = match route.service.protocol {
        Protocol::AwsJson { .. } => in_body(route, message),
        Protocol::RestJson => [in_body(route, message), in_query(route, message)].concat(),
        Protocol::AwsQuery { .. } => query::unknown_members(route, message, Dialect::Query),
        Protocol::Ec2Query { .. } => query::unknown_members(route, message, Dialect::Ec2),
    };
    found.truncate(MAX_PATHS);
    found
}

fn in_body(route: Route, message: &HttpRequest) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(body) = json::parse(message.body()) {
        in_value(&Type::Record(route.operation.params), &body, "", &mut found);
    }
    found
}

/// Adds the unknown members in a value of type `ty` at `path`.
fn in_value(ty: &Type, value: &Value, path: &str, found: &mut Vec<String>) {
    match (ty, value) {
        (Type::Record(shape), Value::Map(members)) => {
            for (name, value) in members {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                match find_in_body(shape, name) {
                    Some(ty) => in_value(ty, value, &path, found),
                    None if shape.extras => {}
                    None => found.push(path),
                }
            }
        }
        (Type::List(item), Value::List(items)) => {
            items.iter().for_each(|value| in_value(item, value, &format!("{path}[]"), found));
        }
        (Type::Map(item), Value::Map(entries)) => {
            entries.values().for_each(|value| in_value(item, value, &format!("{path}{{}}"), found));
        }
        _ => {}
    }
    found.dedup();
}

fn find_in_body<'s>(shape: &'s RecordShape, name: &str) -> Option<&'s Type> {
    let found = shape.fields.iter().find(|field| field.wire == name && field.location == Location::Body);
    found.map(|field| &field.ty)
}

fn in_query(route: Route, message: &HttpRequest) -> Vec<String> {
    let fields = route.operation.params.fields;
    let is_known =
        |key: &str| fields.iter().any(|field| field.location == Location::Query && field.wire == key);
    let pairs = uri::parse_pairs(message.uri().query().unwrap_or_default()).unwrap_or_default();
    // The parameters of a presigned request are not of the operation.
    let unknown = pairs.into_iter().filter(|(key, _)| !key.starts_with("X-Amz-") && !is_known(key));
    unknown.map(|(key, _)| key.to_string()).collect()
}
