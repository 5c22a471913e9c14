//! Result sets: laziness, caching, results and errors.

use crate::toys::{
    Toy,
    shelf::{Book, BookList},
};
use nephos_core::python::PythonResults as _;
use nephos_core::{Error, ErrorKind, Predicate, Resource as _, Results, Session, wait};

fn books(session: &Session) -> Results<Book> {
    Book::objects(session).list().results()
}

fn titles(books: &[Book]) -> Vec<&str> {
    books.iter().map(|book| book.title().unwrap()).collect()
}

/// Returns the number of requests to fetch the book at `index`: two books per page, and an empty page after the
/// first.
pub fn requests_to_fetch(index: usize) -> usize {
    if index < 2 { 1 } else { index / 2 + 2 }
}

/// Returns the number of requests to fetch all of `count` books.
pub fn requests_to_fetch_all(count: usize) -> usize {
    requests_to_fetch(count.saturating_sub(1))
}

#[test]
fn result_set_makes_no_request_before_the_first_model() {
    let (session, toy) = Toy::with_books(5);
    let all = books(&session);
    let long = all.filter(Book::FIELDS.pages.ge(20));
    let derived = long.order_by("-pages").slice(None, 3, 1) + all.clone();
    assert_eq!(format!("{all:?}"), "Results { fetched: 0, complete: false }");
    drop(derived.iter());
    assert_eq!(toy.requests(), 0);

    assert_eq!(derived.first().wait().unwrap().unwrap().title(), Some("book-4"));
    assert_eq!(toy.requests(), requests_to_fetch_all(5), "an order needs all models, fetched once");
}

#[test]
fn result_set_fetches_no_more_pages_than_needed() {
    type Read = fn(&Results<Book>);
    let cases: [(&str, Read, usize); 13] = [
        ("first", |set| assert!(set.first().wait().unwrap().is_some()), 1),
        ("exists", |set| assert!(set.exists().wait().unwrap()), 1),
        ("at 0", |set| assert_eq!(set.at(0).wait().unwrap().title(), Some("book-0")), 1),
        ("at 1", |set| assert_eq!(set.at(1).wait().unwrap().title(), Some("book-1")), 1),
        ("at 2", |set| assert_eq!(set.at(2).wait().unwrap().title(), Some("book-2")), 3),
        ("at 6", |set| assert_eq!(set.at(6).wait().unwrap().title(), Some("book-6")), 5),
        ("at -1", |set| assert_eq!(set.at(-1).wait().unwrap().title(), Some("book-8")), 6),
        ("0..2", |set| assert_eq!(set.slice(0, 2, 1).count().wait().unwrap(), 2), 1),
        ("1..3", |set| assert_eq!(set.slice(1, 3, 1).count().wait().unwrap(), 2), 3),
        ("4..2", |set| assert_eq!(set.slice(4, 2, 1).count().wait().unwrap(), 0), 0),
        ("..9 by 4, two of it", |set| assert!(set.slice(None, 9, 4).at(1).wait().is_ok()), 4),
        ("count", |set| assert_eq!(set.count().wait().unwrap(), 9), 6),
        (
            "first of a filter",
            |set| {
                let found = set.filter(Book::FIELDS.pages.gt(20)).first().wait().unwrap();
                assert_eq!(found.unwrap().title(), Some("book-2"));
            },
            3,
        ),
    ];
    for (what, read, requests) in cases {
        let (session, toy) = Toy::with_books(9);
        read(&books(&session));
        assert_eq!(toy.count("DescribeBooks"), requests, "{what}");
    }
}

#[test]
fn try_next_fetches_pages_on_demand() {
    let (session, toy) = Toy::with_books(5);
    let mut set = books(&session);
    for (title, requests) in [("book-0", 1), ("book-1", 1), ("book-2", 3), ("book-3", 3), ("book-4", 4)] {
        assert_eq!(set.try_next().wait().unwrap().unwrap().title(), Some(title));
        assert_eq!(toy.requests(), requests, "{title}");
    }
    for _ in 0..2 {
        assert!(set.try_next().wait().unwrap().is_none());
    }
    assert_eq!(toy.requests(), 4, "the last page has no token, so there is no further request");
    assert_eq!(set.clone().try_next().wait().unwrap().unwrap().title(), Some("book-0"));
    assert!(set.try_next().wait().unwrap().is_none(), "a clone has its own position");
}

