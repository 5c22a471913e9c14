//! The control endpoint, for the operator of the server: health, clock, state, snapshots, forks, functions, controls
//! and reset.

mod access;
mod snapshots;

use crate::{
    forks::{self, ForkRequest},
    front::Front,
    functions, metrics,
    paths::CONTROL_PREFIX,
};
pub use access::execute as control_access;
use nephos::{
    Error, ErrorKind, Kernel, Map, REGISTRY, RequestSource, Result, SignedDuration, Text, Timestamp, Value,
    parse_duration,
};
use nephos_core::{
    json::{self, Writing},
    record,
};
use nephos_wire::{HttpRequest, HttpResponse};
pub(crate) use snapshots::Snapshots;
use std::sync::{Arc, atomic::AtomicBool};

/// Service in the credential scope of control requests.
pub(crate) const SERVICE: &str = "nephos";

/// Path that needs no signature.
const HEALTH: &str = "/_nephos/health";

/// Path of the metrics, which are text.
const METRICS: &str = "/_nephos/metrics";

/// Header of responses with the request ID, as in those of services.
static REQUEST_ID: http::HeaderName = http::HeaderName::from_static("x-amzn-requestid");

/// True if `message` is a health check.
pub(crate) fn is_health(message: &HttpRequest) -> bool {
    message.uri().path() == HEALTH
}

/// Checks that the policies of a caller without the root key allow a control request.
pub(crate) fn check_permission(cloud: &Kernel, source: RequestSource, request: &ForkRequest) -> Result<()> {
    let needs_root = || {
        let message = "only the root key may do this; policies can allow nephos:Fork, nephos:AdvanceClock and nephos:Explain";
        Error::new(ErrorKind::Denied, message).with_wire_code("AccessDeniedException", 403)
    };
    let (action, resource) = permission(request)?.ok_or_else(needs_root)?;
    cloud.check_control(source, action, &resource)
}

/// Returns the action and the resource of a control request that policies can allow.
fn permission(request: &ForkRequest) -> Result<Option<(&'static str, String)>> {
    let message = &request.message;
    let path = message.uri().path();
    let path = path.strip_prefix(CONTROL_PREFIX).unwrap_or(path);
    let fork = |name: Option<&str>| format!("fork/{}", name.unwrap_or("*"));
    let here = || request.fork().map(|name| name.map_or_else(|| "cloud".to_owned(), |name| fork(Some(name))));
    Ok(Some(match (message.method().as_str(), path) {
        ("GET" | "POST", "clock") => ("nephos:AdvanceClock", here()?),
        ("POST", "access/why") => ("nephos:Explain", here()?),
        ("GET", "forks") => ("nephos:Fork", fork(None)),
        ("POST", "fork") => ("nephos:Fork", fork(fork_name(message)?.as_deref())),
        ("DELETE", path) if path.starts_with("forks/") => ("nephos:Fork", fork(path.strip_prefix("forks/"))),
        _ => return Ok(None),
    }))
}

/// Returns the name of the fork that a request creates; none if the server chooses it.
fn fork_name(message: &HttpRequest) -> Result<Option<String>> {
    if message.body().is_empty() {
        return Ok(None);
    }
    let [name] = text_fields(message, ["name"])?;
    Ok(Some(name))
}

/// Answers a control request for `cloud`. An advance of its clock ends when `stop` is true.
pub(crate) fn answer(
    front: &Front,
    cloud: &Kernel,
    message: &HttpRequest,
    id: &str,
    stop: &Arc<AtomicBool>,
) -> Result<HttpResponse> {
    if message.method() == http::Method::GET && message.uri().path() == METRICS {
        return Ok(response(200, metrics::write(front)?, metrics::CONTENT_TYPE, id));
    }
    Ok(json_response(200, execute(front, cloud, message, stop)?, id))
}

/// Creates the error for a path that is nearly one of the control endpoint.
pub(crate) fn unknown_path(path: &str) -> Error {
    let message = format!("unknown path {path}; the control endpoint is at {CONTROL_PREFIX}");
    Error::new(ErrorKind::NotFound, message).with_wire_code("NoSuchPath", 404)
}

/// Encodes an error of the control endpoint.
pub(crate) fn encode_error(error: &Error, id: &str) -> HttpResponse {
    let status = match error.kind() {
        ErrorKind::Unsupported => 404,
        ErrorKind::AlreadyExists | ErrorKind::Conflict => 409,
        _ => error.status(),
    };
    let printed = error.to_string();
    let message = printed.strip_prefix(error.code()).and_then(|rest| rest.strip_prefix(": "));
    let message = message.unwrap_or(&printed);
    json_response(status, object([("Code", error.code().into()), ("Message", message.into())]), id)
}

