//! Members that an operation does not have are ignored; values of the wrong type are refused in the provider's words.

use crate::toys::REGISTRY;
use nephos_core::{Error, Value, record};
use nephos_wire::{HttpRequest, decode_request, route, unknown_members};

/// Requests with unknown members, and the paths of these.
fn requests() -> Vec<(HttpRequest, &'static [&'static str])> {
    let form = |form: &str| http::Request::post("/").body(form.to_owned().into()).unwrap();
    vec![
        (
            json(
                r#"{"Name":"oak","Age":3,"Tree":{"Name":"oak","Leaf":{"Nam":1,"Veins":{"a":[]}},"Rows":[{"Old":1},{"Old":2}],
                    "ByName":{"x":{"Odd":true}}}}"#,
            ),
            &["Age", "Tree.Leaf.Nam", "Tree.Leaf.Veins", "Tree.Rows[].Old", "Tree.ByName{}.Odd"],
        ),
        (
            http::Request::post("/v1/trees/oak?age=3&name=x&X-Amz-Date=now")
                .body(r#"{"Tree":{"Name":"oak"},"name":1}"#.into())
                .unwrap(),
            &["name", "age"],
        ),
        (
            form(
                "Action=GrowTree&Version=2012-06-01&Name=oak&Age=3&Tree.Name=oak&Tree.Leaf.Nam=1&Tree.Rows.member.1.Old=1\
                 &Tree.ByName.entry.1.key=x&Tree.ByName.entry.1.value.Odd=1",
            ),
            &["Age", "Tree.Leaf.Nam", "Tree.Rows.member.1.Old", "Tree.ByName.entry.1.value.Odd"],
        ),
        (
            form("Action=GrowTree&Version=2016-11-15&Name=oak&Age=3&Tree.Name=oak&Tree.bark=rough"),
            &["Age", "Tree.bark"],
        ),
    ]
}

fn json(body: &str) -> HttpRequest {
    let target = ("x-amz-target", "Grove_20140328.GrowTree");
    http::Request::post("/").header(target.0, target.1).body(body.to_owned().into()).unwrap()
}

#[test]
fn unknown_members_are_ignored_and_found() {
    for (message, unknown) in requests() {
        let route = route(&REGISTRY, &message, None).unwrap();
        assert_eq!(unknown_members(route, &message), unknown, "{message:?}");
        let request = decode_request(route, &message).unwrap();
        let value = |path: &str| record::get(&*request.params, path).unwrap();
        assert_eq!((value("Name"), value("Tree.Name")), ("oak".into(), "oak".into()));
        assert_eq!(value("Tree.Leaf.Name"), Value::Null);
    }
}

#[test]
fn number_of_unknown_members_is_limited() {
    let members: Vec<_> = (0..1000).map(|n| format!("\"x{n}\":1")).collect();
    let message = json(&format!("{{\"Name\":\"oak\",{}}}", members.join(",")));
    let route = route(&REGISTRY, &message, None).unwrap();
    assert_eq!(unknown_members(route, &message).len(), 20);
    assert!(decode_request(route, &message).is_ok());
}

#[test]
fn path_of_an_unknown_member_is_shortened_and_not_repeated() {
    let message = json(&format!("{{\"{}\":1}}", "é".repeat(100_000)));
    let found = unknown_members(route(&REGISTRY, &message, None).unwrap(), &message);
    assert_eq!(found, ["é".repeat(200)]);
    let message = json(r#"{"Tree":{"Rows":[{"Old":1,"Odd":1},{"Old":2,"Odd":2}]}}"#);
    let found = unknown_members(route(&REGISTRY, &message, None).unwrap(), &message);
    assert_eq!(found, ["Tree.Rows[].Old", "Tree.Rows[].Odd"]);
}

#[test]
fn number_of_values_in_a_json_body_is_limited() {
    let body = |count: usize| {
        let members: Vec<_> = (2..count).map(|n| format!("\"x{n}\":1")).collect();
        format!("{{\"Name\":\"oak\",{}}}", members.join(","))
    };
    let rest = |body: String| http::Request::post("/v1/trees/oak").body(body.into()).unwrap();
    for (message, is_accepted) in [
        (json(&body(100_000)), true),
        (json(&body(100_002)), false),
        (json(&format!("{{\"Name\":\"{}\"}}", ",".repeat(300_000))), true),
        (rest(body(100_002)), false),
    ] {
        let route = route(&REGISTRY, &message, None).unwrap();
        match decode_request(route, &message) {
            Ok(_) => assert!(is_accepted),
            Err(error) => {
                assert!(!is_accepted, "{error}");
                assert_eq!((error.code(), error.status()), ("SerializationException", 400));
                assert_eq!(error.message(), "a JSON body can have at most 100000 members and items");
                assert!(unknown_members(route, &message).is_empty());
            }
        }
    }
}

#[test]
fn json_of_the_wrong_type_is_a_serialization_error() {
    for (body, text) in [
        (r#"{"Name":1}"#, "NUMBER_VALUE can not be converted to a String"),
        (r#"{"Name":"a","MaxRings":"many"}"#, "STRING_VALUE can not be converted to an Integer"),
        (r#"{"Name":true}"#, "TRUE_VALUE can not be converted to a String"),
        (r#"{"Name":"a","Tree":[]}"#, "Start of list found where not expected"),
        (r#"{"Name":{}}"#, "Start of structure or map found where not expected."),
        (r#"{"Name":"a","Tree":{"Leaf":{"Note":1}}}"#, "NUMBER_VALUE can not be converted to a String"),
    ] {
        let message = json(body);
        let refused = decode_request(route(&REGISTRY, &message, None).unwrap(), &message);
        let error: Error = refused.map(drop).unwrap_err();
        assert_eq!((error.code(), error.wire_message()), ("SerializationException", text), "{body}");
    }
}
