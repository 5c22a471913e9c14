//! Calls: a session and a parameter record, run as one workflow.

use crate::toys::{
    Toy,
    garden::{Bed, BedsAnswer},
    shelf::{Book, BookCreate, BookDelete, BookGet, BookUpdate, SERVICE},
    values,
};
use nephos_core::python::PythonModel as _;
use nephos_core::{
    Error, ErrorKind, Map, Operation, Resource, Result, Results, Text, Value,
    field_value::FieldType as _,
    fill::{self, Reader},
    json,
    params::Params,
    wait,
};
use std::{any::Any, future::IntoFuture};

fn book(title: &str, pages: i64) -> Book {
    Book::builder().title(title).pages(pages).build().unwrap()
}

fn tags(pairs: &[(&str, &str)]) -> Map<Text> {
    pairs.iter().map(|(key, value)| (Text::from(*key), Text::from(*value))).collect()
}

#[test]
fn setters_names_and_records_set_the_same_parameters() {
    let rust = book("rust", 300);
    let mut shelves = Vec::new();
    for way in 0..4 {
        let (session, toy) = Toy::session();
        let create = Book::objects(&session).create(&rust);
        let by_name = Value::Map(values([("team", "web".into())]));
        match way {
            0 => create.tags([("team", "web")]).wait().unwrap(),
            1 => create.set("tags", by_name).wait().unwrap(),
            2 => create.with(BookCreate::new(&rust).tags(tags(&[("team", "web")]))).wait().unwrap(),
            _ => wait(create.tags([("team", "web")]).into_future()).unwrap(),
        }
        shelves.push(toy.rows.lock().unwrap().books.clone());
    }
    assert_eq!(shelves[0]["rust"].tags().unwrap()[0].value(), Some("web"));
    assert!(shelves.iter().all(|shelf| *shelf == shelves[0]));
}

#[test]
fn record_replaces_all_parameters_set_before() {
    let (session, _toy) = Toy::with_books(2);
    let call = Book::objects(&session).get("book-0").set("title", "missing").set("nonsense", 1);
    let got = call.with(BookGet::new("book-1")).wait().unwrap();
    assert_eq!(got.unwrap().title(), Some("book-1"));
}

#[test]
fn parameter_names_in_both_spellings_are_accepted() {
    let (session, _toy) = Toy::with_books(1);
    for name in ["failLate", "fail_late"] {
        let update = Book::objects(&session).update(&book("book-0", 5)).set(name, true);
        assert_eq!(update.wait().unwrap_err().kind(), ErrorKind::Conflict, "{name}");
    }
}

#[test]
fn unknown_parameter_is_rejected_with_the_nearest_name() {
    let (session, toy) = Toy::with_books(1);
    let error = Book::objects(&session).delete("book-0").set("forse", true).wait().unwrap_err();
    assert!(error.is_value_error());
    assert_eq!(error.code(), "InvalidBookException", "the error code of the service");
    assert_eq!((error.operation(), error.field()), (Some("delete"), Some("forse")));
    assert!(error.message().contains("did you mean force?"), "{error}");
    let error = Bed::objects(&session).get("x").set("colour", "red").wait().unwrap_err();
    assert_eq!((error.code(), error.field()), ("ValidationError", Some("colour")));
    assert!(error.message().contains("Name"), "without a similar name, all names are listed: {error}");
    assert_eq!(toy.requests(), 0, "nothing was sent");
    let later = Book::objects(&session).delete("book-0").set("forse", true).set("force", true).wait();
    assert_eq!(later.unwrap_err().field(), Some("forse"), "a valid parameter does not hide a wrong one");
}

#[test]
fn invalid_parameters_are_rejected_before_any_request() {
    let (session, toy) = Toy::with_books(1);
    let objects = Book::objects(&session);
    for (refused, field) in [
        (objects.delete("book-0").set("force", "yes").wait(), "force"),
        (objects.delete("book-0").set("force", 1).wait(), "force"),
        (objects.delete("book-0").set("title", Value::Null).wait(), "title"),
        (objects.delete("").wait(), "title"),
        (objects.create(&book("x", 1)).set("tags", ["team"]).wait(), "tags"),
        (objects.create(&Book::model_construct(None, values([]))).wait(), "model.title"),
        (objects.get("x").set("title", 5).wait().map(drop), "title"),
        (objects.get("x").set("title", Value::Null).wait().map(drop), "title"),
    ] {
        let error = refused.unwrap_err();
        assert_eq!((error.code(), error.field()), ("InvalidBookException", Some(field)), "{error}");
        assert!(error.operation().is_some(), "{error}");
    }
    assert_eq!(toy.requests(), 0);
}

