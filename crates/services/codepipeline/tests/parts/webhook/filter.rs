//! Tests of `webhook::filter`.

use nephos_codepipeline::parts::filter::*;
use nephos_core::json;

#[test]
fn values_are_found_by_paths() {
    let body = json::parse(br#"{"ref": "refs/heads/main", "commits": [{"id": 7}], "a.b": true}"#).unwrap();
    let find = |path: &str| find_value(&body, path).map(to_text);
    assert_eq!(find("$.ref").as_deref(), Some("refs/heads/main"));
    assert_eq!(find("$['ref']").as_deref(), Some("refs/heads/main"));
    assert_eq!(find("$.commits[0].id").as_deref(), Some("7"));
    assert_eq!(find("$['a.b']").as_deref(), Some("true"));
    for missing in ["$.commits[1]", "$.ref.x", "$..ref", "ref", "$.commits[", "$."] {
        assert_eq!(find(missing), None, "{missing}");
    }
}
