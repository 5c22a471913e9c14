use crate::toys::{self, shelf::Book};
use nephos_core::*;
#[test]
fn smoke() {
    let (session, toy) = toys::Toy::session();
    let book = Book::builder().title("rust").pages(300).build().unwrap();
    println!("{book:?} {}", book.to_json());
    Book::objects(&session).create(&book).tags([("team", "web")]).wait().unwrap();
    println!("{:?}", Book::objects(&session).get("rust").wait().unwrap().unwrap());
    println!("{:?}", toy.asked.lock().unwrap());
    println!("{:?}", Book::builder().title("Rust").build());
    println!("{:?}", Book::from_json(r#"{"titel": "x"}"#));
}
