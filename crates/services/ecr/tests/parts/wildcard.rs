//! Tests of `wildcard`.

use nephos_ecr::wildcard::matches;

#[test]
fn wildcards_stand_for_any_characters() {
    for (pattern, text) in [
        ("*", ""),
        ("*", "web"),
        ("prod-*", "prod-"),
        ("*web", "a/web"),
        ("a*b*c", "abbc"),
        ("a**b", "ab"),
        ("a", "a"),
    ] {
        assert!(matches(pattern, text), "{pattern} matches {text}");
    }
    for (pattern, text) in
        [("prod-*", "x-prod-a"), ("*web", "web/a"), ("a*b*c", "acb"), ("ab*ba", "aba"), ("a", "ab")]
    {
        assert!(!matches(pattern, text), "{pattern} does not match {text}");
    }
}
