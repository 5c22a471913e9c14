#[allow(dead_code)]
mod kinds;

use kinds::{Book, Loan};
use nephos_core::Session;

#[allow(unused)]
fn wrong(session: &Session, book: &mut Book, loan: &mut Loan) {
    Book::FIELDS.lent.ge(true);
}

fn main() {}
