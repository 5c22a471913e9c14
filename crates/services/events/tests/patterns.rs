//! The table of patterns, and hostile patterns and events.

use nephos_core::{Value, json};
use nephos_events::pattern::{Event, Index, MAX_LENGTH, Pattern};

const TABLE: &str = include_str!("patterns.txt");

fn parse_event(text: &str) -> Value {
    json::parse(text.as_bytes()).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Returns the reason of a refusal, with the position where the table has one.
fn expected_reason(pattern: &str, line: &str) -> String {
    let (position, reason) = line.split_once(' ').expect("the line has a position and a reason");
    let Some((line, column)) = position.split_once(':') else { return reason.to_owned() };
    let position = format!("\n at [Source: (String)\"{pattern}\"; line: {line}, column: {column}]");
    match reason.strip_prefix("twice ") {
        Some(reason) => format!("{reason}{position}{position}"),
        None => format!("{reason}{position}"),
    }
}

#[test]
fn cases_of_the_table() {
    let mut lines = TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut pattern = None;
    let mut cases = 0;
    let mut failures = Vec::new();
    while let Some(line) = lines.next() {
        let (word, text) = line.split_once(' ').expect("a line begins with a word");
        match word {
            "pattern" => {
                let parsed = Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
                pattern = Some((text, parsed));
                continue;
            }
            "refuse" => {
                let reason = expected_reason(text, lines.next().expect("a refusal has a reason"));
                match Pattern::parse(text) {
                    Err(error) if error.reason() == reason => {}
                    Err(error) => failures.push(format!("{text}\n  {}\n  expected {reason}", error.reason())),
                    Ok(_) => failures.push(format!("{text}\n  is not refused")),
                }
            }
            "match" | "none" => {
                let (source, pattern) = pattern.as_ref().expect("events follow a pattern");
                let value = parse_event(text);
                let event = Event::prepare(&value).expect("the event is an object");
                let expected = word == "match";
                let mut index = Index::default();
                index.add("rule", pattern);
                let results = [
                    pattern.matches(&event),
                    pattern.explain(&event).matched,
                    index.matches(&event) == [&"rule"],
                ];
                if results != [expected; 3] {
                    failures.push(format!("{source}\n  {word} {text}\n  {results:?}"));
                }
            }
            word => panic!("no case begins with {word}"),
        }
        cases += 1;
    }
    assert!(failures.is_empty(), "{} of {cases} cases:\n{}", failures.len(), failures.join("\n"));
    assert!(cases >= 250, "{cases} cases");
}

#[test]
fn position_in_several_lines() {
    let error = Pattern::parse("{\n  \"a\": [\"x\"],\r\n  \"b\": 5\n}").expect_err("a number is no array");
    assert!(error.reason().ends_with("; line: 3, column: 9]"), "{}", error.reason());
    assert!(
        error
            .to_string()
            .starts_with("Event pattern is not valid. Reason: \"b\" must be an object or an array\n at")
    );
}

#[test]
fn unclosed_object() {
    let error = Pattern::parse("{\"a\": [1]").expect_err("the object is not closed");
    let source = "[Source: (String)\"{\"a\": [1]\"; line: 1, column:";
    let reason = format!(
        "Unexpected end-of-input: expected close marker for Object (start marker at {source} 1])\n at {source} 10]"
    );
    assert_eq!(error.reason(), reason);
}

#[test]
fn other_bracket() {
    let error = Pattern::parse("{\"a\": [1}").expect_err("the array is not closed");
    let source = "[Source: (String)\"{\"a\": [1}\"; line: 1, column:";
    let reason = format!(
        "Unexpected close marker '}}': expected ']' (for Array starting at {source} 7])\n at {source} 9]"
    );
    assert_eq!(error.reason(), reason);
}

#[test]
fn long_patterns_are_truncated_in_the_reason() {
    let pattern = format!("{{\"a\": \"{}\"}}", "x".repeat(600));
    let error = Pattern::parse(&pattern).expect_err("a text is no array");
    let source = format!("(String)\"{}\"[truncated 109 chars]; line: 1, column: 8]", &pattern[..500]);
    assert!(error.reason().ends_with(&source), "{}", error.reason());
}

#[test]
fn length_is_limited() {
    let of_length = |length: usize| format!("{{\"a\":[\"{}\"]}}", "é".repeat(length - 10));
    assert!(Pattern::parse(&of_length(MAX_LENGTH)).is_ok());
    let error = Pattern::parse(&of_length(MAX_LENGTH + 1)).expect_err("the pattern is too long");
    assert_eq!(error.reason(), "Event pattern is longer than 2048 characters");
    assert!(Pattern::parse_up_to(&of_length(4096), 4096).is_ok());
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| format!("{}[1]{}", "{\"a\":".repeat(depth), "}".repeat(depth));
    assert!(Pattern::parse_up_to(&nested(999), usize::MAX).is_ok());
    let error =
        Pattern::parse_up_to(&nested(100_000), usize::MAX).expect_err("the pattern is nested too deep");
    assert!(error.reason().starts_with("Document nesting depth (1001) exceeds the maximum allowed (1000"));
}

#[test]
fn combinations_of_or_are_limited() {
    let or = "\"$or\":[{\"a\":[1]},{\"b\":[1]}],";
    let combined = |times: usize| format!("{{{}\"z\":[1]}}", or.repeat(times));
    assert!(Pattern::parse(&combined(9)).is_ok());
    let error = Pattern::parse(&combined(60)).expect_err("there are too many combinations");
    assert_eq!(error.reason(), "Event pattern contains more than 1000 rule combinations");
}

#[test]
fn events_are_objects() {
    for text in ["[]", "\"x\"", "1", "null", "true"] {
        assert!(Event::prepare(&parse_event(text)).is_none(), "{text}");
    }
}

#[test]
fn large_numbers() {
    let pattern =
        Pattern::parse("{\"a\":[1e400, -1e400, 123456789012345678901234567890]}").expect("it is valid");
    for text in ["{\"a\": 123456789012345678901234567890}", "{\"a\": 1.2345678901234567890123456789e29}"] {
        let value = parse_event(text);
        assert!(pattern.matches(&Event::prepare(&value).expect("it is an object")), "{text}");
    }
    let value = parse_event("{\"a\": 1e300}");
    assert!(!pattern.matches(&Event::prepare(&value).expect("it is an object")));
}

/// Without remembering failures, this search would take as many steps as there are combinations of items.
#[test]
fn many_items_of_many_arrays() {
    let items =
        |field: &str| (0..300).map(|n| format!("{{\"{field}\":{}}}", n % 2)).collect::<Vec<_>>().join(",");
    let fields = ["b", "c", "d", "e", "f"].map(|field| format!("\"{field}\":[{}]", items(field)));
    let text = format!("{{\"a\":[{{{}}}],\"g\":[{{\"x\":1}},{{\"y\":1}}]}}", fields.join(","));
    let value = parse_event(&text);
    let event = Event::prepare(&value).expect("it is an object");
    let parts = ["b", "c", "d", "e", "f"].map(|field| format!("\"{field}\":{{\"{field}\":[1]}}")).join(",");
    let pattern =
        Pattern::parse(&format!("{{\"a\":{{{parts}}},\"g\":{{\"x\":[1],\"y\":[1]}}}}")).expect("it is valid");
    assert!(!pattern.matches(&event));
    let explanation = pattern.explain(&event).to_string();
    assert!(
        explanation.starts_with("no match: no item of the array has values for all fields\n"),
        "{explanation}"
    );
}

#[test]
fn explanation_of_combinations() {
    let pattern = Pattern::parse(
        "{\"source\":[\"shop\"],\"$or\":[{\"a\":[1],\"b\":[2]},{\"c\":[{\"exists\":false}]}]}",
    )
    .expect("it is valid");
    let value = parse_event("{\"source\": \"shop\", \"a\": 1, \"b\": [3, 4], \"c\": null}");
    let explanation = pattern.explain(&Event::prepare(&value).expect("it is an object"));
    assert_eq!(explanation.first_mismatch().map(|field| &*field.field), Some("b"));
    let expected = "\
no match: b is 3, 4, expected 2
combination 1 of 2: no match
  ✓ a: 1
  ✗ b: 3, 4, expected 2
  ✓ source: \"shop\"
combination 2 of 2: no match
  ✗ c: null, expected {\"exists\":false}
  ✓ source: \"shop\"
";
    assert_eq!(explanation.to_string(), expected);
}
