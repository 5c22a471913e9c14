//! Entries of a request that failed although the call succeeded, such as events that a bus refused.

use crate::target::Target;
use nephos::{Error, ErrorKind, Value};

/// Returns the errors of the entries that failed, from an answer with a `FailedEntryCount`.
pub(crate) fn errors(target: Target, answer: &Value) -> Vec<Error> {
    let count = answer.get("FailedEntryCount").and_then(Value::as_int).unwrap_or_default();
    let Value::Map(fields) = answer else { return Vec::new() };
    if count == 0 {
        return Vec::new();
    }
    let lists = fields.iter().filter_map(|(name, value)| match value {
        Value::List(entries) => Some(entries.iter().enumerate().map(move |(n, entry)| (name, n, entry))),
        _ => None,
    });
    lists.flatten().filter_map(|(list, n, entry)| error_of(target, list, n, entry)).collect()
}

/// Returns the error of an entry. It names the entry by its ID, or else by its place in the request.
fn error_of(target: Target, list: &str, n: usize, entry: &Value) -> Option<Error> {
    let text = |name: &str| entry.get(name).and_then(Value::as_text);
    let (code, message) = (text("ErrorCode")?, text("ErrorMessage").unwrap_or_default());
    let error = match (target.kind.service)().find_code(code, message) {
        Some(known) => known.with_message(message),
        None => Error::new(ErrorKind::Invalid, message).with_wire_code(code, 400),
    };
    Some(match text("TargetId") {
        Some(id) => error.with_hint(id),
        None => error.with_field(format!("{list}[{n}]")),
    })
}
