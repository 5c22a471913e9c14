//! Invalid JSON of every sort: an error of one line, and never a panic.

use crate::toys::{
    attic::Trunk,
    garden::{Bed, Weather},
    refusal,
    shelf::Book,
};
use nephos_core::{Record as _, Resource, json, shape::Type};
use proptest::prelude::*;

const BED: &str = r#"{"Name":"nörth","Plants":[{"Species":"rose","Count":2,"Light":"FULL_SUN"}],"Fence":{"Height":1.5,
    "Colour":{"a":["b"]}},"Sizes":{"n":1e3},"Picture":"AP8=","Anything":[1,-2.5,null,true,"\u00e9\n"],"Tags":{"a":"b"}}"#;

#[test]
fn truncated_json_is_rejected() {
    Bed::from_json(BED).unwrap();
    for end in 0..BED.len() {
        let message = refusal(Bed::from_json(&BED.as_bytes()[..end]));
        let cut = if BED.is_char_boundary(end) { "unexpected end of the text" } else { "is not UTF-8" };
        assert!(message.starts_with("ValidationError: ") && message.contains(cut), "{end}: {message}");
    }
}

#[test]
fn invalid_json_is_rejected_with_line_and_column() {
    for (json, message) in [
        ("", "at line 1 column 1: unexpected end of the text"),
        ("{", "at line 1 column 2: unexpected end of the text"),
        ("[]", "at line 1 column 2: expected an object of fields"),
        ("null", "at line 1 column 2: expected an object of fields"),
        ("{} {}", "at line 1 column 4: expected nothing more"),
        ("{title:\"rust\"}", "at line 1 column 2: expected a name in quotes"),
        ("{\"title\" \"rust\"}", "at line 1 column 10: expected a colon"),
        ("{\"title\":\"rust\" 1}", "at line 1 column 17: expected a comma or the end of the list or object"),
        ("{\"title\":\"rust\",}", "at line 1 column 17: expected a name in quotes"),
    ] {
        assert_eq!(
            refusal(Book::from_json(json)),
            format!("ValidationError: invalid JSON {message}"),
            "{json}"
        );
    }
    for (json, message) in [
        ("{\"title\":'rust'}", "title: invalid JSON at line 1 column 10: expected a value"),
        (
            "{\"title\":\"ru\nst\"}",
            "title: invalid JSON at line 1 column 13: a text has a control character in it",
        ),
        (
            "{\n \"title\":\"\\ud800\"}",
            "title: invalid JSON at line 2 column 17: half of a surrogate pair is missing",
        ),
        ("{\"pages\":01}", "pages: invalid JSON at line 1 column 10: expected a value"),
        ("{\"price\":NaN}", "price: invalid JSON at line 1 column 10: expected a value"),
    ] {
        assert_eq!(refusal(Book::from_json(json)), format!("ValidationError: {message}"), "{json}");
    }
    assert_eq!(
        refusal(Book::from_json(b"{\"title\":\"\xff\"}")),
        "ValidationError: the JSON is not UTF-8, at byte 10"
    );
}

#[test]
fn json_errors_do_not_repeat_the_input() {
    for json in
        [r#"{"GateCode":"s3same"#, r#"{"GateCode":"s3same"x"#, r#"{"GateCode":"s3same","Name":truth}"#]
    {
        assert!(!refusal(Bed::from_json(json)).contains("s3same"), "{json}");
    }
}

#[test]
fn deeply_nested_json_is_rejected() {
    let deep = 100_000;
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let nested = format!("{}1{}", open.repeat(deep), close.repeat(deep));
        for field in ["Anything", "Plants", "Fence", "Sizes", "Unknown", "Name"] {
            for nested in [nested.as_str(), &nested[..deep]] {
                let json = format!(r#"{{"Name":"n","{field}":{nested}}}"#);
                assert!(refusal(Bed::from_json(&json)).starts_with("ValidationError: "), "{field}");
                assert!(Weather::from_json(&json).is_err(), "{field}");
            }
        }
        assert!(json::parse(nested.as_bytes()).is_err());
    }
}

/// Returns values of every JSON type, each with true if a field of type `ty` may take it.
fn sample_values(ty: &Type) -> [(&'static str, bool); 7] {
    let is =
        |types: &[Type]| types.iter().any(|one| std::mem::discriminant(one) == std::mem::discriminant(ty));
    let any = is(&[Type::Any]);
    [
        ("true", any || is(&[Type::Bool])),
        ("7", any || is(&[Type::Int, Type::Float, Type::Time])),
        ("7.5", any || is(&[Type::Float, Type::Time])),
        // A name that is neither a number nor a time nor base64.
        (r#""a-b""#, any || is(&[Type::Text, Type::Secret]) || matches!(ty, Type::Choice(_))),
        ("[[]]", any),
        (r#"{"":[[0]]}"#, any || matches!(ty, Type::Record(record) if record.extras)),
        (r#"[{"":0}]"#, any),
    ]
}

fn check_wrong_types<R: Resource>() {
    for field in R::SHAPE.fields {
        for (value, accepted) in sample_values(&field.ty) {
            let json = format!(r#"{{"{}":{value}}}"#, field.name);
            match R::from_json(&json) {
                Ok(_) => assert!(accepted, "{json} must be rejected"),
                Err(error) => {
                    let line = error.to_string();
                    // A value of the right type may still break a rule, or another field may be missing.
                    let about = line.contains(&format!("ValidationError: {}", field.name));
                    assert!(about || accepted, "{json}: {line}");
                    assert!(!line.contains('\n'), "{line}");
                }
            }
        }
    }
}

#[test]
fn value_of_the_wrong_type_is_rejected_with_the_name_of_its_field() {
    check_wrong_types::<Book>();
    check_wrong_types::<Bed>();
    check_wrong_types::<Trunk>();
    assert_eq!(
        refusal(Bed::from_json(r#"{"Name":"n","Plants":{"Species":"rose"}}"#)),
        "ValidationError: Plants: expected a list, found a mapping"
    );
    assert_eq!(
        refusal(Bed::from_json(r#"{"Name":["n"]}"#)),
        "ValidationError: Name: expected text, found a list"
    );
    assert_eq!(
        refusal(Bed::from_json(r#"{"Name":"n","PlantCount":{"a":1}}"#)),
        "ValidationError: PlantCount: expected a whole number, found a mapping"
    );
}

#[test]
fn line_breaks_in_names_do_not_break_the_message() {
    let refused = refusal(Book::from_json(r#"{"title":"rust","a\nb":1}"#));
    assert!(refused.starts_with("ValidationError: a b: Book has no such field"), "{refused}");
    refusal(Bed::from_json(r#"{"Name":"n","Sizes":{"a\r\nb":"x"}}"#));
    refusal(Bed::from_json(r#"{"Name":"n","Light":"a\nb"}"#));
}

proptest! {
    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Bed::from_json(&bytes);
        let _ = json::parse(&bytes);
    }

    #[test]
    fn damaged_json_does_not_panic(at in 0..BED.len(), byte in any::<u8>(), cut in any::<bool>()) {
        let mut bytes = BED.as_bytes().to_vec();
        if cut {
            bytes.remove(at);
        } else {
            bytes[at] = byte;
        }
        if let Err(error) = Bed::from_json(&bytes) {
            prop_assert!(!error.to_string().contains(['\n', '\r']), "{error}");
        }
    }
}
