//! Regular expressions on attributes.

use crate::toys::{
    attic::Trunk,
    garden::{Bed, Plant, Weather},
    refusal,
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{ErrorKind, Record as _, Value};

const ARN: &str = "arn:aws:shelf:us-east-1:123456789012:book/rust";

fn book() -> Book {
    Book::shelved("rust", 300)
}

fn bed_named(name: &str) -> Bed {
    Bed::builder().name(name).build().expect("any name")
}

#[test]
fn value_is_unchanged_without_an_expression() {
    let mut book = book();
    book.set_authors(["ann"]).unwrap();
    assert_eq!(book.transform("title", None).unwrap(), "rust".into());
    assert_eq!(book.transform("pages", None).unwrap(), 300.into());
    assert_eq!(book.transform("authors", None).unwrap(), ["ann"].into());
    assert_eq!(book.transform("price", None).unwrap(), Value::Null);
}

#[test]
fn null_is_unchanged() {
    let book = Book::builder().title("rust").build().unwrap();
    assert_eq!(book.transform("note", Some("(.)")).unwrap(), Value::Null);
    assert_eq!(book.transform("pages", Some("(.)")).unwrap(), Value::Null);
    assert_eq!(book.transform("note", Some("no groups")).unwrap(), Value::Null);
}

#[test]
fn unnamed_groups_return_the_first_group() {
    let first = |expression| book().transform("Arn", Some(expression));
    assert_eq!(first(r":(\d+):").unwrap(), "123456789012".into());
    assert_eq!(first(r"book/(.)(.)").unwrap(), "r".into());
    assert_eq!(first(r"(?:book)/(.+)").unwrap(), "rust".into());
    assert_eq!(first(r"^(.*)$").unwrap(), ARN.into());
    // A group that took no part in the match is null, as in Python.
    assert_eq!(first(r"(nothing)?book").unwrap(), Value::Null);
    assert_eq!(first(r"(x)|(arn)").unwrap(), Value::Null);
    assert_eq!(first(r"book()").unwrap(), "".into());
}

#[test]
fn named_groups_return_a_mapping() {
    let parts =
        book().transform("Arn", Some(r"arn:(?P<partition>[^:]+):(\w+):(?<region>[^:]*):(?P<none>x)?"));
    let expected =
        values([("partition", "aws".into()), ("region", "us-east-1".into()), ("none", Value::Null)]);
    assert_eq!(parts.unwrap(), Value::Map(expected));
    let Value::Map(parts) = book().transform("Arn", Some(r"(?P<z>a)(?P<a>r)(?P<m>n)")).unwrap() else {
        panic!("named groups give a mapping")
    };
    assert_eq!(parts.keys().map(ToString::to_string).collect::<Vec<_>>(), ["z", "a", "m"]);
}

#[test]
fn look_around_and_back_references_work_as_in_python() {
    let apply = |expression| book().transform("Arn", Some(expression));
    assert_eq!(apply(r"(?<=book/)(\w+)").unwrap(), "rust".into());
    assert_eq!(apply(r"(\w+)(?=:123)").unwrap(), "1".into());
    assert_eq!(apply(r"(\w)\1").unwrap(), "o".into());
    assert_eq!(apply(r"(\d)\1").unwrap_err().kind(), ErrorKind::NoMatch);
    assert_eq!(bed_named("abccd").transform("Name", Some(r"(\w)\1")).unwrap(), "c".into());
    let pairs = bed_named("abab").transform("Name", Some(r"(?P<pair>\w\w)(?P=pair)(?P<more>x)?(?!y)"));
    assert_eq!(pairs.unwrap(), Value::Map(values([("pair", "ab".into()), ("more", Value::Null)])));
}

#[test]
fn no_match_is_a_runtime_error() {
    for expression in [r"(\d{13})", r"(?=x)(arn)"] {
        let error = book().transform("Arn", Some(expression)).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NoMatch);
        assert!(error.is_runtime_error() && !error.is_value_error());
        assert_eq!(error.to_string(), format!("NoMatch: Arn: {expression:?} does not match the Arn"));
    }
}

#[test]
fn unknown_attribute_is_a_value_error() {
    for expression in [None, Some("(.)"), Some("no groups"), Some("(")] {
        assert_eq!(
            refusal(book().transform("titel", expression)),
            "ValidationError: titel: Book has no attribute titel; did you mean title?"
        );
    }
    assert_eq!(
        refusal(Trunk::builder().build().unwrap().transform("arn", None)),
        "ValidationError: arn: Trunk has no arn"
    );
}

