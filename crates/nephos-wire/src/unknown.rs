//! Members of requests that an operation does not have. They are ignored; a server notes them in its log.

use crate::{HttpRequest, Route, check_value_count, dialect::Dialect, query, uri};
use nephos_core::{
    Type, Value, json,
    shape::{FieldShape, Location, Protocol, RecordShape, ServiceShape},
};

/// Maximum number of paths that are returned.
const MAX_PATHS: usize = 20;

/// Maximum number of characters of a path; the rest of it is left out.
const MAX_PATH_CHARS: usize = 200;

/// Paths of unknown members: the first ones, each once.
#[derive(Default)]
pub(crate) struct UnknownPaths(Vec<String>);

impl UnknownPaths {
    pub(crate) fn add(&mut self, path: &str) {
        if self.is_full() {
            return;
        }
        let end = path.char_indices().nth(MAX_PATH_CHARS).map_or(path.len(), |(end, _)| end);
        if self.0.iter().all(|known| *known != path[..end]) {
            self.0.push(path[..end].to_owned());
        }
    }

    /// True if no more paths are kept.
    pub(crate) fn is_full(&self) -> bool {
        self.0.len() >= MAX_PATHS
    }
}

/// Returns the paths of the members of a request that its operation does not have: `entity`, `logEvents[].severity`. The
/// first 20 are enough to find a mistake.
pub fn unknown_members(route: Route, message: &HttpRequest) -> Vec<String> {
    let mut found = UnknownPaths::default();
    match route.service.protocol {
        Protocol::AwsJson { .. } => in_body(route, message, &mut found),
        Protocol::RestJson => {
            in_body(route, message, &mut found);
            in_query(route, message, &mut found);
        }
        Protocol::AwsQuery { .. } => query::unknown_members(route, message, Dialect::Query, &mut found),
        Protocol::Ec2Query { .. } => query::unknown_members(route, message, Dialect::Ec2, &mut found),
    }
    found.0
}

fn in_body(route: Route, message: &HttpRequest, found: &mut UnknownPaths) {
    let body = message.body();
    if let Ok(body) = check_value_count(body).and_then(|()| json::parse(body)) {
        in_value(route.service, &Type::Record(route.operation.params), &body, "", found);
    }
}

/// Adds the unknown members in a value of type `ty` at `path`.
fn in_value(service: &ServiceShape, ty: &Type, value: &Value, path: &str, found: &mut UnknownPaths) {
    match (ty, value) {
        _ if found.is_full() => {}
        (Type::Record(shape), Value::Map(members)) => {
            for (name, value) in members {
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{name}");
                match find_in_body(service, shape, name) {
                    Some(ty) => in_value(service, ty, value, &path, found),
                    None if shape.extras => {}
                    None => found.add(&path),
                }
            }
        }
        (Type::List(item), Value::List(items)) => {
            items.iter().for_each(|value| in_value(service, item, value, &format!("{path}[]"), found));
        }
        (Type::Map(item), Value::Map(entries)) => {
            entries.values().for_each(|value| in_value(service, item, value, &format!("{path}{{}}"), found));
        }
        _ => {}
    }
}

fn find_in_body<'s>(service: &ServiceShape, shape: &'s RecordShape, name: &str) -> Option<&'s Type> {
    let is_named = |field: &&FieldShape| service.wire_name(shape, field) == name;
    let found = shape.fields.iter().filter(|field| field.location == Location::Body).find(is_named);
    found.map(|field| &field.ty)
}

fn in_query(route: Route, message: &HttpRequest, found: &mut UnknownPaths) {
    let fields = route.operation.params.fields;
    let is_known =
        |key: &str| fields.iter().any(|field| field.location == Location::Query && field.wire == key);
    let pairs = uri::parse_pairs(message.uri().query().unwrap_or_default()).unwrap_or_default();
    // The parameters of a presigned request are not of the operation.
    let unknown = pairs.into_iter().filter(|(key, _)| !key.starts_with("X-Amz-") && !is_known(key));
    unknown.for_each(|(key, _)| found.add(&key));
}
