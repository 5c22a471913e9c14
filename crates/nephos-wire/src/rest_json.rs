//! `restJson1`: the operation by method and path, and JSON bodies.

use crate::{
    HttpRequest, HttpResponse, MALFORMED, Route,
    aws_json::{read_json, undecodable_answer},
    build_request, error, response, scalar, uri,
};
use bytes::Bytes;
use http::{HeaderName, HeaderValue, Uri, header};
use nephos_core::{
    Answer, Error, ErrorKind, Ref, Request, Result, Text, TimeForm, Type, Value,
    field_value::{FieldValue, Open},
    fill::{self, Reader},
    json::{self, Writing},
    record::Fields,
    shape::{FieldShape, Location, OperationShape},
};

const CONTENT_TYPE: &str = "application/json";

pub(crate) fn encode_request(request: &Request) -> Result<HttpRequest> {
    let http = request.operation.http.ok_or_else(|| internal("the operation has no HTTP binding"))?;
    let params = &*request.params;
    let (mut path, mut query) = (String::new(), String::new());
    let mut message = HttpRequest::new(Bytes::new());
    encode_path(&mut path, http.path, params)?;
    for (field, value) in present_fields(params) {
        match field.location {
            Location::Query => encode_query(&mut query, field, value),
            Location::Header => put_header(message.headers_mut(), field, value)?,
            _ => {}
        }
    }
    if !query.is_empty() {
        path.push(if path.contains('?') { '&' } else { '?' });
        path.push_str(&query);
    }
    *message.uri_mut() = path.parse::<Uri>().map_err(|_| internal("the URI is invalid"))?;
    *message.method_mut() = http.method.parse().map_err(|_| internal("the method is invalid"))?;
    if has_body(request.operation) {
        let body = json::write_bytes(Ref::Record(params), Writing::WIRE);
        *message.body_mut() = body.into();
        message.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
    }
    Ok(message)
}

fn internal(message: &str) -> Error {
    Error::new(ErrorKind::Internal, message)
}

/// True if a parameter is in the body.
fn has_body(operation: &OperationShape) -> bool {
    operation.params.fields.iter().any(|field| field.location == Location::Body)
}

/// Returns the fields that are set, with their values.
fn present_fields(record: &dyn Fields) -> impl Iterator<Item = (&'static FieldShape, Ref<'_>)> {
    let fields = record.shape().fields.iter().enumerate();
    fields.map(|(index, field)| (field, record.field(index).view())).filter(|(_, value)| !value.is_null())
}

fn encode_path(path: &mut String, template: &str, params: &dyn Fields) -> Result<()> {
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        path.push_str(before);
        let (label, after) =
            after.split_once('}').ok_or_else(|| internal("the path template has an unclosed label"))?;
        let greedy = label.ends_with('+');
        let name = label.trim_end_matches('+');
        let (field, value) = present_fields(params)
            .find(|(field, _)| field.location == Location::Path && field.wire == name)
            .ok_or_else(|| Error::invalid(name, "is part of the path and required"))?;
        let text = encode_text(field, value, TimeForm::Iso8601);
        if text.is_empty() {
            return Err(Error::invalid(name, "is part of the path and cannot be empty"));
        }
        uri::encode(path, &text, greedy);
        rest = after;
    }
    path.push_str(rest);
    Ok(())
}

fn encode_query(query: &mut String, field: &FieldShape, value: Ref<'_>) {
    let mut put = |key: &str, value: Ref<'_>| {
        if !query.is_empty() {
            query.push('&');
        }
        uri::encode(query, key, false);
        query.push('=');
        uri::encode(query, &encode_text(field, value, TimeForm::Iso8601), false);
    };
    match value {
        Ref::List(items) => (0..items.len()).for_each(|n| put(field.wire, items.item(n))),
        Ref::Map(entries) => (0..entries.len()).for_each(|n| {
            let (key, value) = entries.entry(n);
            put(key, value);
        }),
        value => put(field.wire, value),
    }
}

fn encode_text(field: &FieldShape, value: Ref<'_>, usual: TimeForm) -> String {
    scalar::to_text(field, &field.ty, value, usual)
}

fn put_header(headers: &mut http::HeaderMap, field: &FieldShape, value: Ref<'_>) -> Result<()> {
    let name = HeaderName::from_bytes(field.wire.as_bytes())
        .map_err(|_| internal("the name of a header is invalid"))?;
    let text = encode_text(field, value, TimeForm::Http);
    let value = HeaderValue::from_str(&text)
        .map_err(|_| Error::invalid(field.name, "has characters that are not allowed in a header"))?;
    headers.insert(name, value);
    Ok(())
}

/// Reader for parameters in the path, the query string and headers: from text.
const TEXT_READER: Reader = scalar::from_text(Reader::REQUEST);