#[test]
fn pages_are_cached_and_shared() {
    let (session, toy) = Toy::with_books(6);
    let set = books(&session);
    let (clone, tail, twice) = (set.clone(), set.slice(3, None, 1), set.clone() + set.clone());
    set.at(2).wait().unwrap();
    assert_eq!(toy.requests(), 3);
    // A filter begins with the models that the set has fetched before.
    let filtered = set.filter(Book::FIELDS.pages.gt(10));

    assert_eq!(clone.count().wait().unwrap(), 6);
    assert_eq!(filtered.count().wait().unwrap(), 5);
    assert_eq!(tail.count().wait().unwrap(), 3);
    assert_eq!(twice.count().wait().unwrap(), 12);
    assert_eq!(set.order_by("-title").at(0).wait().unwrap().title(), Some("book-5"));
    assert_eq!(set.all().wait().unwrap().len(), 6);
    assert_eq!(toy.requests(), requests_to_fetch_all(6), "each page once");
    assert_eq!(format!("{set:?}"), "Results { fetched: 6, complete: true }");
}

#[test]
fn threads_that_share_a_set_fetch_each_page_once() {
    let (session, toy) = Toy::with_books(9);
    let set = books(&session);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| assert_eq!(set.iter().filter(Result::is_ok).count(), 9));
        }
    });
    assert_eq!(toy.requests(), requests_to_fetch_all(9));
}

#[test]
fn every_way_of_reading_returns_each_model_once_in_order() {
    for count in 0..=9 {
        let expected: Vec<_> = (0..count).map(|n| format!("book-{n}")).collect();
        let (session, toy) = Toy::with_books(count);
        let all = books(&session).all().wait().unwrap();
        assert_eq!(titles(&all), expected);
        assert_eq!(toy.requests(), requests_to_fetch_all(count), "{count}");

        let iterated: Vec<_> = books(&session).iter().map(Result::unwrap).collect();
        assert_eq!(iterated, all);
        let mut set = books(&session);
        let mut stepped = Vec::new();
        while let Some(book) = set.try_next().wait().unwrap() {
            stepped.push(book);
        }
        assert_eq!(stepped, all);
        let indexed = (0..count as i64).map(|n| books(&session).at(n).wait().unwrap());
        assert_eq!(indexed.collect::<Vec<_>>(), all);
        assert_eq!(books(&session).count().wait().unwrap(), count);
        assert_eq!(books(&session).exists().wait().unwrap(), count > 0);
        assert_eq!(books(&session).first().wait().unwrap(), all.first().cloned());
    }
}

#[test]
fn await_and_wait_return_the_same() {
    let (session, toy) = Toy::with_books(5);
    let set = books(&session);
    let awaited = wait(async {
        let mut steps = set.clone();
        let mut stepped = Vec::new();
        while let Some(book) = steps.try_next().await? {
            stepped.push(book);
        }
        assert_eq!(stepped, books(&session).await?, "awaiting a set gives all of it");
        assert_eq!(set.first().await?, set.first().wait()?);
        assert_eq!(set.count().await?, set.count().wait()?);
        assert_eq!(set.at(-2).await?, set.at(-2).wait()?);
        assert_eq!(set.values_flat("title").await?, set.values_flat("title").wait()?);
        Ok::<_, Error>(stepped)
    });
    assert_eq!(awaited.unwrap(), set.all().wait().unwrap());
    assert_eq!(toy.requests(), 2 * requests_to_fetch_all(5));
}

#[test]
fn at_counts_from_either_end_and_must_be_in_range() {
    let (session, _toy) = Toy::with_books(3);
    let set = books(&session);
    for (index, title) in [(0, "book-0"), (2, "book-2"), (-1, "book-2"), (-3, "book-0")] {
        assert_eq!(set.at(index).wait().unwrap().title(), Some(title), "{index}");
    }
    for index in [3, -4, i64::MAX, i64::MIN] {
        let error = set.at(index).wait().unwrap_err();
        assert!(error.is_value_error(), "{error}");
        assert!(error.to_string().contains(&index.to_string()), "{error}");
    }
    assert!(Results::<Book>::from_models(Vec::new()).at(0).wait().is_err());
}

#[test]
fn listed_models_have_the_session_of_the_call() {
    let (session, _toy) = Toy::with_books(3);
    let session = session.with_region("eu-west-1");
    for book in books(&session).filter(Book::FIELDS.pages.gt(10)).order_by("title").iter() {
        let book = book.unwrap();
        assert_eq!(book.session().unwrap().region(), "eu-west-1");
        assert_eq!(book.changed(), [] as [&str; 0]);
    }
}

#[test]
fn failed_page_is_retried() {
    let (session, toy) = Toy::with_books(5);
    let set = books(&session);
    assert!(set.exists().wait().unwrap());
    let throttled = || Error::new(ErrorKind::Throttled, "slow down");
    let derived =
        [set.clone(), set.filter(Book::FIELDS.pages.gt(0)), set.slice(0, 5, 1), set.slice(-5, None, 1)];
    let derived =
        derived.into_iter().chain([set.order_by("pages"), set.clone() + Results::from_models(Vec::new())]);
    for derived in derived.collect::<Vec<_>>() {
        toy.fail_next(throttled());
        let error = derived.all().wait().unwrap_err();
        assert_eq!((error.kind(), error.operation()), (ErrorKind::Throttled, Some("DescribeBooks")));
    }
    assert_eq!(toy.requests(), 7, "each requested the same second page");
    assert_eq!(set.count().wait().unwrap(), 5);
    assert_eq!(toy.requests(), 7 + 3, "and none requested the first page again");
}

