//! Predicates: how paths and lookups are parsed, how text becomes a predicate, and how predicates combine.

use crate::toys::{
    garden::{Bed, Plant, Weather},
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{AnyPredicate, Lookup, Predicate, Record as _, Resource, Results, Timestamp, Value};
use proptest::prelude::*;

fn accepts(model: &impl Resource, criterion: &str, value: impl Into<Value>) -> bool {
    AnyPredicate::parse(criterion, value).unwrap().accepts(model, &[])
}

/// True if the filter `text`, as written on a command line, accepts the model.
fn accepts_text<M: Resource>(model: &M, text: &str) -> bool {
    AnyPredicate::parse_text(text, M::KIND).unwrap().accepts(model, &[])
}

fn bed() -> Bed {
    Bed::from_json(
        r#"{"Name": "kitchen", "Owner": {"OwnerARN": "arn:o"}, "Light": "PROVIDER_SHADE",
            "Plants": [{"Species": "mint", "Count": 3}, {"Species": "dill", "Count": 40, "Light": "FULL_SUN"}],
            "Sizes": {"north": 2.5, "in": 1, "date": 4}, "Corners": {"ne": {"Species": "sage", "Count": 9}},
            "Labels": {"mint": ["hot", "cold"]}, "Fence": {"Height": 1.5, "colour": "red"}}"#,
    )
    .unwrap()
}

#[test]
fn predicate_paths_lead_into_records_lists_mappings_and_extra_fields() {
    let bed = bed();
    assert!(accepts(&bed, "Owner__OwnerARN__startswith", "arn"));
    assert!(accepts(&bed, "Plants__Species", "dill"), "one item is enough");
    assert!(accepts(&bed, "Plants__Count__gt", 30) && !accepts(&bed, "Plants__Count__gt", 40));
    assert!(accepts(&bed, "Corners__ne__Species", "sage") && !accepts(&bed, "Corners__sw__Species", "sage"));
    assert!(accepts(&bed, "Labels__mint__contains", "col"));
    assert!(accepts(&bed, "Sizes__north__gte", 2.5));
    assert!(accepts(&bed, "Sizes__south__isnull", true), "a missing key of a mapping is null");
    assert!(accepts(&bed, "Fence__colour", "red"));
    assert!(!accepts(&bed, "Plants__Species__length", 4), "a text has no nested values");
}

#[test]
fn predicates_accept_every_spelling_of_a_field() {
    let bed = bed();
    for path in ["Plants__Count", "plants__count", "Plants__count"] {
        assert!(accepts(&bed, path, 3), "{path}");
    }
    let book = Book::shelved("rust", 300);
    for path in ["shelvedAt__year", "shelved_at__year"] {
        assert!(accepts(&book, path, 2023), "{path}");
    }
    assert!(accepts(&book, "bookArn__endswith", "/rust"), "the provider's spelling is accepted on input");
}

