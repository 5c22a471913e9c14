//! Sets made from result sets: slices, sums, orders and values.

use crate::{
    results::{requests_to_fetch, requests_to_fetch_all},
    toys::{
        Toy,
        garden::{Bed, Plant, Weather},
        shelf::Book,
        values,
    },
};
use nephos_core::python::PythonResults as _;
use nephos_core::{Record as _, Results, Value};
use proptest::prelude::*;

/// Returns the indices of Python's `range(count)[start:end:step]`.
fn python_slice(count: usize, start: Option<i64>, end: Option<i64>, step: i64) -> Vec<usize> {
    let (count, step) = (count as i128, i128::from(step));
    let from_start = |bound: i64| if bound < 0 { i128::from(bound) + count } else { bound.into() };
    let (start, end) = (start.map(from_start), end.map(from_start));
    let mut kept: Vec<i128> = if step > 0 {
        let (start, end) = (start.unwrap_or(0).max(0), end.unwrap_or(count));
        (0..count).filter(|place| *place >= start && *place < end && (place - start) % step == 0).collect()
    } else {
        let (start, end) = (start.unwrap_or(count - 1).min(count - 1), end.unwrap_or(-1));
        (0..count).filter(|place| *place <= start && *place > end && (start - place) % step == 0).collect()
    };
    if step < 0 {
        kept.reverse();
    }
    kept.into_iter().map(|place| place as usize).collect()
}

fn bound() -> impl Strategy<Value = Option<i64>> {
    prop_oneof![
        2 => Just(None),
        12 => (-9..9_i64).prop_map(Some),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)].prop_map(Some),
    ]
}

fn step() -> impl Strategy<Value = i64> {
    prop_oneof![
        8 => (-4..=4_i64).prop_filter("a step is not 0", |step| *step != 0),
        1 => prop_oneof![Just(i64::MIN), Just(i64::MAX)],
    ]
}

proptest! {
    #[test]
    fn slice_is_the_same_as_in_python(count in 0..8_usize, start in bound(), end in bound(), step in step()) {
        let (session, toy) = Toy::with_books(count);
        let set = Book::objects(&session).list().results();
        let expected = python_slice(count, start, end, step);
        let titles: Vec<Value> = expected.iter().map(|n| format!("book-{n}").into()).collect();
        prop_assert_eq!(set.slice(start, end, step).values_flat("title").wait().unwrap(), titles);

        let forward = step > 0 && start.is_none_or(|at| at >= 0) && end.is_some_and(|at| at >= 0);
        let within = end.is_some_and(|end| end <= count as i64);
        if forward && within {
            let needed = expected.last().map_or(0, |last| requests_to_fetch(*last));
            prop_assert_eq!(toy.requests(), needed, "no page beyond the last one needed");
        } else {
            prop_assert!(toy.requests() <= requests_to_fetch_all(count));
        }
    }

    #[test]
    fn slice_of_a_slice_is_the_same_as_of_a_list(
        (start, end, step) in (bound(), bound(), step()),
        (start2, end2, step2) in (bound(), bound(), step()),
    ) {
        let (session, _toy) = Toy::with_books(7);
        let once = python_slice(7, start, end, step);
        let twice = python_slice(once.len(), start2, end2, step2);
        let expected: Vec<Value> = twice.iter().map(|n| format!("book-{}", once[*n]).into()).collect();
        let set = Book::objects(&session).list().results().slice(start, end, step).slice(start2, end2, step2);
        prop_assert_eq!(set.values_flat("title").wait().unwrap(), expected);
    }

    #[test]
    fn order_by_is_a_stable_sort(pages in prop::collection::vec(prop::option::of(1..5_i64), 0..9)) {
        let books: Vec<Book> = pages.iter().enumerate().map(|(n, pages)| {
            Book::builder().title(format!("book-{n}")).pages(*pages).build().unwrap()
        }).collect();
        let set = Results::from_models(books.clone());
        let mut expected = books;
        // `None` is the smallest option, as null is the smallest value.
        expected.sort_by_key(Book::pages);
        prop_assert_eq!(set.order_by("pages").all().wait().unwrap(), expected.clone());
        expected.sort_by_key(|book| (std::cmp::Reverse(book.pages()), book.title().map(str::to_owned)));
        prop_assert_eq!(set.order_by("-pages").all().wait().unwrap(), expected);
    }
}

#[test]
fn slice_with_step_zero_is_an_error_when_it_is_read() {
    let (session, toy) = Toy::with_books(3);
    let slice = Book::objects(&session).list().results().slice(None, None, 0);
    assert!(slice.all().wait().unwrap_err().is_value_error());
    assert_eq!(toy.requests(), 0);
}

