//! Tests of `input::template`.

use nephos_core::{Value, json};
use nephos_events::input::{InputPath, template::*};

const EVENT: &str = r#"{"id": "1", "source": "shop", "detail": {"instance-id": "i-0123456789", "state": "RUNNING",
    "count": 3, "ready": true, "none": null, "quote": "say \"hi\"\n", "list": ["a", 1], "map": {"k": "v"}}}"#;

fn path(name: &str) -> Option<InputPath> {
    match name {
        "instance" => InputPath::parse("$.detail.instance-id"),
        "all" => InputPath::parse("$.detail.list[*]"),
        "state" | "count" | "ready" | "none" | "quote" | "list" | "map" | "missing" => {
            InputPath::parse(&format!("$.detail.{name}"))
        }
        _ => None,
    }
}

fn render(template: &str) -> String {
    let event = json::parse(EVENT.as_bytes()).unwrap();
    let rule = RuleFacts { arn: "arn:rule/r", name: "r", ingestion_time: "2026-01-31T12:00:00Z" };
    Template::parse(template, path).unwrap().render(&event, &rule).unwrap()
}

#[test]
fn text_that_becomes_too_long_is_not_made() {
    let event = Value::from_iter([("detail", Value::from_iter([("state", "x".repeat(MAX_INPUT / 4))]))]);
    let rule = RuleFacts { arn: "arn:rule/r", name: "r", ingestion_time: "2026-01-31T12:00:00Z" };
    let length = |count: usize| {
        let template = format!("{{{}}}", vec![r#""a": <state>"#; count].join(", "));
        Template::parse(&template, path).unwrap().render(&event, &rule).map(|text| text.len())
    };
    assert!(length(3).is_some());
    assert_eq!((length(4), length(600)), (None, None));
}

#[test]
fn values_are_quoted_only_outside_quotes() {
    for (template, expected) in [
        (r#""instance <instance> is in <state>""#, r#""instance i-0123456789 is in RUNNING""#),
        (r#""instance \"<instance>\" is in <state>""#, r#""instance \"i-0123456789\" is in RUNNING""#),
        (
            r#"{"instance" : <instance>, "state": "<state>"}"#,
            r#"{"instance" : "i-0123456789", "state": "RUNNING"}"#,
        ),
        (r#"{"state": [9, <state>, true]}"#, r#"{"state": [9, "RUNNING", true]}"#),
        (r#"{"n": <count>, "b": <ready>, "z": <none>}"#, r#"{"n": 3, "b": true, "z": null}"#),
        (r#"{"n": "<count>", "b": "<ready>", "z": "<none>"}"#, r#"{"n": "3", "b": "true", "z": "null"}"#),
        (r#"{"q": <quote>, "t": "<quote>"}"#, r#"{"q": "say \"hi\"\n", "t": "say \"hi\"\n"}"#),
        (r#"{"<state>": 1}"#, r#"{"RUNNING": 1}"#),
        ("<state>", r#""RUNNING""#),
        ("\"one <state>\"\n\"two <count>\"", "\"one RUNNING\"\n\"two 3\""),
    ] {
        assert_eq!(render(template), expected, "{template}");
    }
}

#[test]
fn arrays_and_objects_lose_their_quotes_inside_quotes() {
    assert_eq!(render(r#"{"l": <list>, "m": <map>}"#), r#"{"l": ["a",1], "m": {"k":"v"}}"#);
    assert_eq!(render(r#""<list> and <map> and <all>""#), r#""[a,1] and {k:v} and [a,1]""#);
}

#[test]
fn missing_values_are_empty_texts() {
    assert_eq!(render(r#"{"a": <missing>, "b": "<missing>!"}"#), r#"{"a": "", "b": "!"}"#);
}

#[test]
fn reserved_variables_are_replaced() {
    assert_eq!(
        render(
            r#"{"arn": <aws.events.rule-arn>, "name": "<aws.events.rule-name>", "time": <aws.events.event.ingestion-time>}"#
        ),
        r#"{"arn": "arn:rule/r", "name": "r", "time": "2026-01-31T12:00:00Z"}"#
    );
    assert_eq!(render(r#"{"e": <aws.events.event>}"#), r#"{"e": {"id":"1","source":"shop"}}"#);
    let whole = json::parse(render(r#"{"e": <aws.events.event.json>}"#).as_bytes()).unwrap();
    assert_eq!(whole.get("e"), Some(&json::parse(EVENT.as_bytes()).unwrap()));
}

#[test]
fn invalid_templates_are_refused() {
    let parse = |template: &str| Template::parse(template, path).err();
    let unknown = |name: &str| Some(TemplateError::UnknownPlaceholder(name.to_owned()));
    assert_eq!(parse(r#""<nothing>""#), unknown("nothing"));
    assert_eq!(parse(r#"{"a": <aws.events.other>}"#), unknown("aws.events.other"));
    assert_eq!(parse(r#""<>""#), unknown(""));
    for template in [r#"[<aws.events.event.json>]"#, r#""<aws.events.event.json>""#] {
        assert_eq!(parse(template), Some(TemplateError::ObjectNeeded("aws.events.event.json".to_owned())));
    }
    for template in ["instance <instance>", r#"{"a": <state>"#, r#"{"a": "<state>}"#, "\"a\" \"b\"", ""] {
        assert_eq!(parse(template), Some(TemplateError::NotJson), "{template}");
    }
    assert_eq!(parse(r#""a < b""#), None);
}
