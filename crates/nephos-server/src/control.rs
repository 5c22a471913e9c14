//! The control endpoint: health, time, snapshots and a reset, for whoever runs the server.

use nephos::{Cloud, Error, ErrorKind, REGISTRY, Result, SignedDuration, Timestamp, Value};
use nephos_core::json::{self, Writing};
use nephos_wire::{HttpRequest, HttpResponse};

/// What the path of every control request begins with.
pub(crate) const PREFIX: &str = "/_nephos/";

/// Answers a control request; `path` is what follows the prefix.
pub(crate) fn answer(cloud: &Cloud, path: &str, message: &HttpRequest) -> HttpResponse {
    match carry_out(cloud, path, message) {
        Ok(value) => json(200, value),
        Err(error) => {
            let status = if error.kind() == ErrorKind::Unsupported { 404 } else { error.status() };
            json(status, map([("Code", error.code().into()), ("Message", error.to_string().into())]))
        }
    }
}

fn carry_out(cloud: &Cloud, path: &str, message: &HttpRequest) -> Result<Value> {
    match (message.method().as_str(), path) {
        ("GET", "health") => {
            Ok(map([("status", "ok".into()), ("version", env!("CARGO_PKG_VERSION").into())]))
        }
        ("GET", "kinds") => Ok(kinds()),
        ("GET", "clock") => Ok(clock(cloud)),
        ("POST", "clock") => {
            set_clock(cloud, &body(message)?)?;
            Ok(clock(cloud))
        }
        ("POST", "reset") => {
            cloud.reset()?;
            Ok(map([]))
        }
        ("POST", "snapshot") => {
            cloud.save_to(text(&body(message)?, "path")?, |_| ())?;
            Ok(map([]))
        }
        ("POST", "restore") => {
            cloud.restore_from(text(&body(message)?, "path")?, |_| ())?;
            Ok(clock(cloud))
        }
        (method, _) => {
            let why = format!(
                "there is no {method} {PREFIX}{path}; there are GET health, kinds, clock and POST clock, reset, snapshot, \
                 restore"
            );
            Err(Error::new(ErrorKind::Unsupported, why))
        }
    }
}

fn kinds() -> Value {
    let names = |kind: &nephos::shape::KindShape| {
        let calls = kind.calls.iter().map(|call| Value::from(call.name)).collect();
        map([
            ("kind", kind.name.into()),
            ("service", (kind.service)().name.into()),
            ("calls", Value::List(calls)),
        ])
    };
    map([("kinds", Value::List(REGISTRY.kinds().map(names).collect()))])
}

fn clock(cloud: &Cloud) -> Value {
    let clock = cloud.clock();
    map([("now", Value::Time(clock.now())), ("frozen", Value::Bool(clock.is_frozen()))])
}

/// `{"advance": "PT24H"}`, `{"set": "2026-01-31T12:00:00Z"}`, `{"frozen": true}`.
fn set_clock(cloud: &Cloud, body: &Value) -> Result<()> {
    let Value::Map(fields) = body else { return Err(Error::invalid("body", "is not an object")) };
    for (field, value) in fields {
        match (field.as_str(), value) {
            ("advance", Value::Text(by)) => {
                let by = by.parse::<SignedDuration>().map_err(|_| {
                    Error::invalid("advance", format!("{by:?} is not a duration; write PT24H, or 24h"))
                })?;
                cloud.clock().advance(by)?;
            }
            ("advance", Value::Int(seconds)) => {
                cloud.clock().advance(SignedDuration::from_secs(*seconds))?;
            }
            ("set", Value::Text(time)) => {
                let time = time.parse::<Timestamp>().map_err(|_| {
                    Error::invalid("set", format!("{time:?} is not a time; write 2026-01-31T12:00:00Z"))
                })?;
                cloud.clock().set(time)?;
            }
            ("frozen", Value::Bool(true)) => cloud.clock().freeze()?,
            ("frozen", Value::Bool(false)) => cloud.clock().run()?,
            (field, _) => {
                return Err(Error::invalid(
                    field,
                    "there are advance (a duration), set (a time) and frozen (a bool)",
                ));
            }
        }
    }
    Ok(())
}

fn body(message: &HttpRequest) -> Result<Value> {
    json::parse(message.body())
}

fn text<'a>(body: &'a Value, field: &str) -> Result<&'a str> {
    let Value::Map(fields) = body else { return Err(Error::invalid("body", "is not an object")) };
    fields.get(field).and_then(Value::as_text).ok_or_else(|| Error::invalid(field, "is required"))
}

fn map<const N: usize>(fields: [(&str, Value); N]) -> Value {
    Value::Map(fields.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn json(status: u16, body: Value) -> HttpResponse {
    let mut response = HttpResponse::new(json::write(body.view(), Writing::SHOWN).into_bytes().into());
    *response.status_mut() =
        http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    let content_type = http::HeaderValue::from_static("application/json");
    response.headers_mut().insert(http::header::CONTENT_TYPE, content_type);
    response
}