#[test]
fn errors_name_the_operation_that_failed() {
    let (session, toy) = Toy::with_books(1);
    let objects = Book::objects(&session);
    let code_and_operation = |error: Error| (error.code().to_owned(), error.operation().map(str::to_owned));
    let expected = |code: &str, operation: &str| (code.to_owned(), Some(operation.to_owned()));
    let exists = objects.create(&book("book-0", 1)).wait().unwrap_err();
    assert_eq!(code_and_operation(exists), expected("BookExistsException", "PutBook"));
    let gone = objects.delete("missing").wait().unwrap_err();
    assert_eq!(code_and_operation(gone), expected("BookNotFoundException", "TakeBook"));
    let late = objects.update(&book("book-0", 5)).fail_late(true).wait().unwrap_err();
    assert_eq!(code_and_operation(late), expected("Conflict", "update"), "an error of the workflow itself");
    toy.fail_next(Error::new(ErrorKind::Throttled, "slow down").during("Elsewhere"));
    let throttled = objects.get("book-0").wait().unwrap_err();
    assert_eq!(
        code_and_operation(throttled),
        expected("Throttling", "Elsewhere"),
        "an operation that is set stays"
    );
    let without_session = book("x", 1).delete().wait().unwrap_err();
    assert_eq!(code_and_operation(without_session), expected("NoSession", "delete"));
}

#[test]
fn failed_workflow_is_rolled_back() {
    let (session, toy) = Toy::with_books(2);
    let before = toy.rows.lock().unwrap().books.clone();
    let update = BookUpdate::new(&book("book-0", 99)).fail_late(true);
    assert!(Book::objects(&session).update(&book("book-1", 1)).with(update).wait().is_err());
    assert_eq!(toy.count("PutBook"), 1, "the change was made");
    assert_eq!(toy.rows.lock().unwrap().books, before, "and rolled back");
}

#[test]
fn missing_resource_is_none() {
    let (session, _toy) = Toy::with_books(1);
    assert_eq!(Book::objects(&session).get("missing").wait().unwrap(), None);
    assert_eq!(wait(Book::objects(&session).get("missing").into_future()).unwrap(), None);
    assert!(Bed::objects(&session).get("missing").wait().unwrap().is_none());
}

#[test]
fn models_in_every_answer_have_the_session_of_the_call() {
    let (session, _toy) = Toy::session();
    let session = session.with_region("eu-west-1");
    let objects = Bed::objects(&session);
    let region = |bed: &Bed| bed.session().unwrap().region().to_owned();
    let made = objects.create(&Bed::builder().name("a").build().unwrap()).wait().unwrap();
    objects.create(&Bed::builder().name("b").build().unwrap()).wait().unwrap();
    let surveyed: BedsAnswer = objects.survey().wait().unwrap();
    let got = objects.get("a").wait().unwrap().unwrap();
    let listed = objects.list().results().all().wait().unwrap();
    let moved = got.relocate().wait().unwrap();
    let all = made.iter().chain(surveyed.beds().unwrap()).chain(&listed).chain([&got, &moved]);
    assert_eq!(all.map(region).collect::<Vec<_>>(), ["eu-west-1"; 7]);
    assert_eq!(got.changed(), [] as [&str; 0], "values from the service are no changes");
}

