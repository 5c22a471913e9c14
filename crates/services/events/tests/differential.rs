//! Random patterns and events: the index finds the rules that the simplest possible matcher finds.

use crate::simplest;

use nephos_core::json;
use nephos_events::pattern::{Event, Index, Pattern};
use proptest::{collection::vec, prelude::*, sample::select};

/// Names and texts are few, so that patterns often match.
const NAMES: [&str; 7] = ["a", "a", "b", "b", "c", "c", "a.b"];
const COMMON: [&str; 4] = ["\"a\"", "\"b\"", "1", "null"];
const TEXTS: [&str; 12] =
    ["", "a", "b", "ab", "ba", "aba", "AB", "bab", "10.0.0.1", "10.0.0.9", "10.1.0.1", "xaby"];

fn text() -> impl Strategy<Value = String> {
    select(&TEXTS[..]).prop_map(|text| format!("\"{text}\""))
}

fn number() -> impl Strategy<Value = String> {
    select(&["0", "1", "1.0", "2", "2.5", "-1", "1e0", "25e-1", "6000000000"][..]).prop_map(str::to_owned)
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => select(&COMMON[..]).prop_map(str::to_owned),
        3 => text(),
        2 => number(),
        1 => select(&["true", "false"][..]).prop_map(str::to_owned),
    ]
}

fn object(
    value: impl Strategy<Value = String>,
    sizes: std::ops::Range<usize>,
) -> impl Strategy<Value = String> {
    vec((select(&NAMES[..]), value), sizes).prop_map(|fields| {
        let fields: Vec<String> = fields
            .iter()
            .enumerate()
            // A name that is used twice has different values in different parsers.
            .filter(|(at, (name, _))| fields[..*at].iter().all(|(other, _)| other != name))
            .map(|(_, (name, value))| format!("\"{name}\":{value}"))
            .collect();
        format!("{{{}}}", fields.join(","))
    })
}

fn event() -> impl Strategy<Value = String> {
    let value = scalar().prop_recursive(3, 24, 4, |inner| {
        let list = |items: Vec<String>| format!("[{}]", items.join(","));
        prop_oneof![
            object(inner.clone(), 0..5),
            vec(inner.clone(), 0..4).prop_map(list),
            vec(object(inner, 1..4), 1..4).prop_map(list),
        ]
    });
    object(value, 1..7)
}

fn choice() -> impl Strategy<Value = String> {
    let wildcard = || select(&["*", "a*", "*a", "*b*", "a*a", "ab", "*a*b*", ""][..]);
    let bound = || select(&[-1.0, 0.0, 0.5, 1.0, 2.0, 2.5][..]);
    let affix = || select(&["prefix", "suffix"][..]);
    prop_oneof![
        6 => scalar(),
        1 => select(&["true", "false"][..]).prop_map(|exists| format!("{{\"exists\":{exists}}}")),
        1 => (affix(), text()).prop_map(|(affix, text)| format!("{{\"{affix}\":{text}}}")),
        1 => (affix(), text()).prop_map(|(affix, text)| format!("{{\"{affix}\":{{\"equals-ignore-case\":{text}}}}}")),
        1 => text().prop_map(|text| format!("{{\"equals-ignore-case\":{text}}}")),
        1 => wildcard().prop_map(|text| format!("{{\"wildcard\":\"{text}\"}}")),
        1 => (bound(), select(&["=", "<", "<=", ">", ">="][..])).prop_map(|(bound, operator)| {
            format!("{{\"numeric\":[\"{operator}\",{bound}]}}")
        }),
        1 => select(&[(-1.0, 0.0), (0.0, 1.0), (0.5, 2.5), (-1.0, 2.5), (1.0, 2.0)][..]).prop_map(|(low, high)| {
            format!("{{\"numeric\":[\">=\",{low},\"<\",{high}]}}")
        }),
        1 => select(&["10.0.0.0/24", "10.0.0.5/29", "10.0.0.0/8"][..]).prop_map(|cidr| format!("{{\"cidr\":\"{cidr}\"}}")),
        1 => text().prop_map(|text| format!("{{\"anything-but\":{text}}}")),
        1 => vec(text(), 1..3).prop_map(|texts| format!("{{\"anything-but\":[{}]}}", texts.join(","))),
        1 => vec(select(&["0", "1", "2.5"][..]), 1..3).prop_map(|numbers| {
            format!("{{\"anything-but\":[{}]}}", numbers.join(","))
        }),
        1 => (affix(), select(&["a", "b", "ab"][..])).prop_map(|(affix, text)| {
            format!("{{\"anything-but\":{{\"{affix}\":\"{text}\"}}}}")
        }),
        1 => text().prop_map(|text| format!("{{\"anything-but\":{{\"equals-ignore-case\":[{text}]}}}}")),
        1 => wildcard().prop_map(|text| format!("{{\"anything-but\":{{\"wildcard\":\"{text}\"}}}}")),
    ]
}

/// Values of two or three fields, at the top or in an object.
fn combination() -> impl Strategy<Value = String> {
    let values = select(&["[\"a\"]", "[\"b\"]", "[1]", "[null]", "[\"a\",1]"][..]);
    (vec(values, 3), any::<bool>(), any::<bool>()).prop_map(|(values, third, nested)| {
        let [a, b, c] = [values[0], values[1], values[2]];
        let c = if third { format!(",\"c\":{c}") } else { String::new() };
        let fields = format!("{{\"a\":{a},\"b\":{b}{c}}}");
        if nested { format!("{{\"c\":{fields}}}") } else { fields }
    })
}

