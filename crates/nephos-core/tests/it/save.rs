//! What a model does to itself: saving, deleting, waiting.

use crate::toys::{
    Toy,
    garden::{Bed, Weather},
    shelf::Book,
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{Error, ErrorKind, Record as _, Resource as _, Session, Value, wait};
use std::{
    future::IntoFuture,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

/// A book that no service has seen.
fn new_book(session: &Session, title: &str, pages: i64) -> Book {
    let mut book = Book::builder().title(title).pages(pages).build().unwrap();
    book.set_session(session.clone());
    book
}

/// A book as the service knows it.
fn known_book(title: &str) -> (Book, Session, Arc<Toy>) {
    let (session, toy) = Toy::session();
    toy.shelve(Book::shelved(title, 300));
    let book = Book::objects(&session).get(title).wait().unwrap().unwrap();
    toy.asked.lock().unwrap().clear();
    (book, session, toy)
}

#[test]
fn a_new_model_is_created_and_learns_what_the_service_assigned() {
    let (session, toy) = Toy::session();
    let mut book = new_book(&session, "rust", 300);
    assert!(!book.is_saved());
    assert_eq!(book.changed(), ["title", "pages"]);

    book.save().wait().unwrap();
    assert_eq!(*toy.asked.lock().unwrap(), ["PutBook", "DescribeBooks"]);
    assert!(book.is_saved());
    assert_eq!(book.require_arn().unwrap(), "arn:aws:shelf:us-east-1:123456789012:book/rust");
    assert_eq!(book.shelved_at().unwrap().as_second(), 1_700_000_000);
    assert_eq!(book.changed(), [] as [&str; 0]);
    assert_eq!(book, toy.rows.lock().unwrap().books["rust"]);
    assert_eq!(book.session().unwrap().account(), session.account());
}

#[test]
fn a_known_model_is_updated() {
    let (mut book, _session, toy) = known_book("rust");
    book.set_pages(301).unwrap();
    book.save().wait().unwrap();
    assert_eq!(*toy.asked.lock().unwrap(), ["PutBook", "DescribeBooks"]);
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(301));
    assert_eq!((book.pages(), book.changed().len()), (Some(301), 0));

    book.set_price(9.5).unwrap();
    wait(book.save().into_future()).unwrap();
    assert_eq!(toy.rows.lock().unwrap().books["rust"].price(), Some(9.5), "awaiting saves as well");
}

#[test]
fn what_the_service_says_comes_back() {
    let (mut book, session, toy) = known_book("rust");
    let mut elsewhere = Book::objects(&session).get("rust").wait().unwrap().unwrap();
    elsewhere.set_price(2.5).unwrap();
    elsewhere.save().wait().unwrap();
    // This model has not heard of the price, and says so: what it sends is what it then is.
    book.set_lendable(false).unwrap();
    book.save().wait().unwrap();
    assert_eq!(book, toy.rows.lock().unwrap().books["rust"]);

    let mut bed = Bed::from_json(r#"{"Name": "a", "Plants": [{"Species": "x", "Count": 4}]}"#).unwrap();
    bed.set_session(session);
    bed.save().wait().unwrap();
    assert_eq!((bed.bed_id(), bed.plant_count()), (Some("bed-1"), Some(4)), "an answer that is a list, too");
    assert!(bed.is_saved());
}

#[test]
fn the_mark_decides_and_not_the_key_that_the_caller_chose() {
    let (known, session, toy) = known_book("rust");
    let mut twin = new_book(&session, "rust", 1);
    let error = twin.save().wait().unwrap_err();
    assert_eq!(error.code(), "BookExistsException", "a new book is created, whatever it is called");
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(300));

    Book::objects(&session).delete("rust").wait().unwrap();
    let mut gone = known;
    gone.set_pages(2).unwrap();
    let error = gone.save().wait().unwrap_err();
    assert_eq!(error.code(), "BookNotFoundException", "a known book is updated, even if it is gone");
}

#[test]
fn a_model_is_saved_through_its_own_session() {
    let (mut book, _session, here) = known_book("rust");
    let (elsewhere, there) = Toy::session();
    there.shelve(Book::shelved("rust", 300));
    book.set_session(elsewhere.with_region("eu-west-1"));
    book.set_pages(5).unwrap();
    book.save().wait().unwrap();
    assert_eq!(here.requests(), 0);
    assert_eq!(there.rows.lock().unwrap().books["rust"].pages(), Some(5));
    assert_eq!(book.session().unwrap().region(), "eu-west-1");
    book.delete().wait().unwrap();
    assert!(there.rows.lock().unwrap().books.is_empty());
}

#[test]
fn parameters_can_be_said_for_creating_and_for_updating() {
    let (session, toy) = Toy::session();
    let mut book = new_book(&session, "rust", 300);
    let fail = |book: &mut Book| {
        let save = book.save().creating(|create| create.tags([("team", "web")]));
        save.updating(|update| update.fail_late(true)).wait()
    };
    fail(&mut book).unwrap();
    assert_eq!(book.tags().unwrap()[0].key(), Some("team"), "created, with the tag");
    assert_eq!(fail(&mut book).unwrap_err().kind(), ErrorKind::Conflict, "updated this time");
    assert_eq!(toy.count("PutBook"), 2);

    let mut named = new_book(&session, "go", 1);
    let tags = Value::Map(values([("team", "api".into())]));
    named.save().set("tags", tags).wait().unwrap();
    assert_eq!(named.tags().unwrap()[0].value(), Some("api"));
    let late = named.save().set("failLate", true).wait().unwrap_err();
    assert_eq!((late.kind(), late.operation()), (ErrorKind::Conflict, Some("update")));
}

#[test]
fn parameters_that_are_none_or_wrong_are_refused_as_by_the_call() {
    let (mut book, _session, toy) = known_book("rust");
    for (name, value) in [("nonsense", Value::from(1)), ("failLate", "perhaps".into()), ("tags", 1.into())] {
        let error = book.save().set(name, value).wait().unwrap_err();
        assert!(error.is_value_error(), "{error}");
        assert_eq!(error.code(), "InvalidBookException");
        assert_eq!((error.field(), error.operation()), (Some(name), Some("update")));
    }
    let near = book.save().set("failLat", true).wait().unwrap_err();
    assert!(near.message().contains("did you mean failLate?"), "{near}");
    assert_eq!(toy.requests(), 0);
}

#[test]
fn a_refused_save_leaves_the_model_as_it_was() {
    let (mut book, _session, toy) = known_book("rust");
    book.set_pages(7).unwrap();
    let (before, rows) = (book.clone(), toy.rows.lock().unwrap().books.clone());
    let refusals: [fn(&mut Book, &Toy) -> nephos_core::Result<()>; 3] = [
        |book, _| book.save().updating(|update| update.fail_late(true)).wait(),
        |book, toy| {
            toy.refuse_next(Error::new(ErrorKind::Denied, "no"));
            book.save().wait()
        },
        |book, _| book.save().set("nonsense", 1).wait(),
    ];
    for refuse in refusals {
        assert!(refuse(&mut book, &toy).is_err());
        assert_eq!(book, before);
        assert_eq!(book.changed(), ["pages"], "what has not been saved is still to be saved");
        assert_eq!(toy.rows.lock().unwrap().books, rows);
    }
    book.save().wait().unwrap();
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(7));
}

