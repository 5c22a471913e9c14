//! Tests of `input::path`.

use nephos_core::json::{self, Writing};
use nephos_events::input::path::*;

const EVENT: &str = r#"{"detail-type": "Order", "resources": ["a", "b"],
    "detail": {"a/b": 1, "x y": 2, "none": null, "items": [{"id": 1}, {"id": 2}, {}]}}"#;

fn select(path: &str) -> Option<String> {
    let event = json::parse(EVENT.as_bytes()).unwrap();
    let found = InputPath::parse(path).unwrap().select(&event)?;
    Some(json::write(found.view(), Writing::EXPOSED))
}

#[test]
fn paths_select_members_items_and_all() {
    for (path, expected) in [
        ("$.detail-type", Some(r#""Order""#)),
        ("$.resources", Some(r#"["a","b"]"#)),
        ("$.resources[1]", Some(r#""b""#)),
        ("$.resources[2]", None),
        ("$.detail.a/b", Some("1")),
        ("$.detail['x y']", Some("2")),
        ("$.detail.none", Some("null")),
        ("$.detail.missing", None),
        ("$.detail.items[1].id", Some("2")),
        ("$.detail.items[*].id", Some("[1,2]")),
        ("$.detail.items[0].*", Some("[1]")),
        ("$.detail.items.id", None),
        ("$.resources[*]", Some(r#"["a","b"]"#)),
        ("$.missing[*]", Some("[]")),
    ] {
        assert_eq!(select(path).as_deref(), expected, "{path}");
    }
    let event = json::parse(EVENT.as_bytes()).unwrap();
    assert_eq!(InputPath::parse("$").unwrap().select(&event), Some(event));
}

#[test]
fn other_texts_are_not_paths() {
    for text in [
        "", "detail", "$detail", "$.", "$..id", "$.a b", "$.a[", "$.a[x]", "$.a[-1]", "$.a[]", "$.a['']",
        "$.a.",
    ] {
        assert_eq!(InputPath::parse(text), None, "{text}");
    }
}