fn pattern() -> impl Strategy<Value = String> {
    let list = |choices: Vec<String>| format!("[{}]", choices.join(","));
    let values = vec(select(&COMMON[..]).prop_map(str::to_owned), 1..3).prop_map(list);
    let leaf = prop_oneof![vec(choice(), 1..4).prop_map(list), values];
    let fields = leaf.prop_recursive(2, 12, 3, |inner| object(inner, 1..4));
    let plain = object(fields.clone(), 1..4).boxed();
    let or = (plain.clone(), vec(plain.clone(), 2..4), any::<bool>()).prop_map(|(plain, objects, first)| {
        let fields = &plain[1..plain.len() - 1];
        let or = format!("\"$or\":[{}]", objects.join(","));
        if first { format!("{{{or},{fields}}}") } else { format!("{{{fields},{or}}}") }
    });
    prop_oneof![3 => plain, 1 => or, 2 => combination()]
}

proptest! {
    #[test]
    fn index_finds_what_the_simplest_matcher_finds(
        patterns in vec(pattern(), 1..12),
        events in vec(event(), 1..4),
        removed in vec(any::<bool>(), 12),
        // Rules that share all their fields with many others are stored in another way.
        copies in select(&[1_usize, 25][..]),
    ) {
        let parsed: Vec<Pattern> =
            patterns.iter().map(|text| Pattern::parse_up_to(text, 100_000).expect("the pattern is valid")).collect();
        let mut index = Index::default();
        for copy in 0..copies {
            for (rule, pattern) in parsed.iter().enumerate() {
                index.add((rule, copy), pattern);
            }
        }
        let values: Vec<_> = events.iter().map(|event| json::parse(event.as_bytes()).expect("it is JSON")).collect();
        // All rules, then those that are left, then those that were added again.
        for step in 0..3 {
            if step > 0 {
                for (rule, pattern) in parsed.iter().enumerate().filter(|(rule, _)| removed[*rule]) {
                    for copy in 0..copies {
                        if step == 1 {
                            prop_assert!(index.remove(&(rule, copy)));
                            prop_assert!(!index.remove(&(rule, copy)));
                        } else {
                            index.add((rule, copy), pattern);
                        }
                    }
                }
            }
            for (text, value) in events.iter().zip(&values) {
                let event = Event::prepare(value).expect("the event is an object");
                let expected: Vec<(usize, usize)> = (0..patterns.len())
                    .filter(|rule| step != 1 || !removed[*rule])
                    .filter(|rule| simplest::matches(&patterns[*rule], value))
                    .flat_map(|rule| (0..copies).map(move |copy| (rule, copy)))
                    .collect();
                let found: Vec<(usize, usize)> = index.matches(&event).into_iter().copied().collect();
                prop_assert_eq!(found, expected, "{} {:?}", text, patterns);
            }
        }
        prop_assert_eq!(index.len(), patterns.len() * copies);
        for rule in 0..patterns.len() {
            (0..copies).for_each(|copy| assert!(index.remove(&(rule, copy))));
        }
        prop_assert!(index.is_empty());
    }

    #[test]
    fn explanation_agrees_with_the_match(pattern in pattern(), event in event()) {
        let pattern = Pattern::parse_up_to(&pattern, 100_000).expect("the pattern is valid");
        let value = json::parse(event.as_bytes()).expect("it is JSON");
        let event = Event::prepare(&value).expect("the event is an object");
        let explanation = pattern.explain(&event);
        prop_assert_eq!(explanation.matched, pattern.matches(&event));
        let mismatch = explanation.first_mismatch();
        prop_assert!(mismatch.is_none_or(|field| !field.matched));
        prop_assert!(!explanation.matched || mismatch.is_none());
        prop_assert!(!explanation.to_string().is_empty());
    }

    /// The choices of an explanation are JSON with the meaning of the choices of the pattern.
    #[test]
    fn choices_are_parsed_as_they_are_printed(choice in choice()) {
        let event = json::parse(b"{}").expect("it is JSON");
        let event = Event::prepare(&event).expect("it is an object");
        let printed = |pattern: &Pattern| pattern.explain(&event).alternatives[0].fields[0].choices.join(",");
        let pattern = Pattern::parse(&format!("{{\"a\":[{choice}]}}")).expect("the pattern is valid");
        let again = Pattern::parse(&format!("{{\"a\":[{}]}}", printed(&pattern))).expect("the printed pattern is valid");
        prop_assert_eq!(&pattern, &again);
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in any::<String>()) {
        let _ = Pattern::parse(&text);
    }

    #[test]
    fn any_part_of_a_pattern_is_parsed_or_refused(
        pattern in pattern(),
        cut in any::<prop::sample::Index>(),
        inserted in select(&["", "\"", "{", "}", "[", "]", ",", ":", "\\", "*", "$or", "1e9999", "-", "é", "\u{0}", "null"][..]),
    ) {
        let at = cut.index(pattern.len() + 1);
        let _ = Pattern::parse(&pattern[..at]);
        let _ = Pattern::parse(&format!("{}{inserted}{}", &pattern[..at], &pattern[at..]));
    }
}
