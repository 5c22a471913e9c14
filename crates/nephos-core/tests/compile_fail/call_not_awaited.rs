#[allow(dead_code)]
mod kinds;

use kinds::{Book, Loan};
use nephos_core::Session;

#[allow(unused)]
fn wrong(session: &Session, book: &mut Book, loan: &mut Loan) {
    #[deny(unused_must_use)]
    Book::objects(session).list().prefix("ru");
}

fn main() {}
