//! What a listing learns of the filter that will be applied to it: the toy asks for less when a title must start so.

use crate::toys::{Toy, shelf::Book};
use nephos_core::{Predicate, Results, Session, Value};
use proptest::prelude::*;
use std::sync::Arc;

/// Nine books, four of which begin with `go-`: behind the empty page if nothing is known of the filter.
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

/// How many requests a filter takes on a listing that has not begun.
fn requests(predicate: Predicate<Book>) -> (usize, Vec<Value>) {
    let (session, toy) = shelf();
    let found = titles(&Book::objects(&session).list().results().filter(predicate));
    (toy.requests(), found)
}

/// How many requests it takes to see all nine books.
const ALL: usize = 6;

#[test]
fn a_listing_asks_for_less_when_it_knows_the_filter() {
    let go = Book::FIELDS.title.starts_with("go-");
    let expected = ["go-1", "go-2", "go-3", "go-4"].map(Value::from);
    assert_eq!(requests(go.clone()), (3, expected.to_vec()), "four books: two pages and the empty one");
    assert_eq!(requests(go.clone() & Book::FIELDS.pages.lt(9)).0, 3, "other tests go along");
    assert_eq!(requests(Predicate::all([Predicate::all([go])])).0, 3, "nested ones, too");
    assert_eq!(requests(Predicate::EVERYTHING).0, ALL);
}

#[test]
fn a_second_filter_is_known_to_the_listing_as_well() {
    let (session, toy) = shelf();
    let few = Book::objects(&session).list().results().filter(Book::FIELDS.pages.lt(9));
    assert_eq!(titles(&few.filter(Book::FIELDS.title.starts_with("go-"))).len(), 4);
    assert_eq!(toy.requests(), 3);
}

#[test]
fn what_need_not_pass_is_not_asked_for() {
    let (go, rust) = (Book::FIELDS.title.starts_with("go-"), Book::FIELDS.title.starts_with("rust-"));
    let (asked, found) = requests(go.clone() | rust.clone());
    assert_eq!((asked, found.len()), (ALL, 6), "either is enough, so neither can be asked for");
    let (asked, found) = requests(!go.clone());
    assert_eq!((asked, found.len()), (ALL, 5));
    let (asked, found) = requests(!(!rust) & go);
    assert_eq!((asked, found), (3, vec![]), "the one that must pass is asked for");
}

#[test]
fn what_the_caller_asked_for_stays_asked_for() {
    let (session, toy) = shelf();
    let list = Book::objects(&session).list().prefix("go-4").results();
    assert_eq!(titles(&list.filter(Book::FIELDS.title.starts_with("go-"))), ["go-4".into()]);
    assert_eq!(toy.requests(), 1);
}

#[test]
fn a_listing_that_has_begun_is_not_begun_again() {
    let (session, toy) = shelf();
    let all = Book::objects(&session).list().results();
    all.first().wait().unwrap();
    let go = all.filter(Book::FIELDS.title.starts_with("go-"));
    assert_eq!(titles(&go).len(), 4);
    assert_eq!(toy.requests(), ALL, "the first page is not asked for again");
}

#[test]
fn a_filter_that_knows_less_does_not_change_its_listing() {
    let (session, toy) = shelf();
    let all = Book::objects(&session).list().results();
    let go = all.filter(Book::FIELDS.title.starts_with("go-"));
    assert_eq!(titles(&go).len(), 4);
    assert_eq!(titles(&all).len(), 9, "the whole listing is still whole");
    assert_eq!(toy.requests(), 3 + ALL);
}

proptest! {
    #[test]
    fn knowing_the_filter_changes_no_result(prefixes in prop::collection::vec("[agr]?[o]?-?", 1..3), any in any::<bool>()) {
        let tests: Vec<_> = prefixes.iter().map(|start| Book::FIELDS.title.starts_with(start)).collect();
        let predicate = if any { Predicate::any(tests) } else { Predicate::all(tests) };
        let (session, _toy) = shelf();
        let everything = Book::objects(&session).list().results().all().wait().unwrap();
        let unpushed = titles(&Results::from_models(everything).filter(predicate.clone()));
        prop_assert_eq!(requests(predicate).1, unpushed);
    }
}
