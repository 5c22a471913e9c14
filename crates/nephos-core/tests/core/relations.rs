//! Relations: looked up once, remembered by the model, and used by filters, values and orders.

use crate::toys::{Toy, garden::Bed, shelf::Book};
use nephos_core::python::PythonResults as _;
use nephos_core::{Error, ErrorKind, Predicate, Record as _, Resource as _, Results, Session, Value, wait};
use std::sync::Arc;

/// Makes two beds whose names are prefixes of books, one without books, and one that another belongs to.
fn garden() -> (Session, Arc<Toy>) {
    let (session, toy) = Toy::session();
    for (title, pages) in [("rose-care", 10), ("rose-red", 20), ("sage", 30)] {
        toy.shelve(Book::shelved(title, pages));
    }
    for json in [
        r#"{"Name": "rose", "Owner": {"OwnerARN": "sage"}}"#,
        r#"{"Name": "sage"}"#,
        r#"{"Name": "weed", "Owner": {"OwnerARN": "nobody"}}"#,
    ] {
        Bed::objects(&session).create(&Bed::from_json(json).unwrap()).wait().unwrap();
    }
    toy.operations.lock().unwrap().clear();
    (session, toy)
}

fn beds(session: &Session) -> Results<Bed> {
    Bed::objects(session).list().results()
}

fn rose(session: &Session) -> Bed {
    Bed::objects(session).get("rose").wait().unwrap().unwrap()
}

fn titles(books: &[Book]) -> Vec<&str> {
    books.iter().map(|book| book.title().unwrap()).collect()
}

fn names(set: &Results<Bed>) -> Vec<Value> {
    set.values_flat("Name").wait().unwrap()
}

#[test]
fn relation_is_looked_up_once_and_remembered() {
    let (session, toy) = garden();
    let rose = rose(&session);
    let books = wait(rose.books()).unwrap();
    assert_eq!(titles(&books), ["rose-care", "rose-red"]);
    assert_eq!(books[0].session().unwrap().account(), session.account(), "related models have a session");
    assert!(Arc::ptr_eq(&books, &wait(rose.books()).unwrap()));
    assert_eq!(toy.count("DescribeBooks"), 1);

    let owner = wait(rose.owner_bed()).unwrap();
    let owner = owner.as_deref().unwrap();
    assert!(
        nephos_core::Resource::name(owner).is_err() && owner.name().is_some(),
        "a bed has a field `name`, but no such identity"
    );
    assert_eq!(owner.pk().unwrap(), sage_pk());
    wait(rose.owner_bed()).unwrap();
    assert_eq!(toy.count("DescribeBeds"), 2, "one to get the rose bed, one to get its owner's bed");
}

fn sage_pk() -> nephos_core::Pk {
    nephos_core::Pk::Mapping(crate::toys::values([("Name", "sage".into()), ("Owner", Value::Null)]))
}

#[test]
fn empty_relation_is_remembered() {
    let (session, toy) = garden();
    let weed = beds(&session).at(2).wait().unwrap();
    for _ in 0..2 {
        assert!(wait(weed.books()).unwrap().is_empty());
        assert!(wait(weed.owner_bed()).unwrap().is_none(), "there is no such bed");
    }
    assert_eq!((toy.count("DescribeBooks"), toy.count("DescribeBeds")), (1, 2));
    let sage = beds(&session).at(1).wait().unwrap();
    let before = toy.requests();
    assert!(wait(sage.owner_bed()).unwrap().is_none());
    assert_eq!(toy.requests(), before, "without an owner there is no request");
}

#[test]
fn new_session_and_clone_look_up_again() {
    let (session, toy) = garden();
    let mut rose = rose(&session);
    wait(rose.books()).unwrap();
    let clone = rose.clone();
    wait(clone.books()).unwrap();
    assert_eq!(toy.count("DescribeBooks"), 2, "a clone may be changed, so it looks up relations itself");
    wait(rose.books()).unwrap();
    assert_eq!(toy.count("DescribeBooks"), 2);

    let (elsewhere, empty) = Toy::session();
    rose.set_session(elsewhere);
    assert!(wait(rose.books()).unwrap().is_empty(), "the other session has no books");
    assert_eq!((toy.count("DescribeBooks"), empty.count("DescribeBooks")), (2, 1));
}

#[test]
fn filters_look_up_relations_once_per_model() {
    let (session, toy) = garden();
    let long = Predicate::parse("books__pages__gte", 20).unwrap();
    let red = Predicate::parse("books__title__endswith", "red").unwrap();
    let found = beds(&session).filter(long.clone() & red.clone());
    assert_eq!(names(&found), ["rose".into()]);
    assert_eq!(toy.count("DescribeBooks"), 3, "three beds, two tests");
    assert_eq!(names(&found), ["rose".into()]);
    assert_eq!(toy.count("DescribeBooks"), 3, "results are remembered");

    assert_eq!(names(&beds(&session).filter(long.clone() | red)), ["rose", "sage"].map(Value::from));
    assert_eq!(names(&beds(&session).filter(!long)), ["weed".into()]);
}

