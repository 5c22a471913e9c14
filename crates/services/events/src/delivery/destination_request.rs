//! Requests to API destinations, made from the destination, its connection, the target and the event.

use crate::{ApiDestination, ConnectionAuthorizationType, HttpParameters, input::InputPath};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use nephos_core::{
    Choice, Map, Text, Value,
    json::{self, Writing},
    percent,
};
use std::net::IpAddr;

/// Headers that requests have in any case.
const FIXED_HEADERS: &[(&str, &str)] = &[
    ("User-Agent", "Amazon/EventBridge/ApiDestinations"),
    ("Range", "bytes=0-1048575"),
    ("Accept-Encoding", "gzip,deflate"),
];

/// True for a URL of HTTP on this machine.
pub fn is_on_this_machine(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?']).next().unwrap_or_default();
    if authority.contains('@') {
        return false;
    }
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or("", |(host, _)| host),
        None => authority.split_once(':').map_or(authority, |(host, _)| host),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Replaces JSON paths in the path and query parameters of a target by the values of an event. A value that the event does not
/// have is an empty text. Headers have no paths.
pub(crate) fn fill_parameters(given: &HttpParameters, event: &Value) -> HttpParameters {
    let mut filled = given.clone();
    let paths = filled.path_parameter_values.iter_mut().flatten();
    let query = filled.query_string_parameters.iter_mut().flat_map(Map::values_mut);
    for value in paths.chain(query) {
        if value.starts_with("$.")
            && let Some(path) = InputPath::parse(value)
        {
            *value = match path.select(event) {
                None => Text::default(),
                Some(Value::Text(text)) => text,
                Some(other) => json::write(other.view(), Writing::EXPOSED).into(),
            };
        }
    }
    filled
}

/// Replaces each `*` in the path of a URL by the next of the values, if there is one.
pub fn fill_path(url: &str, values: &[Text]) -> String {
    let (path, query) = url.split_at(url.find('?').unwrap_or(url.len()));
    let mut values = values.iter();
    let mut filled = String::new();
    for part in path.split_inclusive('*') {
        match part.strip_suffix('*') {
            Some(before) => {
                filled.push_str(before);
                match values.next() {
                    Some(value) => percent::encode(&mut filled, value, false),
                    None => filled.push('*'),
                }
            }
            None => filled.push_str(part),
        }
    }
    filled + query
}

/// Names and values, in their order, where a later value replaces an earlier one.
#[derive(Default)]
struct Pairs(Vec<(Text, Text)>);

impl Pairs {
    /// Sets a value. Names of headers have no case.
    fn set(&mut self, name: &str, value: &str, ignores_case: bool) {
        let is_same = |known: &str| known == name || (ignores_case && known.eq_ignore_ascii_case(name));
        self.0.retain(|(known, _)| !is_same(known));
        self.0.push((name.into(), value.into()));
    }

    /// Sets the values of a list in the content of a secret.
    fn set_all(&mut self, list: &Value, ignores_case: bool) {
        for item in list.as_list().unwrap_or_default() {
            if let (Some(key), Some(value)) = (item["key"].as_text(), item["value"].as_text()) {
                self.set(key, value, ignores_case);
            }
        }
    }

    fn into_value(self) -> Value {
        self.0.into_iter().collect()
    }
}

/// Adds the body parameters of a connection to a body that is a JSON object.
fn add_to_body(body: &Text, list: &Value) -> Text {
    let items = list.as_list().unwrap_or_default();
    match json::parse(body.as_bytes()) {
        Ok(Value::Map(mut members)) if !items.is_empty() => {
            for item in items {
                let key = item["key"].as_text().unwrap_or_default();
                members.insert(key.into(), item["value"].clone());
            }
            json::write(Value::Map(members).view(), Writing::EXPOSED).into()
        }
        _ => body.clone(),
    }
}

/// Makes a request: method, URL, headers, query and body, and for the type `OAUTH_CLIENT_CREDENTIALS` the request for a token.
pub(crate) fn build(
    destination: &ApiDestination,
    ty: &ConnectionAuthorizationType,
    secret: &Map<Value>,
    target: Option<&HttpParameters>,
    body: &Text,
) -> Value {
    let (mut headers, mut query) = (Pairs::default(), Pairs::default());
    headers.set("Content-Type", "application/json; charset=utf-8", true);
    for (name, value) in target.and_then(|target| target.header_parameters.as_ref()).into_iter().flatten() {
        headers.set(name, value, true);
    }
    for (name, value) in
        target.and_then(|target| target.query_string_parameters.as_ref()).into_iter().flatten()
    {
        query.set(name, value, false);
    }
    let own = secret.get("invocation_http_parameters").unwrap_or(&Value::Null);
    headers.set_all(&own["header_parameters"], true);
    query.set_all(&own["query_string_parameters"], false);
    let text = |name: &str| secret.get(name).and_then(Value::as_text).unwrap_or_default();
    match ty {
        ConnectionAuthorizationType::Basic => {
            let credentials = STANDARD.encode(format!("{}:{}", text("username"), text("password")));
            headers.set("Authorization", &format!("Basic {credentials}"), true);
        }
        ConnectionAuthorizationType::ApiKey => headers.set(text("api_key_name"), text("api_key_value"), true),
        _ => {}
    }
    for (name, value) in FIXED_HEADERS {
        headers.set(name, value, true);
    }
    let values = target.and_then(|target| target.path_parameter_values.as_deref()).unwrap_or_default();
    let url = fill_path(destination.invocation_endpoint.as_deref().unwrap_or_default(), values);
    let token = (*ty == ConnectionAuthorizationType::OAuth).then(|| build_token_request(secret));
    let members = [
        ("method", destination.http_method.as_ref().map(|method| method.as_str()).into()),
        ("url", Value::from(url)),
        ("headers", headers.into_value()),
        ("query", query.into_value()),
        ("body", add_to_body(body, &own["body_parameters"]).into()),
        ("token", token.into()),
    ];
    members.into_iter().filter(|(_, value)| !value.is_null()).collect()
}

/// Makes the request for a token.
fn build_token_request(secret: &Map<Value>) -> Value {
    let text = |name: &str| secret.get(name).and_then(Value::as_text).unwrap_or_default();
    let own = secret.get("oauth_http_parameters").unwrap_or(&Value::Null);
    let (mut headers, mut query, mut form) = (Pairs::default(), Pairs::default(), Pairs::default());
    headers.set("Content-Type", "application/x-www-form-urlencoded; charset=utf-8", true);
    headers.set_all(&own["header_parameters"], true);
    query.set_all(&own["query_string_parameters"], false);
    // A request without a body has its parameters in the query.
    let sent = if text("http_method") == "GET" { &mut query } else { &mut form };
    sent.set("grant_type", "client_credentials", false);
    sent.set("client_id", text("client_id"), false);
    sent.set("client_secret", text("client_secret"), false);
    sent.set_all(&own["body_parameters"], false);
    let members = [
        ("method", Value::from(text("http_method"))),
        ("url", text("authorization_endpoint").into()),
        ("headers", headers.into_value()),
        ("query", query.into_value()),
        ("body", write_form(&form).into()),
    ];
    members.into_iter().collect()
}

fn write_form(form: &Pairs) -> String {
    let mut text = String::new();
    for (name, value) in &form.0 {
        if !text.is_empty() {
            text.push('&');
        }
        percent::encode(&mut text, name, false);
        text.push('=');
        percent::encode(&mut text, value, false);
    }
    text
}