fn execute(front: &Front, cloud: &Kernel, message: &HttpRequest, stop: &Arc<AtomicBool>) -> Result<Value> {
    let (path, forks) = (message.uri().path(), &front.forks);
    match (message.method().as_str(), path.strip_prefix(CONTROL_PREFIX).unwrap_or(path)) {
        ("GET" | "HEAD", "health") => match cloud.storage_problem() {
            None => health(front, cloud),
            Some(problem) => {
                Err(Error::new(ErrorKind::Internal, problem).with_wire_code("ServiceUnavailable", 503))
            }
        },
        ("GET", "kinds") => Ok(kinds()),
        ("GET", "clock") => Ok(clock(cloud)),
        ("POST", "clock") => {
            set_clock(cloud, &body(message)?, stop)?;
            Ok(clock(cloud))
        }
        ("POST", "reset") => {
            cloud.reset()?;
            Ok(object([]))
        }
        ("POST", "snapshot") => {
            let path = front.snapshots.path_to_save(&snapshot_name(message)?)?;
            cloud.save_to(&path, |_| ())?;
            Ok(object([("path", path.display().to_string().into())]))
        }
        ("POST", "restore") => {
            let path = front.snapshots.path_to_restore(&snapshot_name(message)?)?;
            cloud.restore_from(&path, |_| ()).map_err(|error| match cloud.storage_problem() {
                None => snapshots::unusable_source(&path, error),
                Some(_) => error,
            })?;
            Ok(clock(cloud))
        }
        ("GET", "state") => state(cloud),
        ("POST", "functions") => {
            let [name, url] = text_fields(message, ["name", "url"])?;
            let closed = || Error::new(ErrorKind::Denied, "this server sends no requests");
            functions::register(cloud, front.outgoing.as_ref().ok_or_else(closed)?, &name, &url)?;
            Ok(object([]))
        }
        ("GET", "forks") => {
            Ok(object([("forks", Value::List(forks.names(front.now()).iter().map(fork_value).collect()))]))
        }
        ("POST", "fork") => {
            Ok(fork_value(&forks.create(cloud, fork_name(message)?.as_deref(), front.now())?))
        }
        ("DELETE", path) if path.starts_with("forks/") => {
            forks.remove(path.strip_prefix("forks/").unwrap_or_default(), front.now())?;
            Ok(object([]))
        }
        (method, path) if access::is_known(method, path) => {
            access::execute(cloud, method, path, message.body())
        }
        ("POST", name) if cloud.controls().any(|control| control.name == name) => {
            let body = body(message)?;
            let Value::Map(fields) = &body else {
                return Err(Error::invalid("body", "must be a JSON object"));
            };
            Ok(record::to_value(&*cloud.control_by_name(name, fields)?))
        }
        (method, _) => {
            let controls: String = cloud.controls().map(|control| format!(", {}", control.name)).collect();
            let message = format!(
                "unknown control request {method} {path}; there are GET health, metrics, kinds, clock, state, forks, permissions, \
                 access/log, POST clock, reset, snapshot, restore, fork, functions, permissions, access/why, access/log, \
                 access/policy{controls} and DELETE forks/NAME, access/log"
            );
            Err(Error::new(ErrorKind::Unsupported, message))
        }
    }
}

/// Encodes a fork: its name, and the path to append to the address of the endpoint.
fn fork_value(name: &Text) -> Value {
    object([("name", name.as_str().into()), ("path", format!("{}{name}", forks::PREFIX).into())])
}

/// Delay of background work from which on it is being caught up with, for example after the server was stopped for a while.
const CATCHING_UP: SignedDuration = SignedDuration::from_secs(10);

/// Returns that all is well, how far background work is that is being caught up with, and since when it makes no progress.
fn health(front: &Front, cloud: &Kernel) -> Result<Value> {
    let (oldest, done) = cloud.overdue()?;
    // A fork has no driver: nothing runs there without calls.
    let oldest = oldest.filter(|_| cloud.is_driven());
    let since = front.metrics.standstill(oldest.is_some(), done, || front.now());
    let known = [("status", "ok".into()), ("version", env!("CARGO_PKG_VERSION").into())];
    let catching_up = oldest.and_then(|oldest| catching_up(oldest, cloud.clock().now(), done));
    let catching_up = catching_up.map(|progress| ("backgroundWorkCatchesUp", progress));
    let since = since.map(|since| ("backgroundWorkStandsStillSince", Value::Time(since)));
    let ahead = cloud.clock_difference()?.map(|ahead| ("clockAheadOfDatabase", ahead.to_string().into()));
    Ok(object(known.into_iter().chain(catching_up).chain(since).chain(ahead)))
}

/// Returns the progress of background work, of which `oldest` is the next, if it is late.
fn catching_up(oldest: Timestamp, now: Timestamp, done: u64) -> Option<Value> {
    let done = i64::try_from(done).unwrap_or(i64::MAX);
    let progress =
        || object([("at", Value::Time(oldest)), ("until", Value::Time(now)), ("done", done.into())]);
    (now.duration_since(oldest) >= CATCHING_UP).then(progress)
}

fn kinds() -> Value {
    let names = |kind: &nephos::shape::KindShape| {
        let calls = kind.calls().into_iter().map(|call| Value::from(call.name)).collect();
        object([
            ("kind", kind.name.into()),
            ("service", (kind.service)().name.into()),
            ("calls", Value::List(calls)),
        ])
    };
    object([("kinds", Value::List(REGISTRY.kinds().map(names).collect()))])
}

