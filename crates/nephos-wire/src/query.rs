//! `awsQuery` and EC2's dialect of it: forms with the operation as `Action`, and XML responses.

use crate::{
    HttpRequest, HttpResponse, Route,
    aws_json::undecodable_answer,
    build_request,
    dialect::Dialect,
    error,
    form::{self, Form},
    response,
    unknown::UnknownPaths,
    uri,
    xml::{self, Document},
};
use bytes::Bytes;
use http::{HeaderValue, Method, header};
use nephos_core::{Answer, Error, Request, Result, Text, record::Fields, shape::OperationShape};

const FORM_CONTENT_TYPE: HeaderValue =
    HeaderValue::from_static("application/x-www-form-urlencoded; charset=utf-8");

pub(crate) fn encode_request(request: &Request, dialect: Dialect) -> HttpRequest {
    let first = [("Action", request.operation.name), ("Version", request.service.api_version)];
    let mut form = form::Writer::new(dialect, &first);
    form.record(&*request.params);
    let mut message = HttpRequest::new(Bytes::from(form.into_string()));
    *message.method_mut() = Method::POST;
    message.headers_mut().insert(header::CONTENT_TYPE, FORM_CONTENT_TYPE);
    message
}

/// Maximum number of parameters of a form.
const MAX_PAIRS: usize = 100_000;

/// Rejects a form with too many parameters, without decoding any of them.
pub(crate) fn check_pair_count(texts: [&str; 2]) -> Result<()> {
    let count = |text: &str| memchr::memchr_iter(b'&', text.as_bytes()).count();
    if texts.into_iter().map(count).sum::<usize>() < MAX_PAIRS {
        return Ok(());
    }
    Err(error::MALFORMED_FORM.with_message(format!("a form can have at most {MAX_PAIRS} parameters")))
}

/// True if the content type of `message` is that of forms.
pub fn has_form_content_type(message: &HttpRequest) -> bool {
    message.headers().get(header::CONTENT_TYPE).is_some_and(is_form)
}

/// True if a content type is that of forms.
fn is_form(content_type: &HeaderValue) -> bool {
    const FORM: &[u8] = b"application/x-www-form-urlencoded";
    content_type.as_bytes().get(..FORM.len()).is_some_and(|start| start.eq_ignore_ascii_case(FORM))
}

/// Returns the texts that may hold the pairs of a form: the query string, and the body.
pub(crate) fn form_texts(message: &HttpRequest) -> [&str; 2] {
    let may_be_form = message.headers().get(header::CONTENT_TYPE).is_none_or(is_form);
    let body: &[u8] = if may_be_form { message.body() } else { b"" };
    [message.uri().query().unwrap_or_default(), std::str::from_utf8(body).unwrap_or_default()]
}

/// Returns `Action` and `Version`, if these texts are a form with an action.
pub(crate) fn action(texts: [&str; 2]) -> Option<(Text, Option<Text>)> {
    let find = |name: &str| {
        let mut pairs = texts.into_iter().flat_map(|text| uri::split(text, b'&'));
        let value = pairs.find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))?;
        uri::decode(value, true).ok()
    };
    Some((find("Action")?, find("Version")))
}

/// Returns the names of the parameters in `message`, at the top level.
pub(crate) fn param_names(message: &HttpRequest) -> impl Iterator<Item = &str> {
    let pairs = form_texts(message).into_iter().flat_map(|text| uri::split(text, b'&'));
    let names = pairs.filter_map(|pair| pair.split(['=', '.']).next());
    names.filter(|name| !name.is_empty() && !is_common_param(name))
}

/// True if a parameter is not of the operation: it names the operation, or is part of the signature.
fn is_common_param(name: &str) -> bool {
    matches!(name, "Action" | "Version") || name.starts_with("X-Amz-")
}

/// True if an operation has a parameter of that name.
pub(crate) fn has_param(operation: &OperationShape, dialect: Dialect, name: &str) -> bool {
    operation.params.fields.iter().any(|field| dialect.is_form_name(field, name))
}