#[test]
fn predicates_accept_arn_name_and_pk() {
    let book = Book::shelved("rust", 300);
    assert!(accepts(&book, "name", "rust") && accepts(&book, "name__startswith", "ru"));
    assert!(accepts(&book, "pk", "arn:aws:shelf:us-east-1:123456789012:book/rust"));
    assert!(accepts(&book, "arn__endswith", "book/rust"));
    let unsaved = Book::builder().title("rust").build().unwrap();
    assert!(accepts(&unsaved, "arn__isnull", true) && accepts(&unsaved, "pk__isnull", true));

    let bed = bed();
    assert!(accepts(&bed, "arn", "arn:o"), "an identity may be in a nested record");
    assert!(accepts(&bed, "pk__Name", "kitchen") && accepts(&bed, "pk__Owner__OwnerARN", "arn:o"));
    assert!(accepts(&bed, "pk__has_key", "Name") && !accepts(&bed, "pk__has_key", "BedId"));
    let report = Weather::from_json(r#"{"Station": "s"}"#).unwrap();
    assert!(accepts(&report, "name", "s"));
    assert!(!accepts(&report, "arn__isnull", true), "a kind without that identity has no such path");
}

#[test]
fn single_name_is_a_field_and_not_a_lookup() {
    let report = Weather::from_json(r#"{"Station": "s", "date": "today", "in": 5, "exact": 1}"#).unwrap();
    assert!(accepts(&report, "date", "today") && accepts(&report, "in", 5) && accepts(&report, "exact", 1));
    assert!(accepts(&report, "date__exact", "today") && accepts(&report, "date__startswith", "to"));

    let bed = bed();
    assert!(accepts(&bed, "Sizes__in__exact", 1), "a key like a lookup needs a lookup after it");
    assert!(accepts(&bed, "Sizes__date__gt", 3));
    assert!(AnyPredicate::parse("Sizes__in", 1).is_err(), "this is the lookup `in`, which takes a list");
    for wrong in ["", "__gt", "pages__", "a____b", "__"] {
        assert!(AnyPredicate::parse(wrong, 1).unwrap_err().is_value_error(), "{wrong}");
    }
}

#[test]
fn required_tests_expose_path_lookup_and_value() {
    let predicate =
        AnyPredicate::parse("Plants__Count__gte", 3).unwrap() & AnyPredicate::parse("Name", "x").unwrap();
    let tests = predicate.required_tests();
    assert_eq!(tests[0].path(), ["Plants", "Count"]);
    assert_eq!((tests[0].lookup(), tests[0].value()), (Lookup::Gte, &3.into()));
    assert_eq!((tests[1].path()[0].as_str(), tests[1].lookup()), ("Name", Lookup::Exact));
    assert!((!predicate.clone()).required_tests().is_empty());
    assert!((predicate.clone() | AnyPredicate::EVERYTHING).required_tests().is_empty());
}

#[test]
fn parse_text_reads_the_value_as_the_type_of_its_field() {
    let book = Book::shelved("rust", 300);
    for (text, expected) in [
        ("pages__gte=30", true),
        ("pages__gte=3000", false),
        ("pages=300", true),
        ("pages = 300", true),
        ("pages__lt=300.5", true),
        ("pages__in=1, 300,5", true),
        ("pages__in=1,3", false),
        ("lendable=true", true),
        ("lendable=off", false),
        ("lendable__in=yes", true),
        ("price__isnull=yes", true),
        ("title=rust", true),
        ("title__in=go,rust", true),
        ("title__regex=^r=?u", true),
        ("title__contains=", true),
        ("shelvedAt__lt=2026-01-01", true),
        ("shelvedAt__gt=2026-01-01T00:00:00Z", false),
        ("shelvedAt__year=2023", true),
        ("shelvedAt__date=2023-11-14", true),
        ("name__startswith=ru", true),
    ] {
        assert_eq!(accepts_text(&book, text), expected, "{text}");
    }
}

#[test]
fn parse_text_reads_the_value_as_the_type_at_the_end_of_its_path() {
    let bed = bed();
    for (text, expected) in [
        ("Plants__Count__gte=40", true),
        ("Plants__Count=41", false),
        ("Sizes__north__lt=2.6", true),
        ("Corners__ne__Count=9", true),
        ("Labels__mint=hot", true),
        ("Fence__Height__gt=1", true),
        ("Light=PROVIDER_SHADE", true),
        ("Plants__Light__in=FULL_SUN,PROVIDER_SHADE", true),
        ("Owner__OwnerARN=arn:o", true),
    ] {
        assert_eq!(accepts_text(&bed, text), expected, "{text}");
    }
}

#[test]
fn parse_text_rejects_invalid_filters() {
    let error = AnyPredicate::parse_text("page__gte=30", Book::KIND).unwrap_err();
    assert_eq!(error.field(), Some("page"));
    assert!(error.message().contains("did you mean pages?"), "{error}");
    for wrong in ["pages", "pages__gte", "=5", "title__regex=(", "lendable__isnull=perhaps", "a____b=1"] {
        assert!(AnyPredicate::parse_text(wrong, Book::KIND).unwrap_err().is_value_error(), "{wrong}");
    }
    assert!(AnyPredicate::parse_text("humidity__gt=4", Weather::KIND).is_ok(), "it may be an extra field");
    assert!(AnyPredicate::parse_text("books__title=x", Bed::KIND).is_ok(), "relations are valid paths");
}

#[test]
fn parse_text_rejects_unknown_lookups_and_incomparable_values() {
    for (text, refusal) in [
        ("pages__bogus=1", "pages__bogus: bogus is neither a field here nor a lookup"),
        ("pages__gtee=1", "pages__gtee: gtee is neither a field here nor a lookup; did you mean gte?"),
        ("pages=many", "pages: \"many\" is not a number"),
        ("pages__gte=thirty", "pages__gte: \"thirty\" is not a number"),
        ("days__in=7,x", "days__in: \"x\" is not a number"),
        ("shelvedAt__lt=soon", "shelvedAt__lt: \"soon\" is not a time like 2026-01-31T12:00:00Z"),
        ("pages__year=2026", "pages__year: year is a lookup for times"),
        ("title__startswith__bogus=x", "bogus cannot follow startswith: a lookup is the last name"),
    ] {
        let error = Predicate::<Book>::parse_text(text).unwrap_err();
        assert!(error.is_value_error(), "{text}");
        assert!(error.to_string().contains(refusal), "{text}: {error}");
    }
    for right in
        ["pages__gte=3.5", "shelvedAt__year=2026", "title__icontains=7", "pages=7", "pages__isnull=true"]
    {
        assert!(Predicate::<Book>::parse_text(right).is_ok(), "{right}");
    }
}

#[test]
fn parse_text_rejects_unknown_choices_and_structures() {
    for (text, refusal) in [
        ("Light=FULL_SUM", "did you mean FULL_SUN?"),
        ("Plants__Light__in=FULL_SUN,DARK", "\"DARK\" is not one of "),
        ("Plants=1", "Plants: exact cannot compare a "),
        ("Labels__contains=hot", "contains cannot compare a mapping"),
        ("books=rust", "add the name of one of its fields: "),
    ] {
        let error = AnyPredicate::parse_text(text, Bed::KIND).unwrap_err();
        assert!(error.is_value_error() && error.to_string().contains(refusal), "{text}: {error}");
    }
    for right in ["Light__contains=SUM", "Plants__isnull=true", "Labels__has_key=mint", "Light__isnull=no"] {
        assert!(AnyPredicate::parse_text(right, Bed::KIND).is_ok(), "{right}");
    }
}

fn assert_same_test<R>(typed: Predicate<R>, criterion: &str, value: impl Into<Value>) {
    let written = AnyPredicate::parse(criterion, value).unwrap();
    for (typed, written) in typed.tree().required_tests().into_iter().zip(written.required_tests()) {
        assert_eq!(typed.lookup(), written.lookup(), "{criterion}");
        assert_eq!(typed.value(), written.value(), "{criterion}");
        assert_eq!(typed.path(), written.path(), "{criterion}");
    }
    assert_eq!(typed.tree().required_tests().len(), 1, "{criterion}");
}

#[test]
fn typed_predicates_equal_text_predicates() {
    let (book, moment) = (Book::FIELDS, Timestamp::UNIX_EPOCH);
    assert_same_test(book.pages.eq(3), "pages", 3);
    assert_same_test(book.pages.gt(3), "pages__gt", 3);
    assert_same_test(book.pages.ge(3), "pages__gte", 3);
    assert_same_test(book.pages.lt(3), "pages__lt", 3);
    assert_same_test(book.pages.le(3), "pages__lte", 3);
    assert_same_test(book.days.one_of([7, 14]), "days__in", [7, 14]);
    assert_same_test(book.price.is_null(), "price__isnull", true);
    assert_same_test(book.price.is_set(), "price__isnull", false);
    assert_same_test(book.title.contains("x"), "title__contains", "x");
    assert_same_test(book.title.starts_with("x"), "title__startswith", "x");
    assert_same_test(book.title.ends_with("x"), "title__endswith", "x");
    assert_same_test(book.shelved_at.lt(moment), "shelvedAt__lt", moment);
    assert_same_test(book.title.lookup(Lookup::IRegex, "^x").unwrap(), "title__iregex", "^x");
    assert!(book.title.lookup(Lookup::Regex, "(").is_err());
    assert_same_test(Bed::FIELDS.plants.then(&Plant::FIELDS.count).ge(3), "Plants__Count__gte", 3);

    let bed = bed();
    assert!(Bed::FIELDS.plants.then(&Plant::FIELDS.count).gt(39).accepts(&bed));
    assert!(Bed::FIELDS.name.ne("x").accepts(&bed) && !Bed::FIELDS.name.ne("kitchen").accepts(&bed));
}

#[test]
fn empty_predicates_match_everything_or_nothing() {
    let book = Book::shelved("rust", 300);
    assert!(AnyPredicate::EVERYTHING.accepts(&book, &[]));
    assert!(AnyPredicate::All(vec![]).accepts(&book, &[]));
    assert!(!AnyPredicate::Any(vec![]).accepts(&book, &[]));
    let empty_path = AnyPredicate::test(&[], Lookup::IsNull, true).unwrap();
    assert!(!empty_path.accepts(&book, &[]));
    assert!(
        !Results::from_models(vec![book]).filter(empty_path.into()).exists().wait().unwrap(),
        "an empty path matches nothing"
    );
}

proptest! {
    #[test]
    fn predicates_combine_like_bools(pages in 1..9_i64, bounds in prop::array::uniform3(1..9_i64)) {
        let book = Book::model_construct(None, values([("pages", pages.into())]));
        let tests = bounds.map(|bound| Book::FIELDS.pages.ge(bound));
        let [a, b, c] = bounds.map(|bound| pages >= bound);
        let [p, q, r] = tests;
        for (predicate, expected) in [
            (p.clone() & q.clone(), a && b),
            (p.clone() | q.clone(), a || b),
            (!p.clone(), !a),
            (p.clone() & q.clone() & r.clone(), a && b && c),
            (p.clone() & (q.clone() & r.clone()), a && b && c),
            ((p.clone() | q.clone()) & !r.clone(), (a || b) && !c),
            (!(p.clone() & q.clone()) | r.clone(), !(a && b) || c),
            (Predicate::EVERYTHING & p.clone(), a),
        ] {
            prop_assert_eq!(predicate.accepts(&book), expected, "{:?}", predicate);
        }
    }
}
