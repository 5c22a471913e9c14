//! Encoding and decoding of errors.

use crate::{HttpResponse, uri};
use http::{HeaderName, HeaderValue};
use nephos_core::{
    Code, Error, ErrorKind, Value,
    json::{self, Writing},
    shape::ServiceShape,
};

/// Error code for a request that cannot be decoded.
pub static MALFORMED: Code = Code {
    code: "SerializationException",
    status: 400,
    kind: ErrorKind::Invalid,
    meaning: "The request cannot be decoded.",
    texts: &[],
};

/// Error code for an operation that the service does not have.
pub static UNKNOWN_OPERATION: Code = Code {
    code: "UnknownOperationException",
    status: 400,
    kind: ErrorKind::Unsupported,
    meaning: "The service has no such operation.",
    texts: &[],
};

/// Error code for a form that cannot be decoded.
pub static MALFORMED_FORM: Code = Code {
    code: "MalformedInput",
    status: 400,
    kind: ErrorKind::Invalid,
    meaning: "The form of a request cannot be decoded.",
    texts: &[],
};

/// Error code for an action that the query service does not have.
pub static INVALID_ACTION: Code = Code {
    code: "InvalidAction",
    status: 400,
    kind: ErrorKind::Unsupported,
    meaning: "The query service has no such action.",
    texts: &[],
};

/// Error code for a path that no operation has.
pub static NOT_FOUND: Code = Code {
    code: "UnknownOperationException",
    status: 404,
    kind: ErrorKind::Unsupported,
    meaning: "No operation has this method and path.",
    texts: &[],
};

/// Header of a nephos server with the parameter that an error is about, percent-encoded.
static FIELD_HEADER: HeaderName = HeaderName::from_static("x-nephos-field");

/// Adds the header with the parameter that `error` is about, if there is one.
pub(crate) fn set_field_header(response: &mut HttpResponse, error: &Error) {
    let Some(field) = error.field() else { return };
    let mut encoded = String::with_capacity(field.len());
    uri::encode(&mut encoded, field, false);
    if let Ok(field) = HeaderValue::from_str(&encoded) {
        response.headers_mut().insert(&FIELD_HEADER, field);
    }
}

/// Decodes the error in `response` with `code`, with the kind from the service's table of codes.
pub(crate) fn from_response(
    service: &'static ServiceShape,
    response: &HttpResponse,
    code: &str,
    message: &str,
) -> Error {
    let field = response.headers().get(&FIELD_HEADER).and_then(|field| field.to_str().ok());
    match field.and_then(|field| uri::decode(field, false).ok()) {
        Some(field) => from_code(service, response, code, message).with_field(field),
        None => from_code(service, response, code, message),
    }
}

fn from_code(service: &'static ServiceShape, response: &HttpResponse, code: &str, message: &str) -> Error {
    let status = response.status().as_u16();
    // Some services put a namespace before the code, or a URI after it.
    let code = code.rsplit('#').next().unwrap_or(code);
    let code = code.split(':').next().unwrap_or(code);
    match service.find_code(code, message) {
        Some(known) => known.with_message(message),
        None => Error::new(kind_of_code(code, status), message).with_wire_code(code, status),
    }
}

/// Returns the kind of error for a code that is not in the service's table.
fn kind_of_code(code: &str, status: u16) -> ErrorKind {
    let contains_any = |words: &[&str]| words.iter().any(|word| code.contains(word));
    match status {
        _ if contains_any(&["Throttl", "TooManyRequests", "RequestLimitExceeded", "SlowDown"]) => {
            ErrorKind::Throttled
        }
        _ if contains_any(&["Expired"]) => ErrorKind::Expired,
        _ if contains_any(&[
            "AccessDenied",
            "Unauthorized",
            "NotAuthorized",
            "Signature",
            "Token",
            "AuthFailure",
        ]) =>
        {
            ErrorKind::Denied
        }
        _ if contains_any(&["LimitExceeded", "QuotaExceeded"]) => ErrorKind::LimitExceeded,
        _ if contains_any(&["AlreadyExists"]) => ErrorKind::AlreadyExists,
        _ if contains_any(&["NotFound", "NoSuch"]) => ErrorKind::NotFound,
        _ if contains_any(&["UnknownOperation", "InvalidAction"]) => ErrorKind::Unsupported,
        401 | 403 => ErrorKind::Denied,
        404 => ErrorKind::NotFound,
        409 => ErrorKind::Conflict,
        429 => ErrorKind::Throttled,
        400..500 => ErrorKind::Invalid,
        _ => ErrorKind::Internal,
    }
}

/// Encodes an error for JSON services, with its text in `member`.
pub(crate) fn json(error: &Error, member: &str) -> HttpResponse {
    let text = Some(error.wire_message()).filter(|text| !text.is_empty());
    let members = [("__type", Some(error.code())), (member, text)];
    let members = members.into_iter().filter_map(|(name, text)| Some((name.into(), text?.into())));
    let body = Value::Map(members.collect());
    let body = json::write_bytes(body.view(), Writing::EXPOSED);
    let mut response = crate::response(error.status(), "application/x-amz-json-1.1", body);
    set_code_header(&mut response, error);
    response
}

/// Adds the header with the error code, if it is valid in a header.
pub(crate) fn set_code_header(response: &mut HttpResponse, error: &Error) {
    if let Ok(code) = HeaderValue::from_str(error.code()) {
        response.headers_mut().insert(HeaderName::from_static("x-amzn-errortype"), code);
    }
}

/// Decodes an error in JSON, wherever the service puts the code and the message.
pub(crate) fn from_json(service: &'static ServiceShape, message: &crate::HttpResponse) -> Error {
    let status = message.status().as_u16();
    let body = json::parse(message.body()).ok();
    let text = |names: &[&str]| {
        let Some(Value::Map(body)) = &body else { return None };
        names.iter().find_map(|name| body.get(*name)).and_then(Value::as_text).map(str::to_owned)
    };
    let header =
        message.headers().get("x-amzn-errortype").and_then(|code| code.to_str().ok()).map(str::to_owned);
    let code = header.or_else(|| text(&["__type", "Code", "code"]));
    let text = text(&["message", "Message", "errorMessage"]).unwrap_or_else(|| match code {
        // Some errors have no text.
        Some(_) => String::new(),
        None => format!("the service responded with status {status}"),
    });
    from_response(service, message, &code.unwrap_or_else(|| format!("HTTP{status}")), &text)
}
