//! Tests of `log_group::list_groups`.

use nephos_logs::parts::list_groups::matches_value;

#[test]
fn tag_values_match_with_wildcards_and_negation() {
    for (wanted, value, expected) in [
        ("prod", "prod", true),
        ("prod", "Prod", false),
        ("prod", "production", false),
        ("prod*", "Production", true),
        ("*tion", "PRODUCTION", true),
        ("*duct*", "production", true),
        ("prod*", "preprod", false),
        ("*prod", "production", false),
        ("*", "", true),
        ("", "", true),
        ("", "x", false),
        ("!prod", "prod", false),
        ("!prod", "test", true),
        ("!prod*", "Production", false),
    ] {
        assert_eq!(matches_value(wanted, value), expected, "{wanted} {value}");
    }
}
