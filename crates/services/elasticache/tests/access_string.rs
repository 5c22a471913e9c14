//! Properties of access strings.

use nephos_elasticache::AccessString;
use proptest::prelude::*;

/// A rule that is valid at any place of an access string, or in a selector.
fn rule() -> impl Strategy<Value = String> {
    prop_oneof![
        "~[a-z:*]{1,3}",
        "%(R|W|RW|r|w)~[a-c*]{1,2}",
        "&[a-c*]{1,2}",
        "[+-](get|set|GET|config|config\\|get|config\\|set|json\\.get)",
        "[+-]@(all|read|write|Dangerous|keyspace)",
        "allkeys|resetkeys|allchannels|resetchannels|allcommands|nocommands",
    ]
}

/// Words of an access string, some of them not valid.
fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => rule(),
        2 => "on|off|ON|clearselectors",
        2 => proptest::collection::vec(rule(), 0..4).prop_map(|rules| format!("({})", rules.join(" "))),
        1 => "[ -~]{1,6}",
    ]
}

fn text() -> impl Strategy<Value = String> {
    proptest::collection::vec(word(), 1..8).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn printed_access_string_parses_to_the_same(text in text()) {
        if let Ok(access) = AccessString::parse(&text) {
            let printed = access.to_string();
            prop_assert_eq!(&AccessString::parse(&printed).unwrap(), &access, "{} {}", text, printed);
        }
    }

    #[test]
    fn any_text_is_parsed_or_refused(text in ".{0,40}") {
        if let Ok(access) = AccessString::parse(&text) {
            prop_assert_eq!(AccessString::parse(&access.to_string()).unwrap(), access);
        }
    }

    #[test]
    fn appended_rules_are_those_of_one_text(first in text(), second in text()) {
        let texts = [&first, &second, &format!("{first} {second}")];
        if let [Ok(access), Ok(_), Ok(whole)] = texts.map(|text| AccessString::parse(text)) {
            prop_assert_eq!(access.append(&second).unwrap(), whole);
        }
    }

    #[test]
    fn passwords_are_not_in_errors(mark in "[><#!]", before in "[a-z(~+]{0,3}") {
        let text = format!("on {before}{mark}hunter2hunter2");
        if let Err(error) = AccessString::parse(&text) {
            prop_assert!(!error.to_string().contains("hunter2"), "{error}");
        }
    }
}
