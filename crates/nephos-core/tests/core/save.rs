//! Saving, deleting and waiting of models.

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

/// Makes a book that the service does not have.
fn new_book(session: &Session, title: &str, pages: i64) -> Book {
    let mut book = Book::builder().title(title).pages(pages).build().unwrap();
    book.set_session(session.clone());
    book
}

/// Gets a book from the service.
fn saved_book(title: &str) -> (Book, Session, Arc<Toy>) {
    let (session, toy) = Toy::session();
    toy.shelve(Book::shelved(title, 300));
    let book = Book::objects(&session).get(title).wait().unwrap().unwrap();
    toy.operations.lock().unwrap().clear();
    (book, session, toy)
}

#[test]
fn save_creates_a_new_model_and_copies_service_set_fields() {
    let (session, toy) = Toy::session();
    let mut book = new_book(&session, "rust", 300);
    assert!(!book.is_saved());
    assert_eq!(book.changed(), ["title", "pages"]);

    book.save().wait().unwrap();
    assert_eq!(*toy.operations.lock().unwrap(), ["PutBook", "DescribeBooks"]);
    assert!(book.is_saved());
    assert_eq!(book.require_arn().unwrap(), "arn:aws:shelf:us-east-1:123456789012:book/rust");
    assert_eq!(book.shelved_at().unwrap().as_second(), 1_700_000_000);
    assert_eq!(book.changed(), [] as [&str; 0]);
    assert_eq!(book, toy.rows.lock().unwrap().books["rust"]);
    assert_eq!(book.session().unwrap().account(), session.account());
}

#[test]
fn save_updates_a_saved_model() {
    let (mut book, _session, toy) = saved_book("rust");
    book.set_pages(301).unwrap();
    book.save().wait().unwrap();
    assert_eq!(*toy.operations.lock().unwrap(), ["PutBook", "DescribeBooks"]);
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(301));
    assert_eq!((book.pages(), book.changed().len()), (Some(301), 0));

    book.set_price(9.5).unwrap();
    wait(book.save().into_future()).unwrap();
    assert_eq!(toy.rows.lock().unwrap().books["rust"].price(), Some(9.5), "awaiting saves, too");
}

#[test]
fn save_copies_the_answer_into_the_model() {
    let (mut book, session, toy) = saved_book("rust");
    let mut elsewhere = Book::objects(&session).get("rust").wait().unwrap().unwrap();
    elsewhere.set_price(2.5).unwrap();
    elsewhere.save().wait().unwrap();
    // This model does not have the new price: it sends its own values, and has them afterwards.
    book.set_lendable(false).unwrap();
    book.save().wait().unwrap();
    assert_eq!(book, toy.rows.lock().unwrap().books["rust"]);

    let mut bed = Bed::from_json(r#"{"Name": "a", "Plants": [{"Species": "x", "Count": 4}]}"#).unwrap();
    bed.set_session(session);
    bed.save().wait().unwrap();
    assert_eq!((bed.bed_id(), bed.plant_count()), (Some("bed-1"), Some(4)), "also if the answer is a list");
    assert!(bed.is_saved());
}

#[test]
fn service_set_field_decides_between_create_and_update() {
    let (known, session, toy) = saved_book("rust");
    let mut twin = new_book(&session, "rust", 1);
    let error = twin.save().wait().unwrap_err();
    assert_eq!(error.code(), "BookExistsException", "an unsaved book is created, even if its title is taken");
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(300));

    Book::objects(&session).delete("rust").wait().unwrap();
    let mut gone = known;
    gone.set_pages(2).unwrap();
    let error = gone.save().wait().unwrap_err();
    assert_eq!(error.code(), "BookNotFoundException", "a saved book is updated, even if it was deleted");
}

