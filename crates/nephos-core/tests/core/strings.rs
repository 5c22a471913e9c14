//! Models from mappings of texts, and from trusted data.

use crate::toys::{
    at,
    attic::Trunk,
    garden::{Bed, Light, Weather},
    refusal,
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{Map, Resource, Result, Secret, Strings, Text, Value};

/// Makes a book from texts, with a title.
fn book<const N: usize>(fields: [(&str, &str); N], options: &Strings<'_>) -> Result<Book> {
    let mut strings = texts(fields);
    strings.entry("title".into()).or_insert("rust".into());
    Book::model_validate_strings(&strings, options)
}

fn texts<const N: usize>(fields: [(&str, &str); N]) -> Map<Value> {
    fields.into_iter().map(|(name, text)| (name.into(), text.into())).collect()
}

fn defaults() -> Strings<'static> {
    Strings::default()
}

#[test]
fn scalars_are_parsed_from_text() {
    let book = book(
        [("pages", "30"), ("price", "-1.5e2"), ("shelvedAt", "2026-01-31T14:00:00+02:00"), ("days", " 14 ")],
        &defaults(),
    );
    let book = book.unwrap();
    assert_eq!((book.pages(), book.price(), book.days()), (Some(30), Some(-150.0), Some(14)));
    assert_eq!(book.shelved_at().unwrap().to_string(), "2026-01-31T12:00:00Z");
    // Defaults and the set of given fields are as for any other model.
    assert_eq!(book.lendable(), Some(true));
    assert_eq!(book.fields_set(), ["title", "pages", "price", "days", "shelvedAt"]);
}

#[test]
fn a_bool_has_six_spellings_each_way_in_any_case() {
    for (text, is) in [
        ("true", true),
        ("True", true),
        ("t", true),
        ("1", true),
        ("YES", true),
        ("y", true),
        ("On", true),
        ("false", false),
        ("FALSE", false),
        ("F", false),
        ("0", false),
        ("no", false),
        ("N", false),
        ("oFF", false),
    ] {
        assert_eq!(book([("lendable", text)], &defaults()).unwrap().lendable(), Some(is), "{text}");
        let strict = Strings { strict: true, ..defaults() };
        assert_eq!(book([("lendable", text)], &strict).unwrap().lendable(), Some(is), "{text}");
    }
    for wrong in ["", "2", "tru", "enabled", "-1"] {
        let message = format!("ValidationError: lendable: expected true or false, found {wrong:?}");
        assert_eq!(refusal(book([("lendable", wrong)], &defaults())), message);
    }
}

