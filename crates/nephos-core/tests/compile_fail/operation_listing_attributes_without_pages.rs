#[allow(dead_code)]
mod kinds;

use kinds::Book;
use nephos_core::{Record, operation};

/// Lends a book.
#[operation(
    service = kinds::SERVICE, of = Book, call = "lend", takes(arn), pushdown(arn = "Arn"), effect = write, output = nephos_core::Empty
)]
pub struct LendBook {}

/// Returns a book.
#[operation(service = kinds::SERVICE, of = Book, call = "bring_back", takes(arn), copies_to_answer(arn), effect = write, output = nephos_core::Empty)]
pub struct ReturnBook {}

fn main() {
    let _ = Book::SHAPE;
}
