//! Operations run by their shapes alone, as the command line does.

use crate::toys::{
    REGISTRY, Toy,
    shelf::{Book, SERVICE},
};
use nephos_core::{
    AnyPredicate, Order, Ref, Resource, Session, Value,
    dynamic::{self, AnyCall, AnyResults, fill_parameter},
    fill::Reader,
    record, wait,
};

fn call(session: &Session, name: &str, given: &[(&str, Value)]) -> nephos_core::Result<AnyCall> {
    let operation = REGISTRY.kind("book").and_then(|kind| kind.call(name)).expect("the call exists");
    dynamic::call(operation, session, &mut |params| {
        given
            .iter()
            .try_for_each(|(name, value)| fill_parameter(params, name, value.view(), &Reader::STRINGS))
    })
}

fn refusal(outcome: nephos_core::Result<AnyCall>) -> String {
    outcome.expect_err("the call must fail").to_string()
}

fn list(session: &Session) -> AnyResults {
    let operation = REGISTRY.kind("book").and_then(|kind| kind.call("list")).expect("the call exists");
    dynamic::results(operation, session, &mut |_| Ok(())).expect("no parameter is required")
}

fn titles(mut results: AnyResults) -> Vec<Value> {
    std::iter::from_fn(|| wait(results.try_next()).expect("the toy answers"))
        .map(|book| record::get(&*book, "title").expect("a book has a title"))
        .collect()
}

#[test]
fn fields_of_the_model_are_parameters() {
    let (session, _) = Toy::session();
    let given = [("title", "emma".into()), ("pages", "474".into()), ("days", "14".into())];
    wait(call(&session, "create", &given).expect("valid parameters").run()).expect("the book is new");

    let found = call(&session, "get", &[("title", "emma".into())]).expect("valid parameters");
    let found = wait(found.run()).expect("the toy answers").expect("get has an answer");
    let Ref::Record(book) = found.view() else { panic!("the answer must be a record") };
    assert_eq!(record::get(book, "pages").expect("the field exists"), 474.into());
    assert_eq!(record::get(book, "lendable").expect("the field exists"), true.into(), "a default");
}

#[test]
fn invalid_parameters_have_the_error_code_of_the_service() {
    let (session, toy) = Toy::session();
    let refused = |given: &[(&str, Value)]| refusal(call(&session, "create", given));
    assert_eq!(
        refused(&[("titel", "x".into())]),
        "InvalidBookException: titel: Book has no such field; did you mean title?"
    );
    assert_eq!(
        refused(&[("title", "x".into()), ("pages", "many".into())]),
        "InvalidBookException: pages: expected a whole number, found \"many\""
    );
    assert_eq!(refused(&[("pages", "7".into())]), "InvalidBookException: title: is required");
    assert_eq!(refused(&[]), "InvalidBookException: title: is required");
    assert_eq!(
        refusal(call(&session, "get", &[("titel", "x".into())])),
        "InvalidBookException: titel: there is no such parameter; did you mean title?"
    );
    assert_eq!(refusal(call(&session, "get", &[])), "InvalidBookException: title: is required");
    assert_eq!(toy.requests(), 0);
}

#[test]
fn dynamic_listing_is_filtered_and_ordered() {
    let (session, _) = Toy::with_books(5);
    let long = AnyPredicate::parse_text("pages__gte=30", Book::KIND).expect("a valid filter");
    let newest_first = list(&session).filter(long).order_by(Order::from("-pages"));
    assert_eq!(titles(newest_first), ["book-4", "book-3", "book-2"].map(Value::from));
    assert_eq!(titles(list(&session)).len(), 5);
}

#[test]
fn wire_operation_becomes_a_request() {
    let operation = SERVICE.operations.iter().find(|operation| operation.name == "DescribeBooks");
    let prefix: Value = "bo".into();
    let request = dynamic::request(operation.expect("the operation exists"), &mut |params| {
        fill_parameter(params, "prefix", prefix.view(), &Reader::STRICT)
    });
    assert_eq!(
        format!("{:?}", request.expect("valid parameters")),
        "shelf.DescribeBooks DescribeBooks { prefix: \"bo\" }"
    );
}