#[test]
fn expression_without_groups_is_a_value_error() {
    for expression in ["", "rust", "(?:rust)", r"\(rust\)", "(?=rust)rust"] {
        assert_eq!(
            refusal(book().transform("title", Some(expression))),
            format!("ValidationError: transformer: {expression:?} has no groups")
        );
    }
}

#[test]
fn only_text_can_be_transformed() {
    let json = r#"{"Name":"n","Plants":[],"GateCode":"1234","Sizes":{"a":1}}"#;
    let bed = Bed::from_json(json).unwrap();
    for (attribute, what) in
        [("Plants", "a list"), ("GateCode", "a secret"), ("Sizes", "a mapping"), ("pk", "a mapping")]
    {
        assert_eq!(
            refusal(bed.transform(attribute, Some("(.)"))),
            format!("ValidationError: {attribute}: only text can be transformed, found {what}")
        );
    }
    let refused = refusal(book().transform("pages", Some(r"(\d)")));
    assert_eq!(refused, "ValidationError: pages: only text can be transformed, found an int");
    // An enum value is text in the specification's spelling.
    assert_eq!(bed.transform("Light", Some("FULL_(.+)")).unwrap(), "SUN".into());
}

#[test]
fn identities_and_extra_fields_can_be_transformed() {
    assert_eq!(book().transform("arn", Some("book/(.*)")).unwrap(), "rust".into());
    assert_eq!(book().transform("name", Some("(.)")).unwrap(), "r".into());
    assert_eq!(book().transform("pk", Some("(...)")).unwrap(), "arn".into());
    assert_eq!(book().transform("bookArn", None).unwrap(), ARN.into());
    let bed = Bed::from_json(r#"{"Name":"n","Owner":{"OwnerARN":"arn:x"}}"#).unwrap();
    assert_eq!(bed.transform("arn", Some(":(.)")).unwrap(), "x".into());
    assert_eq!(bed_named("n").transform("arn", Some(":(.)")).unwrap(), Value::Null);
    let weather = Weather::from_json(r#"{"Station":"pier","Wind":"west 7"}"#).unwrap();
    assert_eq!(weather.transform("Wind", Some(r"(\d)")).unwrap(), "7".into());
}

#[test]
fn invalid_expression_is_a_value_error() {
    let deep = "(".repeat(100_000);
    let huge = "(a{1000}){1000}{1000}";
    for expression in ["(", "(a", "(?P<>a)", "(?P<a>.)(?P<a>.)", "[", "(*)", r"(\2)", deep.as_str(), huge] {
        let message = refusal(bed_named("n").transform("Name", Some(expression)));
        assert!(message.starts_with("ValidationError: transformer: "), "{message}");
        assert!(message.len() < 1000, "the line is {} bytes long", message.len());
    }
}

#[test]
fn backtracking_is_limited() {
    let long = bed_named(&format!("{}!", "a".repeat(60)));
    for expression in [r"^((a|aa)+)+\2b$", r"^(?:(a)\1?)+$", r"^(a(?=a|!)|a(?!z))+$"] {
        let costly = refusal(long.transform("Name", Some(expression)));
        assert!(
            costly.starts_with("ValidationError: transformer: the expression takes too many steps"),
            "{costly}"
        );
    }
    // Without look-around the linear-time engine needs no limit.
    assert_eq!(long.transform("Name", Some(r"^((a+)+)$")).unwrap_err().kind(), ErrorKind::NoMatch);
}

#[test]
fn expressions_match_characters_and_not_bytes() {
    assert_eq!(bed_named("größe").transform("Name", Some(r"^(\w{5})$")).unwrap(), "größe".into());
    assert_eq!(bed_named("größe").transform("Name", Some(r"(?<=gr)(.)")).unwrap(), "ö".into());
    assert_eq!(bed_named("a\nb").transform("Name", Some(r"(?s)a(.)b")).unwrap(), "\n".into());
}

#[test]
fn nested_records_have_the_methods_of_models() {
    let plant = Plant::from_json(r#"{"Species":"sweet pea"}"#).unwrap();
    assert_eq!(plant.to_json(), r#"{"Species":"sweet pea","Count":1}"#);
    assert_eq!(plant.transform("species", Some(r"(\w+)$")).unwrap(), "pea".into());
    assert_eq!(refusal(Plant::from_json("{}")), "ValidationError: Species: is required");

    // Two oaks break a rule of the record: trusted values are accepted, others are not.
    let oaks = values([("Species", "oak".into()), ("Count", 2.into())]);
    assert_eq!(refusal(Plant::model_validate(&oaks)), "ValidationError: Count: only one oak is allowed");
    assert_eq!(Plant::model_construct(None, oaks).count(), Some(2));
}
