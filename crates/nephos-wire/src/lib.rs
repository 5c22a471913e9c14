//! Encoding and decoding of requests and responses of services as HTTP messages, driven by shapes.
//!
//! One protocol is one file that encodes and decodes, as client and as server. Unknown members of requests and answers are
//! ignored, as the provider does; [`unknown_members`] finds those of a request. Nothing here does I/O.

mod aws_json;
mod dialect;
mod error;
mod form;
mod query;
mod rest_json;
mod route;
mod scalar;
pub mod sigv4;
mod tokens;
mod unknown;
mod uri;
mod xml;

pub use aws_json::check_value_count;
pub use error::{INVALID_ACTION, MALFORMED, MALFORMED_FORM, NOT_FOUND, UNKNOWN_OPERATION};
pub use query::has_form_content_type;
pub use route::{Route, protocol, route};
pub use tokens::fill_tokens;
pub use unknown::unknown_members;
pub use uri::explicit_port;

use bytes::Bytes;
use dialect::Dialect;
use http::{HeaderName, HeaderValue, header};
use nephos_core::{
    Answer, Error, Request, Result,
    record::Fields,
    shape::{OperationShape, Protocol},
};

/// A request on the wire.
pub type HttpRequest = http::Request<Bytes>;

/// A response on the wire.
pub type HttpResponse = http::Response<Bytes>;

/// Header with the operation, for JSON services.
static TARGET: HeaderName = HeaderName::from_static("x-amz-target");

/// Header of responses with the request ID.
static REQUEST_ID: HeaderName = HeaderName::from_static("x-amzn-requestid");

/// Encodes `request`, without a host and without a signature.
pub fn encode_request(request: &Request) -> Result<HttpRequest> {
    match request.service.protocol {
        Protocol::AwsJson { target, version, .. } => aws_json::encode_request(request, target, version),
        Protocol::RestJson => rest_json::encode_request(request),
        Protocol::AwsQuery { .. } => Ok(query::encode_request(request, Dialect::Query)),
        Protocol::Ec2Query { .. } => Ok(query::encode_request(request, Dialect::Ec2)),
    }
}

/// Decodes `message` into the request of the operation that `route` found. A rule that its parameters break is an error in it.
pub fn decode_request(route: Route, message: &HttpRequest) -> Result<Request> {
    match route.service.protocol {
        Protocol::AwsJson { .. } => aws_json::decode_request(route, message),
        Protocol::RestJson => rest_json::decode_request(route, message),
        Protocol::AwsQuery { .. } => query::decode_request(route, message, Dialect::Query),
        Protocol::Ec2Query { .. } => query::decode_request(route, message, Dialect::Ec2),
    }
}

/// Encodes the answer of an operation.
pub fn encode_answer(route: Route, answer: &dyn Fields, request_id: &str) -> HttpResponse {
    let response = match route.service.protocol {
        Protocol::AwsJson { version, .. } => aws_json::encode_answer(route.service, answer, version),
        Protocol::RestJson => rest_json::encode_answer(route.operation, answer),
        Protocol::AwsQuery { namespace } => {
            query::encode_answer(route.operation, namespace, answer, request_id, Dialect::Query)
        }
        Protocol::Ec2Query { namespace } => {
            query::encode_answer(route.operation, namespace, answer, request_id, Dialect::Ec2)
        }
    };
    with_request_id(response, request_id)
}

/// Encodes an error for a service of `protocol`.
pub fn encode_error(protocol: Protocol, error: &Error, request_id: &str) -> HttpResponse {
    let mut response = match protocol {
        Protocol::AwsJson { version, message, .. } => aws_json::encode_error(error, version, message),
        Protocol::RestJson => rest_json::encode_error(error),
        Protocol::AwsQuery { namespace } => query::encode_error(error, namespace, request_id, Dialect::Query),
        Protocol::Ec2Query { namespace } => query::encode_error(error, namespace, request_id, Dialect::Ec2),
    };
    error::set_field_header(&mut response, error);
    with_request_id(response, request_id)
}

/// Decodes the response to `request`: the answer record, or the service's error.
pub fn decode_answer(request: &Request, message: &HttpResponse) -> Answer {
    let id = message.headers().get(&REQUEST_ID).and_then(|id| id.to_str().ok());
    let answer = match request.service.protocol {
        Protocol::AwsJson { .. } => aws_json::decode_answer(request, message),
        Protocol::RestJson => rest_json::decode_answer(request, message),
        Protocol::AwsQuery { .. } => query::decode_answer(request, message, Dialect::Query),
        Protocol::Ec2Query { .. } => query::decode_answer(request, message, Dialect::Ec2),
    };
    match (answer, id) {
        (Err(error), Some(id)) => Err(error.with_request_id(id)),
        (answer, _) => answer,
    }
}

fn with_request_id(mut response: HttpResponse, request_id: &str) -> HttpResponse {
    if let Ok(id) = HeaderValue::from_str(request_id) {
        response.headers_mut().insert(&REQUEST_ID, id);
    }
    response
}

/// Creates a response with a body.
fn response(status: u16, content_type: &'static str, body: Vec<u8>) -> HttpResponse {
    let mut response = HttpResponse::new(body.into());
    *response.status_mut() =
        http::StatusCode::from_u16(status).unwrap_or(http::StatusCode::INTERNAL_SERVER_ERROR);
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Creates the request of an operation, with parameters from `fill`.
fn build_request(
    operation: &'static OperationShape,
    fill: &mut dyn FnMut(&mut dyn Fields) -> Result<()>,
) -> Result<Request> {
    nephos_core::dynamic::unchecked_request(operation, fill)
}
