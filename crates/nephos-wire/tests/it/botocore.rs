//! Forms and JSON as botocore writes them, and our XML as botocore reads it: `fixtures/query.py` writes down both.

use crate::{
    any,
    toys::{self, by_ec2_form, by_form, by_target},
};
use nephos_core::{
    Ref, Request, TimeForm, Value,
    dynamic::{self, Reach},
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

fn facts(of: &str) -> Vec<Value> {
    let facts = json::parse(&fs::read(fixtures().join("query.json")).unwrap()).unwrap();
    match at(&facts, of) {
        Value::List(facts) if !facts.is_empty() => facts.clone(),
        _ => panic!("there are no {of}"),
    }
}

fn at<'v>(value: &'v Value, key: &str) -> &'v Value {
    let Value::Map(map) = value else { panic!("{key} is in no mapping") };
    map.get(key).unwrap_or(&Value::Null)
}

fn service(fact: &Value) -> &'static ServiceShape {
    if at(fact, "protocol").as_text() == Some("ec2") { &by_ec2_form::SERVICE } else { &by_form::SERVICE }
}

fn read(record: &mut dyn Fields, value: &Value) {
    let text = json::write(value.view(), Writing::EXPOSED);
    json::read(record, text.as_bytes(), &Reader::ANSWER).unwrap();
}

fn request(service: &ServiceShape, operation: &str, params: &Value) -> Request {
    let Reach::Wire(request) = dynamic::reach(any::operation(service, operation)) else {
        panic!("of the wire")
    };
    request(&mut |record| {
        read(record, params);
        Ok(())
    })
    .unwrap()
}

/// Whether two values of a form say the same.
fn says_the_same(a: &str, b: &str) -> bool {
    let number = |text: &str| text.parse::<f64>().ok();
    a == b
        || (number(a).is_some() && number(a) == number(b))
        || (time::parse(a).is_some() && time::parse(a) == time::parse(b))
}

#[test]
fn our_forms_are_those_of_botocore() {
    for fact in facts("requests") {
        let service = service(&fact);
        let sent = request(service, "GrowTree", at(&fact, "params"));
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
        let Value::List(pairs) = at(&fact, "pairs") else { panic!("pairs") };
        let mut theirs: Vec<(String, String)> = pairs
            .iter()
            .map(|pair| match pair {
                Value::List(pair) => (pair[0].as_text().unwrap().into(), pair[1].as_text().unwrap().into()),
                _ => panic!("a pair"),
            })
            .collect();
        ours.sort();
        theirs.sort();
        let names =
            |pairs: &[(String, String)]| pairs.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&ours), names(&theirs));
        for ((name, ours), (_, theirs)) in ours.iter().zip(&theirs) {
            assert!(says_the_same(ours, theirs), "{name}: {ours:?} {theirs:?}");
        }
        // The other way: what botocore sends is what was meant.
        let mut body = String::new();
        for (name, value) in &theirs {
            let encoded: String = value.bytes().map(|byte| format!("%{byte:02x}")).collect();
            body.push_str(&format!("{name}={encoded}&"));
        }
        let message = http::Request::post("/").body(body.into()).unwrap();
        let heard = decode_request(route(&toys::REGISTRY, &message, None).unwrap(), &message).unwrap();
        let again = encode_request(&heard).unwrap();
        assert_eq!(std::str::from_utf8(again.body()).unwrap(), form);
    }
}

/// Whether two values of a body say the same.
fn value_says_the_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Map(a), Value::Map(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| value_says_the_same(a, b)))
        }
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| value_says_the_same(a, b))
        }
        (Value::Text(a), Value::Text(b)) => says_the_same(a, b),
        (a, b) => a.view().same(&b.view()),
    }
}

