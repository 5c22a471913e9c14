//! Tests of `filter::pattern::dialect`.

use nephos_logs::parts::dialect::*;

#[test]
fn operators_match_as_documented() {
    let rows: &[(&str, &[&str], &[&str])] = &[
        ("^[hc]at", &["hat", "cat food"], &["a hat", "bat"]),
        ("[hc]at$", &["a hat", "cat"], &["cats"]),
        ("colou?r", &["color", "colour"], &["colouur"]),
        ("[abcx-z]", &["y"], &["m", "-"]),
        ("^a{3,5}$", &["aaa", "aaaaa"], &["aa", "aaaaaa"]),
        ("^a{,2}$", &["", "aa"], &["aaa"]),
        ("^a{2, }$", &["aa", "aaaa"], &["a"]),
        ("^starting|^shutting down", &["starting up", "shutting down"], &["not starting"]),
        ("abcc|ab[^c]$", &["abcc ...", "aba"], &["aac", "abc"]),
        (r"\[.\]", &["[a]", "[]]", "x[ ]"], &["[]", "[ab]"]),
        (r"10\.10\.0\.1", &["10.10.0.1"], &["10010,051"]),
        ("ab*c", &["ac", "abbbc"], &["adc"]),
        ("ab+c", &["abc"], &["ac"]),
        (".at", &["hat", "#at", " at", "éat", "\nat"], &["at"]),
        (r"^\d\D$", &["4x"], &["44", "٤x"]),
        (r"^\w\W$", &["_-"], &["é-", "__"]),
        (r"^\s\S$", &["\tx", "\nx"], &["  "]),
        (r"\x28\x3A\x29", &["(:)"], &["()"]),
        (r"^[\d\-x]+$", &["4-x"], &["4y"]),
        ("^[a-]+$", &["a-a"], &["b"]),
        (r"^[\w.]+$", &["a.b_c"], &["a b"]),
    ];
    for (text, matching, others) in rows {
        let regex = compile(text, FILTER_SYMBOLS).unwrap();
        matching.iter().for_each(|value| assert!(regex.is_match(value), "{text} should match {value}"));
        others.iter().for_each(|value| assert!(!regex.is_match(value), "{text} should not match {value}"));
    }
}

#[test]
fn unsupported_syntax_is_rejected_with_a_reason() {
    let rows = [
        ("", "empty"),
        ("something!", "write \\x21"),
        ("(a|b)", "parentheses"),
        (r"\(", "\\( is not supported"),
        (r"\bword", "\\b is not supported"),
        (r"(?i)x", "parentheses"),
        ("é", "ASCII"),
        (r"\x4", "two hexadecimal digits"),
        (r"\x80", "at most 7F"),
        ("a\\", "ends with a backslash"),
        ("[a", "not closed"),
        ("[]", "[] is empty"),
        ("[[:alpha:]]", "\\["),
        (r"[\d-z]", "both ends"),
        ("[z-a]", "invalid regular expression"),
        ("a]", "no opening bracket"),
        ("a{x}", "repetitions"),
        ("a{2", "not closed"),
        ("*a", "invalid regular expression"),
        ("a{9999}{9999}", "invalid regular expression"),
    ];
    for (text, expected) in rows {
        let message = compile(text, FILTER_SYMBOLS).unwrap_err();
        assert!(message.contains(expected) && !message.contains('\n'), "{text} was rejected with: {message}");
    }
    assert!(compile("a:b", IDENTIFIER_SYMBOLS).is_err());
}