pub(crate) fn decode_request(route: Route, message: &HttpRequest) -> Result<Request> {
    let http = route.operation.http.ok_or_else(|| internal("the operation has no HTTP binding"))?;
    let labels = uri::match_template(http.path, message.uri().path()).unwrap_or_default();
    let query = uri::parse_pairs(message.uri().query().unwrap_or_default())
        .map_err(|error| error.with_code(&MALFORMED))?;
    let shape = route.operation.params;
    let mut malformed = None;
    let request = build_request(route.operation, &mut |params| {
        if has_body(route.operation) && !message.body().is_empty() {
            read_json(params, message.body(), route.service).inspect_err(|error| {
                malformed = Some(error.clone().with_code(&MALFORMED));
            })?;
        }
        for (index, field) in shape.fields.iter().enumerate() {
            let field_value = params.field_mut(index);
            let given = match field.location {
                Location::Path => {
                    put(field_value, field, labels.iter().find(|(label, _)| *label == field.wire))
                }
                Location::Query => {
                    put_all(field_value, field, query.iter().filter(|(key, _)| key == field.wire))
                }
                Location::Header => {
                    let header = message.headers().get(field.wire).and_then(|value| value.to_str().ok());
                    put(field_value, field, header.map(|header| (field.wire, Text::from(header))).as_ref())
                }
                Location::Body | Location::Payload | Location::NotOnWire => Ok(false),
            };
            if given.map_err(|error| fill::with_field(field, error))? {
                params.note_given(nephos_core::FieldSet::single(index));
            }
        }
        Ok(())
    });
    malformed.map_or(request, Err)
}

/// Sets a field to the value of a pair, if there is one; returns true if so.
fn put<K>(field_value: &mut dyn FieldValue, field: &FieldShape, pair: Option<&(K, Text)>) -> Result<bool> {
    let Some((_, text)) = pair else { return Ok(false) };
    scalar::put(field_value, field, &field.ty, text, &TEXT_READER)?;
    Ok(true)
}

/// Sets a field to the values of one name in the query string: all of them, if the parameter is a list.
fn put_all<'q>(
    field_value: &mut dyn FieldValue,
    field: &FieldShape,
    mut pairs: impl Iterator<Item = &'q (Text, Text)>,
) -> Result<bool> {
    let Type::List(ty) = field.ty else { return put(field_value, field, pairs.next()) };
    let mut pairs = pairs.peekable();
    if pairs.peek().is_none() {
        return Ok(false);
    }
    if let Open::List(list) = field_value.open() {
        for (n, (_, text)) in pairs.enumerate() {
            let filled = scalar::put(list.add(""), field, ty, text, &TEXT_READER);
            filled.map_err(|error| error.in_field(&format!("[{n}]")))?;
        }
    }
    Ok(true)
}

pub(crate) fn encode_answer(operation: &OperationShape, answer: &dyn Fields) -> HttpResponse {
    let status = operation.http.map_or(200, |http| http.status);
    let (content_type, body) = match payload(answer) {
        Some(Ref::Blob(bytes)) => ("application/octet-stream", bytes.to_vec()),
        Some(_) => (CONTENT_TYPE, Vec::new()),
        None if status == 204 => (CONTENT_TYPE, Vec::new()),
        None => (CONTENT_TYPE, json::write_bytes(Ref::Record(answer), Writing::WIRE)),
    };
    let mut message = response(status, content_type, body);
    for (field, value) in present_fields(answer).filter(|(field, _)| field.location == Location::Header) {
        // A value that is not valid in a header is omitted: there is no other location for it.
        let _ = put_header(message.headers_mut(), field, value);
    }
    message
}

/// Index of the field that is the whole body, if there is one.
fn payload_index(answer: &dyn Fields) -> Option<usize> {
    answer.shape().fields.iter().position(|field| field.location == Location::Payload)
}

/// Returns the value that is the whole body, if the record has such a field.
fn payload(answer: &dyn Fields) -> Option<Ref<'_>> {
    payload_index(answer).map(|index| answer.field(index).view())
}

pub(crate) fn encode_error(error: &Error) -> HttpResponse {
    let body = [("Code", Value::from(error.code())), ("Message", Value::from(error.wire_message()))];
    let body = Value::Map(body.into_iter().map(|(key, value)| (key.into(), value)).collect());
    let body = json::write_bytes(body.view(), Writing::EXPOSED);
    let mut message = response(error.status(), CONTENT_TYPE, body);
    error::set_code_header(&mut message, error);
    message
}

pub(crate) fn decode_answer(request: &Request, message: &HttpResponse) -> Answer {
    if !message.status().is_success() {
        return Err(error::from_json(request.service, message));
    }
    let mut answer = (request.blank)();
    if let Some(index) = payload_index(&*answer) {
        let body = Ref::Blob(message.body());
        fill::fill(answer.field_mut(index), body, &Reader::ANSWER).map_err(undecodable_answer)?;
    } else if !message.body().is_empty() {
        json::read(&mut *answer, message.body(), &Reader::ANSWER).map_err(undecodable_answer)?;
    }
    let shape = answer.shape();
    for (index, field) in
        shape.fields.iter().enumerate().filter(|(_, field)| field.location == Location::Header)
    {
        if let Some(text) = message.headers().get(field.wire).and_then(|value| value.to_str().ok()) {
            let reader = scalar::from_text(Reader::ANSWER);
            scalar::put(answer.field_mut(index), field, &field.ty, text, &reader)
                .map_err(undecodable_answer)?;
        }
    }
    Ok(answer)
}