#[test]
fn filter_looks_up_relations_lazily() {
    let (session, toy) = garden();
    let found = beds(&session).filter(Predicate::parse("books__isnull", false).unwrap());
    assert!(found.exists().wait().unwrap());
    assert_eq!(toy.count("DescribeBooks"), 1);
}

#[test]
fn empty_relation_is_null_in_filters() {
    let (session, _toy) = garden();
    let with = |criterion: &str, value: Value| {
        names(&beds(&session).filter(Predicate::parse(criterion, value).unwrap()))
    };
    assert_eq!(with("owner_bed__isnull", true.into()), ["sage", "weed"].map(Value::from));
    assert_eq!(with("owner_bed__Name", "sage".into()), ["rose".into()]);
    assert_eq!(with("owner_bed__Name__isnull", true.into()), ["sage", "weed"].map(Value::from));
    assert_eq!(with("books__title__isnull", true.into()), ["weed".into()]);
    assert_eq!(with("books__nonsense__isnull", true.into()), [], "an unknown path is not null");
    assert_eq!(with("owner_bed__nonsense__isnull", true.into()), []);
}

#[test]
fn values_and_orders_look_up_relations_once_per_model() {
    let (session, toy) = garden();
    let rows = beds(&session).values_list(&["Name", "books__title", "books__pages"]).wait().unwrap();
    assert_eq!(rows[0], ["rose".into(), ["rose-care", "rose-red"].into(), [10, 20].into()]);
    assert_eq!(rows[1], ["sage".into(), ["sage"].into(), [30].into()]);
    assert_eq!(rows[2], ["weed".into(), Value::Null, Value::Null]);
    assert_eq!(toy.count("DescribeBooks"), 3);

    assert_eq!(names(&beds(&session).order_by("books__pages")), ["weed", "rose", "sage"].map(Value::from));
    assert_eq!(names(&beds(&session).order_by("-books__title")), ["sage", "rose", "weed"].map(Value::from));
    assert_eq!(toy.count("DescribeBooks"), 3 + 3 + 3);
    let owners = beds(&session).values_flat("owner_bed__Name").wait().unwrap();
    assert_eq!(owners, ["sage".into(), Value::Null, Value::Null]);
}

#[test]
fn list_behind_a_relation_to_one_is_complete() {
    let (session, _toy) = garden();
    let sage = r#"{"Name": "sage", "Plants": [{"Species": "a"}, {"Species": "b"}]}"#;
    Bed::objects(&session).create(&Bed::from_json(sage).unwrap()).wait().unwrap();
    let species = beds(&session).values_flat("owner_bed__Plants__Species").wait().unwrap();
    assert_eq!(species, [["a", "b"].into(), Value::Null, Value::Null]);
}

#[test]
fn parse_text_of_a_relation_reads_the_type_at_its_end() {
    let (session, _toy) = garden();
    let found = beds(&session).filter(Predicate::parse_text("books__pages__gte=30").unwrap());
    assert_eq!(names(&found), ["sage".into()]);
}

#[test]
fn failed_relation_lookup_is_retried() {
    let (session, toy) = garden();
    let all = beds(&session);
    all.count().wait().unwrap();
    let connection_lost = || Error::new(ErrorKind::Transport, "connection connection_lost");
    let filtered = all.filter(Predicate::parse("books__title", "rose-red").unwrap());
    let ordered = all.order_by("books__title");
    for failed in [
        {
            toy.fail_next(connection_lost());
            filtered.all().wait().map(drop)
        },
        {
            toy.fail_next(connection_lost());
            ordered.all().wait().map(drop)
        },
        {
            toy.fail_next(connection_lost());
            all.values(&["books__title"]).wait().map(drop)
        },
        {
            toy.fail_next(connection_lost());
            wait(rose_of(&all).books()).map(drop)
        },
    ] {
        assert_eq!(failed.unwrap_err().kind(), ErrorKind::Transport);
    }
    assert_eq!(names(&filtered), ["rose".into()], "the bed at which it failed is not skipped");
    assert_eq!(ordered.count().wait().unwrap(), 3);
    let rose = rose_of(&all);
    toy.fail_next(connection_lost());
    assert!(wait(rose.books()).is_err());
    assert_eq!(titles(&wait(rose.books()).unwrap()), ["rose-care", "rose-red"], "an error is not remembered");
}

fn rose_of(all: &Results<Bed>) -> Bed {
    all.at(0).wait().unwrap()
}

#[test]
fn relation_without_a_session_is_an_error() {
    let without_session = Bed::from_json(r#"{"Name": "rose", "Owner": {"OwnerARN": "sage"}}"#).unwrap();
    assert_eq!(wait(without_session.books()).unwrap_err().kind(), ErrorKind::NoSession);
    let error = wait(without_session.owner_bed()).unwrap_err();
    assert!(error.is_runtime_error(), "{error}");
    let set = Results::from_models(vec![without_session]);
    let by_title = set.filter(Predicate::parse("books__title", "x").unwrap());
    assert_eq!(by_title.exists().wait().unwrap_err().kind(), ErrorKind::NoSession);
    assert_eq!(set.values(&["books"]).wait().unwrap_err().kind(), ErrorKind::NoSession);
    assert_eq!(set.values_flat("Name").wait().unwrap(), ["rose".into()], "fields need no session");
}