#[test]
fn error_of_invalid_text_names_the_field() {
    for (field, wrong, message) in [
        ("pages", "many", r#"pages: expected a whole number, found "many""#),
        ("pages", "1.5", r#"pages: expected a whole number, found "1.5""#),
        ("pages", "99999999999999999999", r#"pages: expected a whole number, found "99999999999999999999""#),
        ("pages", "0", "pages: 0 is not from 1 to 5000"),
        ("price", "inf", r#"price: expected a number, found "inf""#),
        ("price", "NaN", r#"price: expected a number, found "NaN""#),
        ("price", "", r#"price: expected a number, found """#),
        ("days", "8", "days: 8 is not one of 7, 14, 30; did you mean 7?"),
        ("shelvedAt", "yesterday", r#"shelvedAt: expected a datetime, found "yesterday""#),
        ("title", "Rust", r#"title: "Rust" does not match [a-z][a-z0-9/-]*"#),
        ("page", "1", "page: Book has no such field; did you mean pages?"),
        ("note", "very secret", "note: has 11 characters, and at most 8 are allowed"),
    ] {
        assert_eq!(refusal(book([(field, wrong)], &defaults())), format!("ValidationError: {message}"));
    }
    assert_eq!(
        refusal(Book::model_validate_strings(&Map::default(), &defaults())),
        "ValidationError: title: is required"
    );
}

#[test]
fn nested_records_and_mappings_are_parsed_from_text() {
    let strings = values([
        ("Name", "north".into()),
        ("Light", "AWS_SHADE".into()),
        ("Fence", Value::Map(texts([("Height", "1.5"), ("Colour", "red")]))),
        ("Owner", Value::Map(texts([("OwnerARN", "arn:x")]))),
        ("Sizes", Value::Map(texts([("north", "2"), ("south", "2.5")]))),
        ("Corners", Value::Map(values([("a", Value::Map(texts([("Species", "box"), ("Count", "3")])))]))),
        ("GateCode", "1234".into()),
        ("Picture", "AP8=".into()),
        ("Anything", "7".into()),
        ("Tags", Value::Map(texts([("team", "web")]))),
        ("Plants", Value::Null),
    ]);
    let bed = Bed::model_validate_strings(&strings, &defaults()).unwrap();
    assert_eq!(bed.light(), Some(&Light::ProviderShade));
    assert_eq!(bed.fence().unwrap().height(), Some(1.5));
    assert_eq!(at(&bed, "Fence.Colour").unwrap(), "red".into());
    assert_eq!(bed.owner().unwrap().owner_arn(), Some("arn:x"));
    assert_eq!(bed.sizes().unwrap()["south"], 2.5);
    assert_eq!(bed.corners().unwrap()["a"].count(), Some(3));
    assert_eq!(bed.gate_code().map(Secret::expose), Some("1234"));
    assert_eq!(bed.picture().unwrap().0, [0, 255]);
    assert_eq!(bed.anything(), Some(&"7".into()));
    assert_eq!(bed.tags().unwrap()["team"], "web");

    for (field, value, message) in [
        ("Light", Value::from("dusk"), r#"Light: "dusk" is not one of FULL_SUN, PROVIDER_SHADE"#),
        ("Fence", "tall".into(), r#"Fence: expected a record, found "tall""#),
        (
            "Fence",
            Value::Map(texts([("Height", "tall")])),
            r#"Fence.Height: expected a number, found "tall""#,
        ),
        ("Sizes", Value::Map(texts([("a", "b")])), r#"Sizes[a]: expected a number, found "b""#),
        (
            "Corners",
            Value::Map(values([("a", Value::Map(texts([("Count", "x")])))])),
            r#"Corners[a].Count: expected a whole number, found "x""#,
        ),
    ] {
        let strings = values([("Name", "north".into()), (field, value)]);
        let refused = refusal(Bed::model_validate_strings(&strings, &defaults()));
        assert_eq!(refused, format!("ValidationError: {message}"));
    }
}

#[test]
fn values_other_than_text_and_mappings_are_rejected() {
    let list = |field: &str, value: Value| {
        let strings: Map<Value> =
            [("title".into(), "rust".into()), (field.into(), value)].into_iter().collect();
        refusal(Book::model_validate_strings(&strings, &defaults()))
    };
    let message = "expected text or a mapping of texts, found";
    assert_eq!(list("authors", ["ann"].into()), format!("ValidationError: authors: {message} a list"));
    assert_eq!(list("authors", Value::List(vec![])), format!("ValidationError: authors: {message} a list"));
    assert_eq!(list("pages", 30.into()), format!("ValidationError: pages: {message} an int"));
    assert_eq!(list("lendable", true.into()), format!("ValidationError: lendable: {message} a bool"));
    assert_eq!(list("authors", "ann".into()), r#"ValidationError: authors: expected a list, found "ann""#);
    let deep = values([("Name", "n".into()), ("Sizes", Value::Map(values([("a", 1.into())])))]);
    let refused = refusal(Bed::model_validate_strings(&deep, &defaults()));
    assert_eq!(refused, format!("ValidationError: Sizes[a]: {message} an int"));
}

#[test]
fn strict_rejects_spaces_around_scalars() {
    let strict = Strings { strict: true, ..defaults() };
    let right = book([("pages", "30"), ("price", "1.5"), ("lendable", "no")], &strict).unwrap();
    assert_eq!((right.pages(), right.price(), right.lendable()), (Some(30), Some(1.5), Some(false)));
    for (field, text) in
        [("pages", " 30"), ("price", "1.5\n"), ("lendable", "no "), ("shelvedAt", " 2026-01-31")]
    {
        assert_eq!(
            refusal(book([(field, text)], &strict)),
            format!("ValidationError: {field}: has spaces around it")
        );
        book([(field, text)], &defaults()).unwrap();
    }
    // Spaces in a text are kept.
    let bed = values([
        ("Name", " north ".into()),
        ("Owner", Value::Map(texts([("OwnerARN", "x ")]))),
        ("Tags", Value::Map(texts([("team", " web")]))),
    ]);
    let bed = Bed::model_validate_strings(&bed, &strict).unwrap();
    assert_eq!(at(&bed, "Name").unwrap(), " north ".into());
    let bed = values([("Name", "n".into()), ("Sizes", Value::Map(texts([("a", " 1")])))]);
    let refused = refusal(Bed::model_validate_strings(&bed, &strict));
    assert_eq!(refused, "ValidationError: Sizes[a]: has spaces around it");
}

#[test]
fn by_alias_and_by_name_select_accepted_names() {
    // `Arn` has the alias `arn`; `pages` has none.
    let validate = |by_alias, by_name, field| {
        let options = Strings { by_alias, by_name, ..defaults() };
        book([(field, "5")], &options).map(|_| ())
    };
    for (by_alias, by_name, name, alias) in [
        (None, None, true, true),
        (Some(true), Some(true), true, true),
        (Some(true), Some(false), false, true),
        (None, Some(false), false, true),
        (Some(false), Some(true), true, false),
        (Some(false), None, true, false),
    ] {
        assert_eq!(validate(by_alias, by_name, "Arn").is_ok(), name, "{by_alias:?} {by_name:?}");
        assert_eq!(validate(by_alias, by_name, "arn").is_ok(), alias, "{by_alias:?} {by_name:?}");
        validate(by_alias, by_name, "pages").unwrap();
    }
    assert_eq!(
        refusal(validate(Some(false), Some(false), "pages")),
        "ValidationError: by_alias and by_name cannot both be false"
    );

    let lock = |name| values([("lock", Value::Map(texts([(name, "ann")])))]);
    let by_name = Strings { by_alias: Some(false), ..defaults() };
    assert!(Trunk::model_validate_strings(&lock("madeBy"), &by_name).is_ok());
    assert!(Trunk::model_validate_strings(&lock("maker"), &by_name).is_err());
    let by_alias = Strings { by_name: Some(false), ..defaults() };
    assert!(Trunk::model_validate_strings(&lock("maker"), &by_alias).is_ok());
    assert!(Trunk::model_validate_strings(&lock("madeBy"), &by_alias).is_err());
}

#[test]
fn context_is_ignored() {
    let context = Value::from("anything");
    let options = Strings { context: Some(&context), ..defaults() };
    assert_eq!(book([("pages", "30")], &options).unwrap(), book([("pages", "30")], &defaults()).unwrap());
}

#[test]
fn trusted_data_is_not_checked() {
    let book = Book::model_construct(
        None,
        values([
            ("title", "NOT A RIGHT TITLE, AND FAR TOO LONG".into()),
            ("pages", (-5).into()),
            ("arn", "by its alias".into()),
            ("shelvedAt", "2026-01-31".into()),
            ("Tags", [Value::Map(texts([("Key", "aws:reserved"), ("Value", "x")]))].into()),
            ("colour", "red".into()),
        ]),
    );
    assert_eq!(book.title(), Some("NOT A RIGHT TITLE, AND FAR TOO LONG"));
    assert_eq!(book.pages(), Some(-5));
    assert_eq!(book.require_arn().unwrap(), "by its alias");
    assert_eq!(book.tags().unwrap()[0].key(), Some("aws:reserved"));
    assert_eq!(book.lendable(), Some(true));
    assert!(book.extra_fields().is_empty());
    assert_eq!(book.fields_set(), ["Arn", "title", "pages", "shelvedAt", "Tags"]);
}

#[test]
fn trusted_data_may_lack_required_fields() {
    let book = Book::model_construct(None, Map::default());
    assert_eq!((book.title(), book.lendable()), (None, Some(true)));
    assert!(book.fields_set().is_empty() && book.changed().is_empty());
    assert_eq!(at(&book, "title").unwrap(), Value::Null);

    let light = Bed::model_construct(None, values([("Light", "MOON".into())]));
    assert_eq!(light.light(), Some(&Light::Unknown("MOON".into())));
}

#[test]
fn trusted_data_of_the_wrong_type_is_left_out() {
    let book = Book::model_construct(
        None,
        values([
            ("authors", [Value::from("ann"), 5.into()].into()),
            ("pages", "many".into()),
            ("price", 2.into()),
        ]),
    );
    assert_eq!((book.authors(), book.pages(), book.price()), (None, None, Some(2.0)));
    assert_eq!(book.fields_set(), ["price"]);
}

#[test]
fn default_lists_of_trusted_data_are_not_shared() {
    let mut first = Trunk::model_construct(None, Map::default());
    first.set_things(["hat"]).unwrap();
    first.set_layers([("hat", 1)]).unwrap();
    let second = Trunk::model_construct(None, Map::default());
    assert_eq!(second.things().map(<[Text]>::len), Some(0));
    assert_eq!(second.layers().map(Map::len), Some(0));
}

#[test]
fn trusted_extra_fields_are_kept_if_the_kind_keeps_them() {
    let weather = Weather::model_construct(None, values([("Station", "pier".into()), ("Wind", 7.into())]));
    assert_eq!(weather.station(), Some("pier"));
    assert_eq!(weather.extra_fields()["Wind"], 7.into());
}

#[test]
fn fields_set_can_be_overridden() {
    let all = values([("title", "rust".into()), ("pages", 3.into())]);
    let book = Book::model_construct(Some(&["pages", "arn", "nonsense"]), all.clone());
    assert_eq!(book.fields_set(), ["Arn", "pages"]);
    assert_eq!(book.title(), Some("rust"));
    assert!(Book::model_construct(Some(&[]), all).fields_set().is_empty());
}
