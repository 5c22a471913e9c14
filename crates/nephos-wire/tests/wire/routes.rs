//! Routing of messages to operations.

use crate::toys::REGISTRY;
use nephos_core::shape::Protocol;
use nephos_wire::{HttpRequest, encode_error, protocol, route};

fn post(form: &str) -> HttpRequest {
    http::Request::post("/").body(form.to_owned().into()).unwrap()
}

fn route_name(message: &HttpRequest, signed_for: Option<&str>) -> String {
    match route(&REGISTRY, message, signed_for) {
        Ok(route) => format!("{}.{}", route.service.name, route.operation.name),
        Err(error) => error.to_string(),
    }
}

#[test]
fn version_selects_between_services_with_the_same_signing_name() {
    let grow = |version| route_name(&post(&format!("Version={version}&Action=GrowTree")), Some("grove"));
    assert_eq!(grow("2012-06-01"), "by_form.GrowTree");
    assert_eq!(grow("2015-12-01"), "by_newer_form.GrowTree");
    assert_eq!(grow("2020-01-01"), "InvalidAction: Could not find operation GrowTree for version 2020-01-01");
    assert_eq!(route_name(&post("Action=GrowTree"), Some("grove")), "by_form.GrowTree");
    assert_eq!(route_name(&post("Action=GrowTree"), Some("ec2grove")), "by_ec2_form.GrowTree");
    assert_eq!(route_name(&post("Action=GrowTree&Version=2016-11-15"), None), "by_ec2_form.GrowTree");
    assert_eq!(
        route_name(&post("Action=FellTre&Version=2012-06-01"), Some("grove")),
        "InvalidAction: by_form has no operation \"FellTre\" (did you mean FellTree?)"
    );
    assert_eq!(
        route_name(&post("Action=GrowTree"), Some("nobody")),
        "InvalidAction: Could not find operation GrowTree for version NO_VERSION_SPECIFIED"
    );
}

#[test]
fn parameters_select_between_services_with_the_same_action() {
    let describe =
        |form| route_name(&post(&format!("Action=DescribeTrees&Version=2015-12-01&{form}")), Some("grove"));
    assert_eq!(describe("Names.member.1=x"), "by_newer_form.DescribeTrees");
    assert_eq!(describe("Species=oak"), "by_twin_form.DescribeTrees");
    assert_eq!(describe("X-Amz-Date=now&Unheard=1"), "by_newer_form.DescribeTrees");
}

#[test]
fn action_in_query_string_is_routed() {
    let get = http::Request::get("/?Action=FellTree&Version=2012-06-01&Name=a%20b+c")
        .body(Default::default())
        .unwrap();
    assert_eq!(route_name(&get, None), "by_form.FellTree");
    let json =
        http::Request::post("/").header("content-type", "application/json").body("Action=FellTree".into());
    assert!(route_name(&json.unwrap(), None).starts_with("UnknownOperationException"));
}

#[test]
fn services_answer_at_their_own_paths_only() {
    let at = |path: &str, target: Option<&str>| {
        let mut message = http::Request::post(path);
        if let Some(target) = target {
            message = message.header("x-amz-target", target);
        }
        route_name(&message.body("Action=FellTree&Version=2012-06-01".into()).unwrap(), None)
    };
    let target = REGISTRY.services.iter().find_map(|service| match service.protocol {
        Protocol::AwsJson { target, .. } => Some(format!("{target}{}", service.operations[0].name)),
        _ => None,
    });
    let target = target.as_deref();
    assert_eq!(at("/", None), "by_form.FellTree");
    assert!(!at("/", target).contains("no operation has"), "{}", at("/", target));
    for path in ["//", "/x", "/x/", "//_nephos/forks/try", "/./", "/..", "/%2F"] {
        for target in [None, target] {
            let found = at(path, target);
            assert_eq!(
                found,
                format!("UnknownOperationException: no operation has POST {path}"),
                "{target:?}"
            );
        }
    }
}

#[test]
fn number_of_parameters_of_a_form_is_limited() {
    let form =
        |more: usize| post(&format!("Action=FellTree&Version=2012-06-01&Name=a{}", "&A=".repeat(more)));
    assert_eq!(route_name(&form(100_000 - 3), None), "by_form.FellTree");
    let message = form(100_000 - 2);
    let error = route(&REGISTRY, &message, None).unwrap_err();
    assert_eq!((error.code(), error.status()), ("MalformedInput", 400));
    assert_eq!(error.message(), "a form can have at most 100000 parameters");
    let found = route(&REGISTRY, &form(0), None).unwrap();
    assert_eq!(nephos_wire::decode_request(found, &message).unwrap_err().message(), error.message());
    assert!(nephos_wire::decode_request(found, &form(0)).is_ok());
}

#[test]
fn protocol_of_a_form_without_its_body_is_that_of_the_service() {
    let form = http::Request::post("/").header("content-type", "application/x-www-form-urlencoded");
    let form = form.body(Default::default()).unwrap();
    assert!(matches!(protocol(&REGISTRY, &form, Some("ec2grove")), Protocol::Ec2Query { .. }));
    assert_eq!(protocol(&REGISTRY, &form, None), Protocol::AwsQuery { namespace: "" });
}

#[test]
fn unknown_operation_error_uses_the_protocol_of_the_request() {
    let namespace = |version: &str| format!("http://grove.example/{version}/");
    let error_body = |message: &HttpRequest, signed_for| {
        let error = route(&REGISTRY, message, signed_for).unwrap_err();
        let protocol = protocol(&REGISTRY, message, signed_for);
        String::from_utf8(encode_error(protocol, &error, "id").body().to_vec()).unwrap()
    };
    let wrong = post("Action=Nothing&Version=2015-12-01");
    let body = error_body(&wrong, Some("grove"));
    assert!(body.contains("<Code>InvalidAction</Code>") && body.contains(&namespace("2015-12-01")), "{body}");
    assert!(error_body(&wrong, None).contains(&namespace("2015-12-01")));
    assert!(error_body(&post("Action=Nothing"), Some("grove")).contains(&namespace("2012-06-01")));
    assert!(error_body(&post("Action=Nothing"), Some("ec2grove")).contains("<Response><Errors>"));
    assert!(error_body(&post("Action=Nothing"), None).contains("<ErrorResponse>"));
    let get = http::Request::get("/nothing").body(Default::default()).unwrap();
    assert_eq!(protocol(&REGISTRY, &get, None), Protocol::RestJson);
    assert_eq!(protocol(&REGISTRY, &get, Some("lambda")), Protocol::RestJson);
    assert!(error_body(&get, Some("s3")).contains("<Code>UnknownOperationException</Code>"));
    let target = http::Request::post("/").header("x-amz-target", "No.Such").body(Default::default()).unwrap();
    assert!(error_body(&target, None).contains("\"__type\":\"UnknownOperationException\""));
}
