//! JSON with the operation in a header: `awsJson1_0` and `awsJson1_1`.

use crate::{HttpRequest, HttpResponse, MALFORMED, Route, TARGET, build_request, error};
use bytes::Bytes;
use http::{HeaderValue, header};
use nephos_core::{
    Answer, Error, ErrorKind, Ref, Request, Result,
    fill::Reader,
    json::{self, Writing},
    record::Fields,
    shape::ServiceShape,
};

fn content_type(version: &str) -> &'static str {
    if version == "1.0" { "application/x-amz-json-1.0" } else { "application/x-amz-json-1.1" }
}

pub(crate) fn encode_request(request: &Request, target: &str, version: &str) -> Result<HttpRequest> {
    let body = json::write_bytes(Ref::Record(&*request.params), Writing::for_service(request.service));
    let mut message = HttpRequest::new(Bytes::from(body));
    *message.method_mut() = http::Method::POST;
    let target = HeaderValue::from_str(&format!("{target}{}", request.operation.name))
        .map_err(|_| Error::new(ErrorKind::Internal, "the operation's name is not valid in a header"))?;
    message.headers_mut().insert(&TARGET, target);
    message.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(version)));
    Ok(message)
}

pub(crate) fn decode_request(route: Route, message: &HttpRequest) -> Result<Request> {
    let body: &[u8] = if message.body().is_empty() { b"{}" } else { message.body() };
    let mut malformed = None;
    let request = build_request(route.operation, &mut |params| {
        read_json(params, body, route.service).inspect_err(|error| {
            // Invalid JSON or a wrong type is an error of the protocol, not of the operation.
            malformed = Some(error.clone().with_code(&MALFORMED));
        })
    });
    malformed.map_or(request, Err)
}

/// Maximum number of members and items of the JSON body of a request.
const MAX_VALUES: usize = 100_000;

/// Rejects a JSON body with too many members and items, without decoding any of them.
pub fn check_value_count(body: &[u8]) -> Result<()> {
    if json::has_more_values(body, MAX_VALUES) {
        let message = format!("a JSON body can have at most {MAX_VALUES} members and items");
        return Err(Error::new(ErrorKind::Invalid, message));
    }
    Ok(())
}

/// Fills the parameters of a request from its JSON body.
pub(crate) fn read_json(params: &mut dyn Fields, body: &[u8], service: &ServiceShape) -> Result<()> {
    check_value_count(body)?;
    json::read(params, body, &Reader::REQUEST.for_service(service))
}

pub(crate) fn encode_answer(service: &ServiceShape, answer: &dyn Fields, version: &str) -> HttpResponse {
    let body = json::write_bytes(Ref::Record(answer), Writing::for_service(service));
    crate::response(200, content_type(version), body)
}

pub(crate) fn encode_error(error: &Error, version: &str, message: &str) -> HttpResponse {
    let mut response = error::json(error, message);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type(version)));
    response
}

pub(crate) fn decode_answer(request: &Request, message: &HttpResponse) -> Answer {
    if !message.status().is_success() {
        return Err(error::from_json(request.service, message));
    }
    let mut answer = (request.blank)();
    if !message.body().is_empty() {
        let reader = Reader::ANSWER.for_service(request.service);
        json::read(&mut *answer, message.body(), &reader).map_err(undecodable_answer)?;
    }
    Ok(answer)
}

/// Creates the error for an answer that cannot be decoded.
pub(crate) fn undecodable_answer(error: Error) -> Error {
    let message = format!("the answer cannot be decoded: {}", error.message());
    Error::new(ErrorKind::Transport, message).with_source(error)
}