#[test]
fn our_json_is_that_of_botocore() {
    for fact in facts("bodies") {
        let message = encode_request(&request(&by_target::SERVICE, "GrowTree", at(&fact, "params"))).unwrap();
        let header = |name: &str| message.headers()[name].to_str().unwrap();
        assert_eq!(at(&fact, "target").as_text(), Some(header("x-amz-target")));
        assert_eq!(at(&fact, "content_type").as_text(), Some(header("content-type")));
        let ours = json::parse(message.body()).unwrap();
        assert!(value_says_the_same(&ours, at(&fact, "body")), "{ours:?}\n{:?}", at(&fact, "body"));
        let theirs = json::write(at(&fact, "body").view(), Writing::EXPOSED);
        let mut message = message.clone();
        *message.body_mut() = theirs.into();
        let heard = decode_request(route(&toys::REGISTRY, &message, None).unwrap(), &message).unwrap();
        assert_eq!(json::parse(encode_request(&heard).unwrap().body()).unwrap(), ours);
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

/// The answers that our server writes, by the names of their files.
fn written() -> Vec<(String, Request, Box<dyn Fields>, HttpResponse)> {
    let mut written = Vec::new();
    for (protocol, service) in [("query", &by_form::SERVICE), ("ec2", &by_ec2_form::SERVICE)] {
        let name = Value::Map([("Name".into(), "oak".into())].into_iter().collect());
        let said = facts("said").into_iter().map(|said| ("GrowTree", said));
        for (n, (operation, said)) in said.chain([("FellTree", Value::Map(Default::default()))]).enumerate() {
            let request = request(service, operation, &name);
            let mut answer = (request.blank)();
            read(&mut *answer, &said);
            let message = encode_answer(Route { service, operation: request.operation }, &*answer, "id-7");
            written.push((format!("{protocol}-{n}-{operation}.xml"), request, answer, message));
        }
    }
    written
}

fn refused() -> Vec<(String, HttpResponse)> {
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
#[ignore = "writes what fixtures/query.py reads"]
fn write_answers() {
    let files = written().into_iter().map(|(file, .., message)| ("answers", file, message));
    for (folder, file, message) in files.chain(refused().into_iter().map(|(file, m)| ("refusals", file, m))) {
        fs::create_dir_all(fixtures().join(folder)).unwrap();
        fs::write(fixtures().join(folder).join(file), message.body()).unwrap();
    }
}

#[test]
fn our_answers_are_what_botocore_reads() {
    let facts = facts("answers");
    assert_eq!(facts.len(), written().len());
    for (file, request, said, message) in written() {
        let fact = facts.iter().find(|fact| at(fact, "file").as_text() == Some(&file)).unwrap();
        // What botocore read is what we write today …
        assert_eq!(fs::read(fixtures().join("answers").join(&file)).unwrap(), **message.body(), "{file}");
        // … and it understood what was said; so do we.
        let mut theirs = (request.blank)();
        read(&mut *theirs, at(fact, "parsed"));
        let shown = |record: &dyn Fields| {
            json::write(Ref::Record(record), Writing { time: TimeForm::Iso8601, ..Writing::WIRE })
        };
        assert!(record::same(&*said, &*theirs), "{file}\n{}\n{}", shown(&*said), shown(&*theirs));
        let ours = decode_answer(&request, &message).unwrap();
        assert!(record::same(&*said, &*ours), "{file}");
        assert_eq!(at(fact, "request_id").as_text(), Some("id-7"));
    }
}

#[test]
fn our_refusals_are_what_botocore_reads() {
    let facts = facts("refusals");
    for (file, message) in refused() {
        let fact = facts.iter().find(|fact| at(fact, "file").as_text() == Some(&file)).unwrap();
        assert_eq!(fs::read(fixtures().join("refusals").join(&file)).unwrap(), **message.body(), "{file}");
        let error = at(at(fact, "parsed"), "Error");
        let code = service(fact).codes.iter().find(|code| code.status == message.status().as_u16()).unwrap();
        assert_eq!(at(error, "Code").as_text(), Some(code.code));
        assert_eq!(at(error, "Message").as_text(), Some("no \"oak\" <here> & there"));
        let metadata = at(at(fact, "parsed"), "ResponseMetadata");
        assert_eq!(at(metadata, "RequestId").as_text(), Some("id-8"));
    }
}