#[test]
fn iteration_ends_at_an_error_and_can_be_restarted() {
    let (session, toy) = Toy::with_books(5);
    let set = books(&session);
    let mut books = set.iter();
    assert!(books.by_ref().take(2).all(|book| book.is_ok()));
    toy.fail_next(Error::new(ErrorKind::Transport, "connection lost"));
    assert!(books.next().unwrap().is_err());
    assert!(books.next().is_none(), "a loop ends after an error");
    assert_eq!(set.iter().map(Result::unwrap).count(), 5);
}

#[test]
fn try_next_continues_after_an_error() {
    let (session, toy) = Toy::with_books(4);
    let mut set = books(&session);
    set.try_next().wait().unwrap();
    set.try_next().wait().unwrap();
    toy.fail_next(Error::new(ErrorKind::Transport, "connection lost"));
    assert!(set.try_next().wait().is_err());
    assert_eq!(set.try_next().wait().unwrap().unwrap().title(), Some("book-2"));
}

#[test]
fn invalid_parameters_are_reported_when_the_set_is_read() {
    let (session, toy) = Toy::with_books(3);
    let set = Book::objects(&session).list().set("prefix", 5).results();
    let derived = set.filter(Book::FIELDS.pages.gt(1)).order_by("title") + set.clone();
    assert_eq!(toy.requests(), 0);
    for set in [set, derived] {
        for error in [set.first().wait().unwrap_err(), set.count().wait().unwrap_err()] {
            assert_eq!(error.code(), "InvalidBookException");
            assert_eq!(error.operation(), Some("list"));
            assert_eq!(error.field(), Some("prefix"));
        }
    }
    assert_eq!(toy.requests(), 0, "an invalid request is not sent");
}

#[test]
fn methods_do_not_change_the_set() {
    let (session, _toy) = Toy::with_books(5);
    let set = books(&session);
    let before = set.all().wait().unwrap();
    let half = set.filter(Book::FIELDS.pages.le(20));
    let reversed = set.order_by("-pages");
    let middle = set.slice(1, -1, 1);
    assert_eq!(titles(&half.all().wait().unwrap()), ["book-0", "book-1"]);
    assert_eq!(titles(&reversed.all().wait().unwrap()), ["book-4", "book-3", "book-2", "book-1", "book-0"]);
    assert_eq!(titles(&middle.all().wait().unwrap()), ["book-1", "book-2", "book-3"]);
    assert_eq!(set.all().wait().unwrap(), before);
    assert_eq!(half.count().wait().unwrap(), 2);
}

#[test]
fn filters_chain_and_an_empty_set_stays_empty() {
    let (session, _toy) = Toy::with_books(5);
    let set = books(&session);
    let both = set.filter(Book::FIELDS.pages.gt(10)).filter_by([("pages__lt", 50)]).unwrap();
    assert_eq!(titles(&both.all().wait().unwrap()), ["book-1", "book-2", "book-3"]);
    let criteria = [("pages__gt", 10), ("pages__lt", 50)];
    assert_eq!(set.filter_by(criteria).unwrap().all().wait().unwrap(), both.all().wait().unwrap());
    assert_eq!(set.filter_by([] as [(&str, i64); 0]).unwrap().count().wait().unwrap(), 5);
    assert!(set.filter_by([("pages__regex", "(")]).is_err(), "an invalid filter is an error at once");

    let none = set.filter(Predicate::parse("title", "missing").unwrap());
    assert!(!none.exists().wait().unwrap());
    assert_eq!(none.filter(Book::FIELDS.pages.gt(0)).all().wait().unwrap(), []);
    assert_eq!(
        Results::<Book>::from_models(Vec::new()).filter(Book::FIELDS.pages.gt(0)).count().wait().unwrap(),
        0
    );
}

#[test]
fn setters_names_and_records_make_the_same_listing() {
    let (session, _toy) = Toy::with_books(5);
    let list = || Book::objects(&session).list();
    let expected = list().prefix("book-3").results().all().wait().unwrap();
    assert_eq!(titles(&expected), ["book-3"]);
    assert_eq!(list().set("prefix", "book-3").results().all().wait().unwrap(), expected);
    assert_eq!(list().with(BookList::new().prefix("book-3")).results().all().wait().unwrap(), expected);
}