#[test]
fn a_create_whose_result_cannot_be_seen_did_not_happen() {
    let (session, toy) = Toy::session();
    let mut book = new_book(&session, "rust", 300);
    // The first request passes, the look at what came of it does not.
    toy.refuse_second(Error::new(ErrorKind::Throttled, "slow down"));
    assert_eq!(book.save().wait().unwrap_err().kind(), ErrorKind::Throttled);
    assert!(!book.is_saved() && toy.rows.lock().unwrap().books.is_empty());
    book.save().wait().unwrap();
    assert!(book.is_saved());
}

#[test]
fn a_wrong_model_is_refused_before_anything_is_sent() {
    let (session, toy) = Toy::session();
    let mut book = Book::model_construct(None, values([("pages", 0.into())]));
    book.set_session(session);
    let error = book.save().wait().unwrap_err();
    assert_eq!((error.code(), error.field()), ("InvalidBookException", Some("model.title")));
    assert_eq!(error.operation(), Some("create"));
    assert_eq!(toy.requests(), 0);
}

#[test]
fn kinds_that_cannot_be_changed_say_so_at_run_time() {
    let (session, toy) = Toy::session();
    let mut bed = Bed::builder().name("a").build().unwrap();
    bed.set_session(session.clone());
    bed.save().wait().unwrap();
    bed.set_name("b").unwrap();
    let error = bed.save().wait().unwrap_err();
    assert!(error.is_runtime_error() && error.kind() == ErrorKind::NotUpdatable, "{error}");
    assert_eq!(bed.changed(), ["Name"]);
    assert_eq!(bed.delete().wait().unwrap_err().kind(), ErrorKind::Unsupported);

    let mut report = Weather::from_json(r#"{"Station": "s"}"#).unwrap();
    report.set_session(session);
    for error in [
        report.save().wait().unwrap_err(),
        wait(report.save().into_future()).unwrap_err(),
        report.delete().wait().unwrap_err(),
        wait(report.delete().into_future()).unwrap_err(),
    ] {
        assert!(error.is_runtime_error() && error.kind() == ErrorKind::Frozen, "{error}");
    }
    assert_eq!(toy.requests(), 1, "only the bed was made");
}

#[test]
fn without_a_session_nothing_can_be_done() {
    let mut book = Book::shelved("rust", 300);
    for error in [
        book.save().wait().unwrap_err(),
        book.delete().wait().unwrap_err(),
        book.wait_until(|_| true).wait().unwrap_err(),
    ] {
        assert_eq!(error.kind(), ErrorKind::NoSession);
        assert!(error.is_runtime_error() && error.message().contains("set_session"), "{error}");
    }
}

#[test]
fn a_model_deletes_itself() {
    let (book, session, toy) = known_book("rust");
    book.delete().force(true).wait().unwrap();
    assert_eq!(Book::objects(&session).get("rust").wait().unwrap(), None);
    assert_eq!(book.delete().wait().unwrap_err().kind(), ErrorKind::NotFound, "there is nothing any more");

    let mut nameless = Book::model_construct(None, values([]));
    nameless.set_session(session);
    let before = toy.requests();
    let error = nameless.delete().wait().unwrap_err();
    assert!(error.is_value_error() && error.field() == Some("title"), "{error}");
    assert_eq!(toy.requests(), before);
}

#[test]
fn waiting_looks_until_the_model_is_as_wanted() {
    let (book, _session, toy) = known_book("rust");
    toy.as_time_passes(|rows| {
        let book = rows.books.get_mut("rust").unwrap();
        book.set_pages(book.pages().unwrap() + 1).unwrap();
    });
    let waited = book.wait_until(|book| book.pages() >= Some(303)).wait().unwrap();
    assert_eq!(waited.pages(), Some(303));
    assert_eq!(waited.session().unwrap().account(), book.session().unwrap().account());
    assert_eq!((toy.pauses.load(Ordering::Relaxed), toy.count("DescribeBooks")), (3, 4));
    assert_eq!(book.pages(), Some(300), "the model that waited is as it was");

    assert!(wait(book.wait_until(|_| true).into_future()).is_ok());
    assert_eq!(toy.pauses.load(Ordering::Relaxed), 3, "the first look comes at once");
}

#[test]
fn waiting_ends_after_so_many_looks() {
    let (book, _session, toy) = known_book("rust");
    let never = || book.wait_until(|_| false).every(Duration::from_millis(5));
    let error = never().at_most(3).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Expired);
    assert_eq!((toy.pauses.load(Ordering::Relaxed), toy.count("DescribeBooks")), (2, 3));
    assert_eq!(never().at_most(0).wait().unwrap_err().kind(), ErrorKind::Expired);
    assert_eq!(never().wait().unwrap_err().kind(), ErrorKind::Expired);
    assert_eq!(toy.count("DescribeBooks"), 3 + 40, "forty if nothing is said");
    assert_eq!(format!("{:?}", never().at_most(3)), "Waiter { max_polls: 3, interval: 5ms, .. }");
}

#[test]
fn waiting_ends_when_the_model_is_gone_or_cannot_be_seen() {
    let (book, session, toy) = known_book("rust");
    toy.refuse_next(Error::new(ErrorKind::Denied, "no"));
    assert_eq!(book.wait_until(|_| false).wait().unwrap_err().kind(), ErrorKind::Denied);
    toy.as_time_passes(|rows| drop(rows.books.remove("rust")));
    let error = book.wait_until(|_| false).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(toy.pauses.load(Ordering::Relaxed), 1);

    let mut report = Weather::from_json(r#"{"Station": "s"}"#).unwrap();
    report.set_session(session);
    assert_eq!(report.wait_until(|_| true).wait().unwrap_err().kind(), ErrorKind::Unsupported);
}