pub(crate) fn decode_request(route: Route, message: &HttpRequest, dialect: Dialect) -> Result<Request> {
    let form = read_form(message).map_err(|error| error.with_code(&error::MALFORMED_FORM))?;
    let mut malformed = None;
    let request = build_request(route.operation, &mut |params| {
        form.read(params, dialect).inspect_err(|error| {
            if dialect == Dialect::Query {
                malformed = Some(error.clone().with_code(&error::MALFORMED_FORM));
            }
        })
    });
    malformed.map_or(request, Err)
}

/// Adds the paths of the members of a form that the operation does not have to `found`.
pub(crate) fn unknown_members(
    route: Route,
    message: &HttpRequest,
    dialect: Dialect,
    found: &mut UnknownPaths,
) {
    if let Ok(form) = read_form(message) {
        form.unknown_members(route.operation.params, dialect, "", found);
    }
}

fn read_form(message: &HttpRequest) -> Result<Form> {
    let texts = form_texts(message);
    check_pair_count(texts)?;
    let mut form = Form::default();
    for pair in texts.into_iter().flat_map(uri::pairs) {
        let (name, value) = pair?;
        if !is_common_param(&name) {
            form.add(&name, value)?;
        }
    }
    Ok(form)
}

pub(crate) fn encode_answer(
    operation: &OperationShape,
    namespace: &str,
    answer: &dyn Fields,
    request_id: &str,
    dialect: Dialect,
) -> HttpResponse {
    let mut document = xml::Writer::new(dialect);
    let name = operation.name;
    document.root([name, "Response"], namespace, |document| match dialect {
        Dialect::Query => {
            document.root([name, "Result"], "", |document| document.record(answer));
            document.element("ResponseMetadata", |document| document.text("RequestId", request_id));
        }
        Dialect::Ec2 => {
            document.text("requestId", request_id);
            document.record(answer);
        }
    });
    response(200, content_type(dialect), document.into_bytes())
}

fn content_type(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Query => "text/xml",
        Dialect::Ec2 => "text/xml;charset=UTF-8",
    }
}

pub(crate) fn encode_error(
    error: &Error,
    namespace: &str,
    request_id: &str,
    dialect: Dialect,
) -> HttpResponse {
    let mut document = xml::Writer::new(dialect);
    let code_and_message = |document: &mut xml::Writer| {
        document.text("Code", error.code());
        if !error.wire_message().is_empty() {
            document.text("Message", error.wire_message());
        }
    };
    match dialect {
        Dialect::Query => document.root(["Error", "Response"], namespace, |document| {
            document.element("Error", |document| {
                document.text("Type", if error.status() < 500 { "Sender" } else { "Receiver" });
                code_and_message(document);
            });
            document.text("RequestId", request_id);
        }),
        Dialect::Ec2 => document.element("Response", |document| {
            document.element("Errors", |document| document.element("Error", code_and_message));
            document.text("RequestID", request_id);
        }),
    }
    response(error.status(), content_type(dialect), document.into_bytes())
}

pub(crate) fn decode_answer(request: &Request, message: &HttpResponse, dialect: Dialect) -> Answer {
    if !message.status().is_success() {
        return Err(decode_error(request, message));
    }
    let mut answer = (request.blank)();
    if !message.body().is_empty() {
        let read = Document::read(message.body(), dialect, request.operation.name, &mut *answer);
        read.map_err(undecodable_answer)?;
    }
    Ok(answer)
}

/// Decodes the error in `message`. Tries both dialects, because a gateway before the service may use the other one.
fn decode_error(request: &Request, message: &HttpResponse) -> Error {
    let status = message.status().as_u16();
    let root = Document::element(message.body()).unwrap_or_default();
    let error = root.child("Error").or_else(|| root.child("Errors")?.child("Error"));
    let text = |name: &str| error?.child(name).map(|element| element.text.trim());
    let code = text("Code").map_or_else(|| format!("HTTP{status}"), str::to_owned);
    let text =
        text("Message").map_or_else(|| format!("the service responded with status {status}"), str::to_owned);
    let error = error::from_response(request.service, message, &code, &text);
    let id = ["RequestId", "RequestID", "requestId"].iter().find_map(|name| root.child(name));
    match id {
        Some(id) => error.with_request_id(id.text.trim()),
        None => error,
    }
}
