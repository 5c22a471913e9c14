//! Forms and JSON as botocore writes them, and XML of nephos as botocore reads it. `fixtures/query.py` records both.

use crate::{
    any,
    toys::{self, by_ec2_form, by_form, by_target},
};
use nephos_core::{
    Ref, Request, TimeForm, Value, dynamic,
    fill::Reader,
    json::{self, Writing},
    record::{self, Fields},
    shape::ServiceShape,
    time,
};
use nephos_wire::{
    HttpResponse, Route, decode_answer, decode_request, encode_answer, encode_error, encode_request, route,
};
use std::{fs, path::PathBuf};

fn fixtures() -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "fixtures"].iter().collect()
}

fn fixture_list(of: &str) -> Vec<Value> {
    let facts = json::parse(&fs::read(fixtures().join("query.json")).unwrap()).unwrap();
    match value_at(&facts, of) {
        Value::List(facts) if !facts.is_empty() => facts.clone(),
        _ => panic!("the fixtures have no {of}"),
    }
}

fn value_at<'v>(value: &'v Value, key: &str) -> &'v Value {
    let Value::Map(map) = value else { panic!("expected a mapping with {key}") };
    map.get(key).unwrap_or(&Value::Null)
}

fn service(fact: &Value) -> &'static ServiceShape {
    if value_at(fact, "protocol").as_text() == Some("ec2") {
        &by_ec2_form::SERVICE
    } else {
        &by_form::SERVICE
    }
}

fn read(record: &mut dyn Fields, value: &Value) {
    let text = json::write(value.view(), Writing::EXPOSED);
    json::read(record, text.as_bytes(), &Reader::ANSWER).unwrap();
}

fn request(service: &ServiceShape, operation: &str, params: &Value) -> Request {
    dynamic::request(any::operation(service, operation), &mut |record| {
        read(record, params);
        Ok(())
    })
    .unwrap()
}

/// True if two values of a form are equivalent.
fn is_equivalent(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    a == b
        || (number(a).is_some() && number(a) == number(b))
        || (time::parse(a).is_some() && time::parse(a) == time::parse(b))
}

#[test]
fn forms_match_botocore() {
    for fact in fixture_list("requests") {
        let service = service(&fact);
        let sent = request(service, "GrowTree", value_at(&fact, "params"));
        let message = encode_request(&sent).unwrap();
        let form = std::str::from_utf8(message.body()).unwrap();
        let decode = |text: &str| {
            let bytes = text.replace('+', " ");
            percent_decoded(&bytes)
        };
        let mut ours: Vec<(String, String)> = form
            .split('&')
            .map(|pair| pair.split_once('=').unwrap())
            .map(|(k, v)| (decode(k), decode(v)))
            .collect();
        let Value::List(pairs) = value_at(&fact, "pairs") else { panic!("expected a list of pairs") };
        let mut theirs: Vec<(String, String)> = pairs
            .iter()
            .map(|pair| match pair {
                Value::List(pair) => (pair[0].as_text().unwrap().into(), pair[1].as_text().unwrap().into()),
                _ => panic!("expected a pair"),
            })
            .collect();
        ours.sort();
        theirs.sort();
        let names =
            |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs));
        for ((name, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            assert!(is_equivalent(ours, theirs), "{name}: {ours:?} {theirs:?}");
        }
        // The other direction: botocore's form decodes to the same parameters.
        let mut body = String::new();
        for (name, value) in &theirs {
            let encoded: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
            body.push_str(&format!("{name}={encoded}&"));
        }
        let message = http::Request::post("/").body(body.into()).unwrap();
        let decoded = decode_request(route(&toys::REGISTRY, &message, None).unwrap(), &message).unwrap();
        let again = encode_request(&decoded).unwrap();
        assert_eq!(std::str::from_utf8(again.body()).unwrap(), form);
    }
}

/// True if two values of a body are equivalent.
fn is_equivalent_value(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_equivalent_value(a, b)))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_equivalent_value(a, b))
        }
        (Value::Text(a), Value::Text(b)) => is_equivalent(a, b),
        (a, b) => a.view().same(&b.view()),
    }
}