#[test]
fn save_uses_the_session_of_the_model() {
    let (mut book, _session, here) = saved_book("rust");
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
fn save_takes_parameters_for_create_and_update() {
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
fn save_rejects_unknown_and_invalid_parameters() {
    let (mut book, _session, toy) = saved_book("rust");
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
fn failed_save_leaves_the_model_unchanged() {
    let (mut book, _session, toy) = saved_book("rust");
    book.set_pages(7).unwrap();
    let (before, rows) = (book.clone(), toy.rows.lock().unwrap().books.clone());
    let failures: [fn(&mut Book, &Toy) -> nephos_core::Result<()>; 3] = [
        |book, _| book.save().updating(|update| update.fail_late(true)).wait(),
        |book, toy| {
            toy.fail_next(Error::new(ErrorKind::Denied, "no"));
            book.save().wait()
        },
        |book, _| book.save().set("nonsense", 1).wait(),
    ];
    for refuse in failures {
        assert!(refuse(&mut book, &toy).is_err());
        assert_eq!(book, before);
        assert_eq!(book.changed(), ["pages"], "unsaved changes stay");
        assert_eq!(toy.rows.lock().unwrap().books, rows);
    }
    book.save().wait().unwrap();
    assert_eq!(toy.rows.lock().unwrap().books["rust"].pages(), Some(7));
}

#[test]
fn create_is_rolled_back_if_the_get_after_it_fails() {
    let (session, toy) = Toy::session();
    let mut book = new_book(&session, "rust", 300);
    // The first request succeeds, the get after it fails.
    toy.fail_second(Error::new(ErrorKind::Throttled, "slow down"));
    assert_eq!(book.save().wait().unwrap_err().kind(), ErrorKind::Throttled);
    assert!(!book.is_saved() && toy.rows.lock().unwrap().books.is_empty());
    book.save().wait().unwrap();
    assert!(book.is_saved());
}

#[test]
fn save_rejects_an_invalid_model_before_any_request() {
    let (session, toy) = Toy::session();
    let mut book = Book::model_construct(None, values([("pages", 0.into())]));
    book.set_session(session);
    let error = book.save().wait().unwrap_err();
    assert_eq!((error.code(), error.field()), ("InvalidBookException", Some("model.title")));
    assert_eq!(error.operation(), Some("create"));
    assert_eq!(toy.requests(), 0);
}

#[test]
fn save_and_delete_of_unsupported_kinds_are_runtime_errors() {
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
    assert_eq!(toy.requests(), 1, "only the bed was created");
}

#[test]
fn save_delete_and_wait_need_a_session() {
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
fn delete_takes_the_key_from_the_model() {
    let (book, session, toy) = saved_book("rust");
    book.delete().force(true).wait().unwrap();
    assert_eq!(Book::objects(&session).get("rust").wait().unwrap(), None);
    assert_eq!(book.delete().wait().unwrap_err().kind(), ErrorKind::NotFound, "the book is deleted already");

    let mut nameless = Book::model_construct(None, values([]));
    nameless.set_session(session);
    let before = toy.requests();
    let error = nameless.delete().wait().unwrap_err();
    assert!(error.is_value_error() && error.field() == Some("title"), "{error}");
    assert_eq!(toy.requests(), before);
}

#[test]
fn waiter_polls_until_the_condition_is_true() {
    let (book, _session, toy) = saved_book("rust");
    toy.on_pause(|rows| {
        let book = rows.books.get_mut("rust").unwrap();
        book.set_pages(book.pages().unwrap() + 1).unwrap();
    });
    let waited = book.wait_until(|book| book.pages() >= Some(303)).wait().unwrap();
    assert_eq!(waited.pages(), Some(303));
    assert_eq!(waited.session().unwrap().account(), book.session().unwrap().account());
    assert_eq!((toy.pauses.load(Ordering::Relaxed), toy.count("DescribeBooks")), (3, 4));
    assert_eq!(book.pages(), Some(300), "the model that waits does not change");

    assert!(wait(book.wait_until(|_| true).into_future()).is_ok());
    assert_eq!(toy.pauses.load(Ordering::Relaxed), 3, "the first poll comes at once");
}

#[test]
fn waiter_times_out_after_the_maximum_number_of_polls() {
    let (book, _session, toy) = saved_book("rust");
    let never = || book.wait_until(|_| false).every(Duration::from_millis(5));
    let error = never().at_most(3).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Expired);
    assert_eq!((toy.pauses.load(Ordering::Relaxed), toy.count("DescribeBooks")), (2, 3));
    assert_eq!(never().at_most(0).wait().unwrap_err().kind(), ErrorKind::Expired);
    assert_eq!(never().wait().unwrap_err().kind(), ErrorKind::Expired);
    assert_eq!(toy.count("DescribeBooks"), 3 + 40, "40 polls by default");
    assert_eq!(format!("{:?}", never().at_most(3)), "Waiter { max_polls: 3, interval: 5ms, .. }");
}

#[test]
fn waiter_ends_with_an_error_when_the_resource_is_missing_or_get_fails() {
    let (book, session, toy) = saved_book("rust");
    toy.fail_next(Error::new(ErrorKind::Denied, "no"));
    assert_eq!(book.wait_until(|_| false).wait().unwrap_err().kind(), ErrorKind::Denied);
    toy.on_pause(|rows| drop(rows.books.remove("rust")));
    let error = book.wait_until(|_| false).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(toy.pauses.load(Ordering::Relaxed), 1);

    let mut report = Weather::from_json(r#"{"Station": "s"}"#).unwrap();
    report.set_session(session);
    assert_eq!(report.wait_until(|_| true).wait().unwrap_err().kind(), ErrorKind::Unsupported);
}