fn clock(cloud: &Kernel) -> Value {
    let clock = cloud.clock();
    object([("now", Value::Time(clock.now())), ("frozen", Value::Bool(clock.is_frozen()))])
}

/// Sets the clock from `{"advance": "PT24H"}`, `{"set": "2026-01-31T12:00:00Z"}` or `{"frozen": true}`.
/// An advance ends when `stop` is true.
fn set_clock(cloud: &Kernel, body: &Value, stop: &Arc<AtomicBool>) -> Result<()> {
    let clock = || cloud.clock().stopped_by(stop.clone());
    let Value::Map(fields) = body else { return Err(Error::invalid("body", "must be a JSON object")) };
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("advance", Value::Text(by)) => {
                let invalid = || {
                    Error::invalid("advance", format!("{by:?} is not a duration; write 31d, 24h or PT24H"))
                };
                let by = parse_duration(by).ok_or_else(invalid)?;
                clock().advance(by)?;
            }
            ("advance", Value::Int(seconds)) => {
                clock().advance(SignedDuration::from_secs(*seconds))?;
            }
            ("set", Value::Text(time)) => {
                let time = time.parse::<Timestamp>().map_err(|_| {
                    Error::invalid("set", format!("{time:?} is not a time; write 2026-01-31T12:00:00Z"))
                })?;
                clock().set(time)?;
            }
            ("frozen", Value::Bool(true)) => clock().freeze()?,
            ("frozen", Value::Bool(false)) => clock().run()?,
            (field, _) => {
                return Err(Error::invalid(
                    field,
                    "unknown field or wrong type; expected `advance` (a duration), `set` (a time), `frozen` (a bool)",
                ));
            }
        }
    }
    Ok(())
}

/// Returns the number of rows, and a digest of all of them.
fn state(cloud: &Kernel) -> Result<Value> {
    let (digest, rows) = cloud.digest()?;
    let rows = i64::try_from(rows).unwrap_or(i64::MAX);
    Ok(object([("digest", digest.into()), ("rows", Value::Int(rows))]))
}

fn body(message: &HttpRequest) -> Result<Value> {
    parse_body(message.body())
}

/// Parses a body that has few values.
fn parse_body(body: &[u8]) -> Result<Value> {
    nephos_wire::check_value_count(body)?;
    json::parse(body)
}

/// Returns the fields of a body that has no others than these.
fn known_fields(body: &[u8], names: &[&str]) -> Result<Map<Value>> {
    let Value::Map(fields) = parse_body(body)? else {
        return Err(Error::invalid("body", "must be a JSON object"));
    };
    if let Some(field) = fields.keys().find(|field| !names.contains(&field.as_str())) {
        let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
        return Err(Error::invalid(field.as_str(), format!("unknown field; expected {}", names.join(", "))));
    }
    Ok(fields)
}

/// Returns the name or path of a snapshot, in the field `name` or `path` of the body.
fn snapshot_name(message: &HttpRequest) -> Result<String> {
    let fields = known_fields(message.body(), &["name", "path"])?;
    match (fields.get("name").and_then(Value::as_text), fields.get("path").and_then(Value::as_text)) {
        (Some(name), None) => {
            forks::check_name(name)?;
            Ok(name.to_owned())
        }
        (None, Some(path)) => Ok(path.to_owned()),
        _ => Err(Error::invalid("name", "one of `name` and `path` is required and must be text")),
    }
}

/// Returns the text fields of a body that has these fields and no others.
fn text_fields<const N: usize>(message: &HttpRequest, names: [&str; N]) -> Result<[String; N]> {
    let fields = known_fields(message.body(), &names)?;
    let mut texts = [const { String::new() }; N];
    for (text, name) in texts.iter_mut().zip(names) {
        let given = fields.get(name).and_then(Value::as_text);
        *text = given.ok_or_else(|| Error::invalid(name, "is required and must be text"))?.to_owned();
    }
    Ok(texts)
}

fn object<'f>(fields: impl IntoIterator<Item = (&'f str, Value)>) -> Value {
    Value::Map(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn json_response(status: u16, body: Value, id: &str) -> HttpResponse {
    response(status, json::write(body.view(), Writing::SHOWN), "application/json", id)
}

fn response(status: u16, body: String, content_type: &'static str, id: &str) -> HttpResponse {
    let mut response = HttpResponse::new(body.into_bytes().into());
    *response.status_mut() =
        http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = http::HeaderValue::from_static(content_type);
    response.headers_mut().insert(http::header::CONTENT_TYPE, content_type);
    if let Ok(id) = http::HeaderValue::from_str(id) {
        response.headers_mut().insert(&REQUEST_ID, id);
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn late_background_work_shows_its_progress() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(1);
        assert_eq!(catching_up(now - SignedDuration::from_secs(9), now, 5), None);
        let progress = catching_up(Timestamp::UNIX_EPOCH, now, 5)
            .map(|progress| json::write(progress.view(), Writing::SHOWN));
        let expected = r#"{"at":"1970-01-01T00:00:00Z","until":"1970-01-01T01:00:00Z","done":5}"#;
        assert_eq!(progress.as_deref(), Some(expected));
    }
}
