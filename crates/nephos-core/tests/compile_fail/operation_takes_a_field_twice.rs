#[allow(dead_code)]
mod kinds;

use kinds::{Book, SERVICE};
use nephos_core::{Record, operation};

/// An empty answer.
#[derive(Record)]
pub struct Empty {}

/// Lends a book.
#[operation(service = SERVICE, of = Book, takes(pages), effect = write, output = Empty)]
pub struct LendBook {
    /// Number of pages.
    pub pages: Option<i64>,
}

fn main() {
    let _ = Book::SHAPE;
}
