//! Tests of `filter::pattern::condition`.

use nephos_logs::parts::condition::*;

#[test]
fn parse_number_accepts_only_numbers() {
    for text in ["0", "+1000", "-3", "55.5", "1e-3", "1E+3", "10e3", "007", "9223372036854775808"] {
        assert!(parse_number(text).is_some(), "{text}");
    }
    for text in ["", "-", "inf", "nan", "1.2.3", "1e", "0x1F", "1_000", ".5", "5.", "1e999", "4*"] {
        assert!(parse_number(text).is_none(), "{text}");
    }
}

#[test]
fn asterisks_are_wildcards_only_at_the_ends() {
    let matches = |wildcard: &str, value: &str| Wildcard::new(wildcard).matches(value);
    assert!(matches("*Event", "PutEvent") && !matches("*Event", "EventId"));
    assert!(matches("Event*", "EventId") && !matches("Event*", "PutEvent"));
    assert!(matches("*html*", "GET /index.html HTTP/1.0"));
    assert!(matches("Ev*ent", "Ev*ent") && !matches("Ev*ent", "Ev-ent"));
    assert!(matches("*", "") && matches("**", "anything"));
}
