//! Many rules that share their fields: the index finds those that match one by one.

use nephos_core::json;
use nephos_events::pattern::{Event, Index, Pattern};

/// Compares the index with all rules, then without every second one, then with all again.
fn check(patterns: &[String], events: &[&str]) {
    let patterns: Vec<Pattern> = patterns
        .iter()
        .map(|text| Pattern::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")))
        .collect();
    let mut index = Index::default();
    for (rule, pattern) in patterns.iter().enumerate() {
        index.add(rule, pattern);
    }
    let values: Vec<_> =
        events.iter().map(|text| json::parse(text.as_bytes()).expect("it is JSON")).collect();
    for step in 0..3 {
        for (rule, pattern) in patterns.iter().enumerate().filter(|(rule, _)| rule % 2 == 1) {
            match step {
                0 => {}
                1 => assert!(index.remove(&rule)),
                _ => index.add(rule, pattern),
            }
        }
        for (text, value) in events.iter().zip(&values) {
            let event = Event::prepare(value).expect("it is an object");
            let expected: Vec<usize> = (0..patterns.len())
                .filter(|rule| (step != 1 || rule % 2 == 0) && patterns[*rule].matches(&event))
                .collect();
            assert!(!expected.is_empty(), "no rule matches {text}");
            assert_eq!(index.matches(&event), expected.iter().collect::<Vec<_>>(), "step {step}, {text}");
        }
    }
}

#[test]
fn combinations_of_shared_values() {
    let patterns: Vec<String> = (0..400)
        .map(|n| format!(r#"{{"a":[{}],"b":["{}"],"c":["{}"]}}"#, n % 5, n / 5 % 5, n / 25 % 4))
        .collect();
    let events = [
        r#"{"a": 2, "b": "3", "c": "1"}"#,
        r#"{"a": [0, 4], "b": ["1", "2", "x"], "c": ["0", "3"]}"#,
        r#"{"a": 3.0, "b": "4", "c": ["3", 3, null]}"#,
    ];
    check(&patterns, &events);
}

#[test]
fn combinations_of_values_in_arrays() {
    let patterns: Vec<String> =
        (0..200).map(|n| format!(r#"{{"a":{{"x":[{}, 77],"y":["{}"]}}}}"#, n % 5, n / 5 % 5)).collect();
    check(&patterns, &[r#"{"a": [{"x": 1, "y": "2"}, {"x": 3, "y": ["1", "4"]}, {"x": 77}]}"#]);
}

#[test]
fn fields_that_are_missing_in_an_item() {
    let patterns: Vec<String> =
        (0..60).map(|_| r#"{"a":{"b":[{"exists":true}],"c":[{"exists":false}]}}"#.to_owned()).collect();
    check(&patterns, &[r#"{"a": [{"b": 1}, {"b": 2, "c": 3}]}"#, r#"{"a": {"b": null}}"#]);
}

#[test]
fn shared_operators() {
    let operators = [
        r#"{"prefix":"team"}"#,
        r#"{"suffix":".json"}"#,
        r#"{"prefix":{"equals-ignore-case":"TEAM-"}}"#,
        r#"{"suffix":{"equals-ignore-case":"JSON"}}"#,
        r#"{"equals-ignore-case":"Team-1/Job.json"}"#,
        r#"{"wildcard":"team-*"}"#,
        r#"{"wildcard":"*.json"}"#,
        r#"{"wildcard":"*/job*"}"#,
        r#"{"wildcard":"*a*/*"}"#,
        r#"{"wildcard":"*"}"#,
        r#"{"anything-but":"x"}"#,
        r#"{"exists":true}"#,
        r#""team-1/job.json""#,
    ];
    let patterns: Vec<String> = (0..260).map(|n| format!(r#"{{"key":[{}]}}"#, operators[n % 13])).collect();
    check(&patterns, &[r#"{"key": "team-1/job.json"}"#, r#"{"key": "TEAM-1/JOB.JSON"}"#, r#"{"key": 5}"#]);
}

#[test]
fn nested_ranges_and_networks() {
    let mut patterns: Vec<String> =
        (1..200).map(|n| format!(r#"{{"n":[{{"numeric":[">=",{},"<",{n}]}}]}}"#, -n)).collect();
    patterns.extend((0..200).map(|n| format!(r#"{{"n":[{{"numeric":[">",{n}]}}]}}"#)));
    patterns.extend((1..32).map(|bits| format!(r#"{{"ip":[{{"cidr":"10.20.30.40/{bits}"}}]}}"#)));
    patterns.extend((1..128).map(|bits| format!(r#"{{"ip":[{{"cidr":"2001:db8::/{bits}"}}]}}"#)));
    let events = [
        r#"{"n": 0}"#,
        r#"{"n": -120.5}"#,
        r#"{"n": [150, 3]}"#,
        r#"{"ip": "10.20.30.41"}"#,
        r#"{"ip": ["2001:db8::9", "10.20.31.0"]}"#,
    ];
    check(&patterns, &events);
}

#[test]
fn adding_a_rule_again_replaces_it() {
    let mut index = Index::default();
    for source in ["shop", "bank"] {
        index.add("rule", &Pattern::parse(&format!(r#"{{"source":["{source}"]}}"#)).expect("it is valid"));
    }
    assert_eq!(index.len(), 1);
    let found = |index: &Index<&str>, text: &str| {
        let value = json::parse(text.as_bytes()).expect("it is JSON");
        index.matches(&Event::prepare(&value).expect("it is an object")).len()
    };
    assert_eq!(found(&index, r#"{"source": "shop"}"#), 0);
    assert_eq!(found(&index, r#"{"source": "bank"}"#), 1);
    assert!(index.remove(&"rule"));
    assert!(index.is_empty());
    assert_eq!(found(&index, r#"{"source": "bank"}"#), 0);
}
