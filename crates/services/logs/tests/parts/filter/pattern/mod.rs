//! Tests of parts of `filter::pattern`.

mod columns;
mod condition;
mod dialect;
mod json;
mod terms;

use nephos_logs::parts::pattern::*;

/// Returns a generator of random numbers below a limit, the same in every run.
pub(crate) fn random_numbers(mut state: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    }
}

/// Asserts which messages match: rows of a pattern, messages that match, and messages that do not.
pub(super) fn assert_matches(rows: &[(&str, &[&str], &[&str])]) {
    for (text, matching, others) in rows {
        let pattern = Pattern::parse(text).unwrap();
        for message in *matching {
            assert!(pattern.matches(message), "{text} should match {message}");
            assert!(pattern.extract(message).is_some(), "{text} should extract from {message}");
        }
        for message in *others {
            assert!(!pattern.matches(message), "{text} should not match {message}");
            assert!(pattern.extract(message).is_none(), "{text} should not extract from {message}");
        }
    }
}

/// Asserts the extracted values: rows of a pattern, a message, and `name: value` joined by ` | `.
pub(super) fn assert_extracts(rows: &[(&str, &str, &str)]) {
    for (text, message, wanted) in rows {
        let values = Pattern::parse(text).unwrap().extract(message).unwrap();
        let values: Vec<_> = values.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        assert_eq!(values.join(" | "), *wanted, "{text} of {message}");
    }
}

/// Asserts that patterns are rejected: rows of a pattern and a part of the message or hint.
pub(super) fn assert_rejected(rows: &[(&str, &str)]) {
    for (text, expected) in rows {
        let error = Pattern::parse(text).map(|_| text).unwrap_err();
        assert_eq!(error.field(), Some("filterPattern"), "{text}");
        assert!(error.to_string().contains(expected), "{text} was rejected with: {error}");
    }
}

#[test]
fn an_empty_pattern_matches_everything() {
    let anything: &[&str] = &["", "word", "{\"a\": 1}", "two words"];
    assert_matches(&[
        ("", anything, &[]),
        ("  \t ", anything, &[]),
        ("\" \"", anything, &[]),
        ("\"\"", anything, &[]),
    ]);
}

#[test]
fn a_pattern_has_at_most_1024_characters() {
    assert!(Pattern::parse(&format!("\"{}\"", "é".repeat(1022))).is_ok());
    assert!(Pattern::parse(&"a".repeat(1024)).is_ok());
    assert_rejected(&[(&"a".repeat(1025), "1024 characters, got 1025")]);
}

#[test]
fn parentheses_are_nested_at_most_32_deep() {
    let nested = |depth: usize| format!("{{{}$.a = 1{}}}", "(".repeat(depth), ")".repeat(depth));
    assert!(Pattern::parse(&nested(32)).unwrap().matches("{\"a\": 1}"));
    assert_rejected(&[(&nested(33), "nested at most 32 deep")]);
    assert_rejected(&[(&format!("{{{}", "(".repeat(1000)), "it must end with '}'")]);
}

#[test]
fn parsing_and_matching_random_text_does_not_panic() {
    #[rustfmt::skip]
    const PIECES: [&str; 48] = [
        "{", "}", "[", "]", "(", ")", "\"", "%", "\\", "\\\"", "$.", "$", ".", "*", "...", ",", "=",
        "!=", "<", ">=", "&&", "||", " ", "\t", "-", "?", "a", "w1", "ERROR", "é", "日本", "1e3", "-5",
        "9999999999999999999", "IS NULL", "IS TRUE", "NOT EXISTS", "['a.b']", "[0]", "[*]", "{2,3}",
        "[^a-z]", "\\d", "\\x41", "|", "+", "\u{0}", "\n",
    ];
    let mut next = random_numbers(0x9E37_79B9_7F4A_7C15);
    let mut parsed = 0;
    for _ in 0..20_000 {
        let (open, close) =
            [("", ""), ("{ $.a = ", " }"), ("[", "]"), ("%", "%"), ("\"", "\""), ("{", "")][next(6)];
        let middle: String = (0..next(7)).map(|_| PIECES[next(PIECES.len())]).collect();
        let text = format!("{open}{middle}{close}");
        let message: String = (0..next(12)).map(|_| PIECES[next(PIECES.len())]).collect();
        match Pattern::parse(&text) {
            Ok(pattern) => {
                parsed += 1;
                assert_eq!(pattern.matches(&message), pattern.extract(&message).is_some(), "{text}");
            }
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{text}"),
        }
    }
    assert!(parsed > 1000, "only {parsed} of the random patterns were valid");
}
