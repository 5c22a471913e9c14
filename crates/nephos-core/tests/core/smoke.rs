//! A first test: create and get.

use crate::toys::{Toy, shelf::Book};
use nephos_core::Resource as _;

#[test]
fn created_book_can_be_fetched() {
    let (session, toy) = Toy::session();
    let book = Book::builder().title("rust").pages(300).build().unwrap();
    Book::objects(&session).create(&book).tags([("team", "web")]).wait().unwrap();
    let got = Book::objects(&session).get("rust").wait().unwrap().unwrap();
    assert_eq!(got.pages(), Some(300));
    assert_eq!(got.require_arn().unwrap(), "arn:aws:shelf:us-east-1:123456789012:book/rust");
    assert_eq!(*toy.operations.lock().unwrap(), ["PutBook", "DescribeBooks"]);
}