#[test]
fn sum_of_sets_keeps_order_and_duplicates() {
    let (session, toy) = Toy::with_books(3);
    let set = Book::objects(&session).list().results();
    let sum = set.slice(1, None, 1)
        + set.clone()
        + Results::from_models(Vec::new())
        + Results::from_models(vec![Book::shelved("x", 1)]);
    let titles = |set: &Results<Book>| set.values_flat("title").wait().unwrap();
    let expected = ["book-1", "book-2", "book-0", "book-1", "book-2", "x"].map(Value::from);
    assert_eq!(titles(&sum), expected);
    assert_eq!(titles(&sum), expected, "it can be read again");
    assert_eq!(titles(&set), ["book-0", "book-1", "book-2"].map(Value::from));
    assert_eq!(titles(&sum.filter(Book::FIELDS.title.eq("book-1"))), ["book-1", "book-1"].map(Value::from));
    assert_eq!(toy.requests(), requests_to_fetch_all(3));
}

#[test]
fn sum_of_sets_fetches_the_second_set_lazily() {
    let (session, toy) = Toy::with_books(3);
    let set = || Book::objects(&session).list().results();
    let sum = set() + set();
    assert_eq!(sum.at(1).wait().unwrap().title(), Some("book-1"));
    assert_eq!(toy.requests(), 1);
    assert_eq!(sum.at(3).wait().unwrap().title(), Some("book-0"));
    assert_eq!(toy.requests(), 3 + 1);
}

fn bed(json: &str) -> Bed {
    Bed::from_json(json).unwrap()
}

fn names(set: &Results<Bed>, order: &str) -> Vec<String> {
    let names = set.order_by(order).values_flat("name").wait().unwrap();
    names.iter().map(|name| name.as_text().unwrap().to_owned()).collect()
}