#[test]
fn json_matches_botocore() {
    for fact in fixture_list("bodies") {
        let message =
            encode_request(&request(&by_target::SERVICE, "GrowTree", value_at(&fact, "params"))).unwrap();
        let header = |name: &str| message.headers()[name].to_str().unwrap();
        assert_eq!(value_at(&fact, "target").as_text(), Some(header("x-amz-target")));
        assert_eq!(value_at(&fact, "content_type").as_text(), Some(header("content-type")));
        let ours = json::parse(message.body()).unwrap();
        assert!(
            is_equivalent_value(&ours, value_at(&fact, "body")),
            "{ours:?}\n{:?}",
            value_at(&fact, "body")
        );
        let theirs = json::write(value_at(&fact, "body").view(), Writing::EXPOSED);
        let mut message = message.clone();
        *message.body_mut() = theirs.into();
        let decoded = decode_request(route(&toys::REGISTRY, &message, None).unwrap(), &message).unwrap();
        assert_eq!(json::parse(encode_request(&decoded).unwrap().body()).unwrap(), ours);
    }
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap() as u8;
        bytes.push(if byte == b'%' { digit() * 16 + digit() } else { byte });
    }
    String::from_utf8(bytes).unwrap()
}

/// Returns the answers that the server writes, by file name.
fn encoded_answers() -> Vec<(String, Request, Box<dyn Fields>, HttpResponse)> {
    let mut written = Vec::new();
    for (protocol, service) in [("query", &by_form::SERVICE), ("ec2", &by_ec2_form::SERVICE)] {
        let name = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
        let answers = fixture_list("said").into_iter().map(|answer| ("GrowTree", answer));
        for (n, (operation, fields)) in
            answers.chain([("FellTree", Value::Map(Default::default()))]).enumerate()
        {
            let request = request(service, operation, &name);
            let mut answer = (request.blank)();
            read(&mut *answer, &fields);
            let message = encode_answer(Route { service, operation: request.operation }, &*answer, "id-7");
            written.push((format!("{protocol}-{n}-{operation}.xml"), request, answer, message));
        }
    }
    written
}

fn encoded_errors() -> Vec<(String, HttpResponse)> {
    let mut refused = Vec::new();
    for (protocol, service) in [("query", &by_form::SERVICE), ("ec2", &by_ec2_form::SERVICE)] {
        for code in service.codes {
            let message =
                encode_error(service.protocol, &code.with_message("no \"oak\" <here> & there"), "id-8");
            refused.push((format!("{protocol}-{}.xml", code.status), message));
        }
    }
    refused
}

#[test]
#[ignore = "writes the files that fixtures/query.py reads"]
fn write_answers() {
    let files = encoded_answers().into_iter().map(|(file, .., message)| ("answers", file, message));
    for (folder, file, message) in
        files.chain(encoded_errors().into_iter().map(|(file, m)| ("refusals", file, m)))
    {
        fs::create_dir_all(fixtures().join(folder)).unwrap();
        fs::write(fixtures().join(folder).join(file), message.body()).unwrap();
    }
}

#[test]
fn answers_are_readable_by_botocore() {
    let facts = fixture_list("answers");
    assert_eq!(facts.len(), encoded_answers().len());
    for (file, request, sent, message) in encoded_answers() {
        let fact = facts.iter().find(|fact| value_at(fact, "file").as_text() == Some(&file)).unwrap();
        // The recorded file is what the server writes today …
        assert_eq!(fs::read(fixtures().join("answers").join(&file)).unwrap(), **message.body(), "{file}");
        // … and botocore and nephos decode it to the same answer.
        let mut theirs = (request.blank)();
        read(&mut *theirs, value_at(fact, "parsed"));
        let shown = |record: &dyn Fields| {
            json::write(Ref::Record(record), Writing { time: TimeForm::Iso8601, ..Writing::WIRE })
        };
        assert!(record::same(&*sent, &*theirs), "{file}\n{}\n{}", shown(&*sent), shown(&*theirs));
        let ours = decode_answer(&request, &message).unwrap();
        assert!(record::same(&*sent, &*ours), "{file}");
        assert_eq!(value_at(fact, "request_id").as_text(), Some("id-7"));
    }
}

#[test]
fn errors_are_readable_by_botocore() {
    let facts = fixture_list("refusals");
    for (file, message) in encoded_errors() {
        let fact = facts.iter().find(|fact| value_at(fact, "file").as_text() == Some(&file)).unwrap();
        assert_eq!(fs::read(fixtures().join("refusals").join(&file)).unwrap(), **message.body(), "{file}");
        let error = value_at(value_at(fact, "parsed"), "Error");
        let code = service(fact).codes.iter().find(|code| code.status == message.status().as_u16()).unwrap();
        assert_eq!(value_at(error, "Code").as_text(), Some(code.code));
        assert_eq!(value_at(error, "Message").as_text(), Some("no \"oak\" <here> & there"));
        let metadata = value_at(value_at(fact, "parsed"), "ResponseMetadata");
        assert_eq!(value_at(metadata, "RequestId").as_text(), Some("id-8"));
    }
}
