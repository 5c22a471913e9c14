#[allow(dead_code)]
mod kinds;

use kinds::{Book, Loan};
use nephos_core::Session;

#[allow(unused)]
fn wrong(session: &Session, book: &mut Book, loan: &mut Loan) {
    book.set_arn("arn:x");
}

fn main() {}