#[test]
fn lists_and_mappings_are_ordered_by_their_first_value() {
    let beds = Results::from_models(vec![
        bed(
            r#"{"Name": "two", "Plants": [{"Species": "b", "Count": 2}, {"Species": "a"}], "Sizes": {"n": 2.5, "s": 0}}"#,
        ),
        bed(r#"{"Name": "none"}"#),
        bed(r#"{"Name": "one", "Plants": [{"Species": "a", "Count": 9}], "Sizes": {"z": 1.5}}"#),
        bed(r#"{"Name": "empty", "Plants": [], "Sizes": {}}"#),
    ]);
    assert_eq!(names(&beds, "Plants__Species"), ["none", "empty", "one", "two"]);
    assert_eq!(names(&beds, "-Plants__Species"), ["two", "one", "none", "empty"]);
    assert_eq!(names(&beds, "Plants__Count"), ["none", "empty", "two", "one"]);
    assert_eq!(names(&beds, "Sizes"), ["none", "empty", "one", "two"]);
    assert_eq!(names(&beds, "-Sizes__n"), ["two", "none", "one", "empty"]);
    assert_eq!(names(&beds, "Plants"), ["none", "empty", "one", "two"], "a record by its first value");
    assert_eq!(names(&beds, "nonsense"), ["two", "none", "one", "empty"], "an unknown path keeps the order");
    assert_eq!(names(&beds, "-Name__nonsense"), ["two", "none", "one", "empty"]);
}

#[test]
fn typed_orders_equal_text_orders() {
    let beds = Results::from_models(vec![
        bed(r#"{"Name": "a", "Plants": [{"Species": "x", "Count": 2}]}"#),
        bed(r#"{"Name": "b", "Plants": [{"Species": "y", "Count": 1}]}"#),
    ]);
    let count = Bed::FIELDS.plants.then(&Plant::FIELDS.count);
    for (typed, written) in [
        (Bed::FIELDS.name.asc(), "name"),
        (Bed::FIELDS.name.desc(), "-Name"),
        (count.asc(), "Plants__Count"),
        (count.desc(), "-plants__count"),
    ] {
        let expected = beds.order_by(written.to_owned()).all().wait().unwrap();
        assert_eq!(beds.order_by(typed).all().wait().unwrap(), expected, "{written}");
    }
}

#[test]
fn values_of_different_types_have_a_total_order() {
    let report = |json| Weather::from_json(json).unwrap();
    let reports = Results::from_models(vec![
        report(r#"{"Station": "text", "x": "1"}"#),
        report(r#"{"Station": "number", "x": 2}"#),
        report(r#"{"Station": "absent"}"#),
        report(r#"{"Station": "fraction", "x": 1.5}"#),
        report(r#"{"Station": "bool", "x": true}"#),
        report(r#"{"Station": "null", "x": null}"#),
    ]);
    let stations = reports.order_by("x").values_flat("name").wait().unwrap();
    assert_eq!(stations, ["absent", "null", "bool", "fraction", "number", "text"].map(Value::from));
}

#[test]
fn values_returns_mappings_from_paths_to_values() {
    let (session, _toy) = Toy::with_books(2);
    let set = Book::objects(&session).list().results();
    let rows = set.values(&["pages", "name", "nonsense", "title__nonsense", "price"]).wait().unwrap();
    let row = |title: &str, pages: i64| {
        values([
            ("pages", pages.into()),
            ("name", title.into()),
            ("nonsense", Value::Null),
            ("title__nonsense", Value::Null),
            ("price", Value::Null),
        ])
    };
    assert_eq!(rows, [row("book-0", 10), row("book-1", 20)]);
    assert_eq!(rows[0].keys().collect::<Vec<_>>(), ["pages", "name", "nonsense", "title__nonsense", "price"]);
    assert!(set.filter(Book::FIELDS.pages.gt(99)).values(&["pages"]).wait().unwrap().is_empty());
}

#[test]
fn values_without_paths_returns_all_fields_without_the_session() {
    let (session, _toy) = Toy::with_books(1);
    let rows = Book::objects(&session).list().results().values(&[]).wait().unwrap();
    let expected = values([
        ("Arn", "arn:aws:shelf:us-east-1:123456789012:book/book-0".into()),
        ("title", "book-0".into()),
        ("pages", 10.into()),
        ("lendable", true.into()),
        ("shelvedAt", Value::Time("2023-11-14T22:13:30Z".parse().unwrap())),
    ]);
    assert_eq!(rows, [expected]);
    assert!(Results::<Book>::from_models(Vec::new()).values(&[]).wait().unwrap().is_empty());
}

#[test]
fn paths_of_values_lead_through_lists_mappings_and_records() {
    let beds = Results::from_models(vec![bed(
        r#"{"Name": "a", "Plants": [{"Species": "x", "Count": 2}, {"Species": "y", "Light": "FULL_SUN"}],
            "Sizes": {"n": 2.5}, "Labels": {"x": ["l", "m"]}, "Owner": {"OwnerARN": "o"},
            "Fence": {"Height": 1.5, "posts": [{"h": 1}, {"h": 2}, {}]}, "Anything": [{"k": [1, 2]}, {"k": [3]}]}"#,
    )]);
    let value = |path: &str| beds.values_flat(path).wait().unwrap().remove(0);
    assert_eq!(value("Plants__Species"), ["x", "y"].into());
    assert_eq!(value("Plants__Light"), ["FULL_SUN"].into(), "items without a value are left out");
    assert_eq!(value("Plants__Planted"), Value::Null, "none at all is null");
    assert_eq!(value("Sizes__n"), 2.5.into());
    assert_eq!(value("Sizes__s"), Value::Null);
    assert_eq!(value("Labels__x"), ["l", "m"].into());
    assert_eq!(value("Owner__OwnerARN"), "o".into());
    assert_eq!(value("arn"), "o".into());
    assert_eq!(value("Picture__x__y"), Value::Null);
    assert_eq!(value("Anything__k"), [1, 2, 3].into(), "lists of lists are made flat");
    assert_eq!(value("Fence__posts__h"), [1, 2].into(), "also within unknown fields");
    assert_eq!(
        value("pk"),
        Value::Map(values([("Name", "a".into()), ("Owner", Value::Map(values([("OwnerARN", "o".into())])))]))
    );
    assert_eq!(value("pk__Name"), "a".into());

    let report = Weather::from_json(r#"{"Station": "s", "readings": [{"at": 1}, {"at": 2}]}"#).unwrap();
    let readings = Results::from_models(vec![report]).values_flat("readings__at").wait().unwrap();
    assert_eq!(readings, [Value::from([1, 2])]);
}

#[test]
fn values_hide_secrets() {
    let book = Book::builder().title("x").note("hunter2").build().unwrap();
    let books = Results::from_models(vec![book]);
    let bed = Results::from_models(vec![bed(r#"{"Name": "x", "GateCode": "hunter2"}"#)]);
    for shown in [
        format!("{:?}", books.values(&[]).wait().unwrap()),
        format!("{:?}", books.values(&["note"]).wait().unwrap()),
        format!("{:?}", books.values_list(&["note", "title"]).wait().unwrap()),
        format!("{:?}", books.values_flat("note").wait().unwrap()),
        format!("{:?}", bed.values(&["GateCode"]).wait().unwrap()),
    ] {
        assert!(!shown.contains("hunter2") && shown.contains("<secret>"), "{shown}");
    }
}

#[test]
fn values_list_returns_values_in_the_order_of_paths() {
    let (session, toy) = Toy::with_books(3);
    let set = Book::objects(&session).list().results();
    let rows = set.values_list(&["title", "nonsense", "pages"]).wait().unwrap();
    assert_eq!(rows[1], ["book-1".into(), Value::Null, 20.into()]);
    assert_eq!(set.values_flat("pages").wait().unwrap(), [10, 20, 30].map(Value::from));
    let flattened: Vec<_> = set.values_list(&["pages"]).wait().unwrap().into_iter().flatten().collect();
    assert_eq!(flattened, set.values_flat("pages").wait().unwrap());
    assert_eq!(toy.requests(), requests_to_fetch_all(3));

    let none = Results::<Book>::from_models(Vec::new());
    assert_eq!(none.values_list(&["title"]).wait().unwrap(), [] as [Vec<Value>; 0]);
    for set in [set, none] {
        assert!(set.values_list(&[]).wait().unwrap_err().is_value_error(), "at least one path is needed");
    }
}
