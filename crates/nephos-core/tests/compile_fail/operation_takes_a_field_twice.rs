#[allow(dead_code)]
mod kinds;

use kinds::{Book, SERVICE};
use nephos_core::{Record, operation};

/// Nothing.
#[derive(Record)]
pub struct Empty {}

/// Lends a book.
#[operation(service = SERVICE, of = Book, takes(pages), effect = write, output = Empty)]
pub struct LendBook {
    /// How many pages it has.
    pub pages: Option<i64>,
}

fn main() {
    let _ = Book::SHAPE;
}
