//! Filters that are pushed down to the service: the toy requests fewer books if the prefix of the title is known.

use crate::toys::{Toy, shelf::Book};
use nephos_core::{Predicate, Results, Session, Value};
use proptest::prelude::*;
use std::sync::Arc;

/// Makes nine books, four of which begin with `go-`: after the empty page, unless the filter is known.
fn shelf() -> (Session, Arc<Toy>) {
    let (session, toy) = Toy::session();
    for title in ["ada-1", "ada-2", "c-1", "go-1", "go-2", "go-3", "go-4", "rust-1", "rust-2"] {
        toy.shelve(Book::shelved(title, title.len() as i64));
    }
    (session, toy)
}

fn titles(set: &Results<Book>) -> Vec<Value> {
    set.values_flat("title").wait().unwrap()
}

/// Returns the number of requests that a filter takes on a new listing, and the titles it finds.
fn requests(predicate: Predicate<Book>) -> (usize, Vec<Value>) {
    let (session, toy) = shelf();
    let found = titles(&Book::objects(&session).list().results().filter(predicate));
    (toy.requests(), found)
}

/// Number of requests that it takes to list all nine books.
const ALL: usize = 6;

#[test]
fn required_prefix_is_pushed_down() {
    let go = Book::FIELDS.title.starts_with("go-");
    let expected = ["go-1", "go-2", "go-3", "go-4"].map(Value::from);
    assert_eq!(requests(go.clone()), (3, expected.to_vec()), "four books: two pages and the empty one");
    assert_eq!(requests(go.clone() & Book::FIELDS.pages.lt(9)).0, 3, "with other tests");
    assert_eq!(requests(Predicate::all([Predicate::all([go])])).0, 3, "in nested predicates");
    assert_eq!(requests(Predicate::EVERYTHING).0, ALL);
}

#[test]
fn prefix_of_a_second_filter_is_pushed_down() {
    let (session, toy) = shelf();
    let few = Book::objects(&session).list().results().filter(Book::FIELDS.pages.lt(9));
    assert_eq!(titles(&few.filter(Book::FIELDS.title.starts_with("go-"))).len(), 4);
    assert_eq!(toy.requests(), 3);
}

#[test]
fn optional_prefix_is_not_pushed_down() {
    let (go, rust) = (Book::FIELDS.title.starts_with("go-"), Book::FIELDS.title.starts_with("rust-"));
    let (requested, found) = requests(go.clone() | rust.clone());
    assert_eq!((requested, found.len()), (ALL, 6), "either prefix is enough, so neither is pushed down");
    let (requested, found) = requests(!go.clone());
    assert_eq!((requested, found.len()), (ALL, 5));
    let (requested, found) = requests(!(!rust) & go);
    assert_eq!((requested, found), (3, vec![]), "the required prefix is pushed down");
}

#[test]
fn prefix_of_the_caller_is_kept() {
    let (session, toy) = shelf();
    let list = Book::objects(&session).list().prefix("go-4").results();
    assert_eq!(titles(&list.filter(Book::FIELDS.title.starts_with("go-"))), ["go-4".into()]);
    assert_eq!(toy.requests(), 1);
}

#[test]
fn filter_on_a_started_listing_does_not_restart_it() {
    let (session, toy) = shelf();
    let all = Book::objects(&session).list().results();
    all.first().wait().unwrap();
    let go = all.filter(Book::FIELDS.title.starts_with("go-"));
    assert_eq!(titles(&go).len(), 4);
    assert_eq!(toy.requests(), ALL, "the first page is not fetched again");
}

#[test]
fn pushdown_does_not_change_the_unfiltered_set() {
    let (session, toy) = shelf();
    let all = Book::objects(&session).list().results();
    let go = all.filter(Book::FIELDS.title.starts_with("go-"));
    assert_eq!(titles(&go).len(), 4);
    assert_eq!(titles(&all).len(), 9, "the whole listing is unchanged");
    assert_eq!(toy.requests(), 3 + ALL);
}

proptest! {
    #[test]
    fn pushdown_does_not_change_results(prefixes in prop::collection::vec("[agr]?[o]?-?", 1..3), any in any::<bool>()) {
        let tests: Vec<_> = prefixes.iter().map(|start| Book::FIELDS.title.starts_with(start)).collect();
        let predicate = if any { Predicate::any(tests) } else { Predicate::all(tests) };
        let (session, _toy) = shelf();
        let everything = Book::objects(&session).list().results().all().wait().unwrap();
        let unpushed = titles(&Results::from_models(everything).filter(predicate.clone()));
        prop_assert_eq!(requests(predicate).1, unpushed);
    }
}