#[test]
fn call_on_a_model_takes_its_parameters_from_the_model() {
    let (session, toy) = Toy::session();
    let bed = Bed::builder().name("a").build().unwrap();
    let made = Bed::objects(&session).create(&bed).wait().unwrap().remove(0);
    let moved = made.relocate().metres(3).wait().unwrap();
    assert_eq!(moved.bed_id(), Some("bed-1"), "the ID is taken from the field of another name");

    let mut unsaved = bed;
    unsaved.set_session(session.clone());
    let before = toy.requests();
    let error = unsaved.relocate().wait().unwrap_err();
    assert!(error.is_value_error(), "{error}");
    assert_eq!((error.field(), error.operation()), (Some("BedId"), Some("relocate")));
    assert_eq!(toy.requests(), before);
    unsaved.set_session(None);
    assert_eq!(unsaved.relocate().wait().unwrap_err().kind(), ErrorKind::NoSession);
}

#[test]
fn preview_is_unsupported_without_rollback() {
    let (session, toy) = Toy::with_books(1);
    let error = Book::objects(&session).delete("book-0").preview().wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(toy.requests(), 0);
    let wrong = Book::objects(&session).delete("").preview().wait().unwrap_err();
    assert_eq!(wrong.code(), "InvalidBookException");
}

fn read<O: Operation>(text: &str) -> Result<O> {
    let mut params = Params::new(Box::new(O::blank()));
    json::read(&mut params, text.as_bytes(), &Reader::STRICT)?;
    let params: Box<dyn Any> = params.finish(O::service())?;
    Ok(*params.downcast().expect("the parameters are of the operation"))
}

#[test]
fn missing_required_parameter_is_rejected() {
    let whole: BookDelete = read(r#"{"title": "rust", "force": true}"#).unwrap();
    assert_eq!((whole.title.as_str(), whole.force), ("rust", Some(true)));
    // No other rule rejects a call without a title.
    for missing in ["{}", r#"{"title": null}"#] {
        let error = read::<BookGet>(missing).unwrap_err();
        assert_eq!((error.kind(), error.field()), (ErrorKind::Invalid, Some("title")), "{missing}");
    }
    assert_eq!(read::<BookGet>("{}").unwrap_err().code(), "InvalidBookException");
    assert_eq!(read::<BookGet>(r#"{"title": ""}"#).unwrap().title, "", "an empty text is not missing");
    assert!(read::<BookGet>(r#"{"titel": "x"}"#).unwrap_err().message().contains("did you mean title?"));
    let broken = read::<BookDelete>(r#"{"title": ""}"#).unwrap_err();
    assert_eq!((broken.field(), broken.code()), (Some("title"), "InvalidBookException"), "rules are checked");

    let mut params = Params::new(Box::new(BookGet::blank()));
    let null = fill::fill_field(&mut params, "title", Value::Null.view(), &Reader::STRICT, 0);
    assert!(null.and_then(|()| params.finish(&SERVICE)).is_err(), "null is not a title");
}

#[test]
fn parameter_set_again_replaces_the_whole_value() {
    let (session, toy) = Toy::session();
    let model = Value::Map(values([("title", "rust".into())]));
    Book::objects(&session).create(&book("go", 7)).set("model", model).wait().unwrap();
    let rows = toy.rows.lock().unwrap();
    assert_eq!(rows.books["rust"].pages(), None, "no field of the first book is left");
}

#[test]
fn debug_output_of_a_call_hides_secrets() {
    let (session, _toy) = Toy::session();
    let note = Book::builder().title("rust").note("hunter2").build().unwrap();
    let call = Book::objects(&session).create(&note);
    assert!(!format!("{call:?}").contains("hunter2"), "{call:?}");
}

#[test]
fn all_futures_are_send() {
    fn assert_send<T: Send>(_: T) {}
    let (session, _toy) = Toy::with_books(1);
    let mut model = Book::shelved("book-0", 1);
    model.set_session(session.clone());
    let bed = Bed::builder().name("a").build().unwrap();
    let mut set: Results<Book> = Book::objects(&session).list().results();
    assert_send(Book::objects(&session).get("x").into_future());
    assert_send(Book::objects(&session).delete("x").preview());
    assert_send(model.wait_until(|_| true).into_future());
    assert_send(model.delete().into_future());
    assert_send(model.save().into_future());
    assert_send(set.try_next());
    assert_send(set.values(&["title"]));
    assert_send(set.order_by("title").into_future());
    assert_send(bed.books());
    assert_send(bed.owner_bed());
    assert_send(bed.delete().into_future());
    assert_send(set);
}
