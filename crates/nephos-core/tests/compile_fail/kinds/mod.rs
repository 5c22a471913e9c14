//! Two valid kinds for programs that use them wrongly.

use nephos_core::{operation, Operation, Page, Record, Resource, Slot, Text, shape::ServiceShape};

nephos_core::codes! {
    /// A parameter is invalid.
    INVALID = "InvalidBook", 400, Invalid;
}

pub static SERVICE: ServiceShape = ServiceShape {
    docs: "Books.",
    kinds: &[Book::KIND, Loan::KIND],
    calls: &[BookList::CALLS, BookLend::CALLS],
    codes: ALL,
    invalid: &INVALID,
    ..ServiceShape::named("shelf")
};

/// A book.
#[derive(Resource)]
#[resource(service = SERVICE, arn = "Arn", no_delete)]
pub struct Book {
    /// ARN of the book.
    #[field(service_set)]
    arn: Option<Text>,
    /// Number of pages.
    pages: Option<i64>,
    /// True while it is lent.
    lent: Option<bool>,
    slot: Slot,
}

/// Loan of a book, read-only.
#[derive(Resource)]
#[resource(service = SERVICE, frozen)]
pub struct Loan {
    /// Name of the reader.
    reader: Option<Text>,
    slot: Slot,
}

/// Lists the books.
#[operation(kind = Book, call = "list", effect = read, output = Page<Book>, pages)]
pub struct BookList {
    /// Prefix of the titles.
    pub prefix: Option<Text>,
}

impl nephos_core::Listing for BookList {
    type Model = Book;

    async fn page(
        &self,
        _context: &nephos_core::WorkflowContext,
        _request: &nephos_core::PageRequest,
    ) -> nephos_core::Result<Page<Book>> {
        Ok(Page::default())
    }
}

/// Lends a book, or takes it back.
#[operation(kind = Book, call = "lend", effect = write, output = ())]
pub struct BookLend {
    /// True to lend it, false to take it back.
    pub lent: bool,
}

impl nephos_core::ManagerOperation for BookLend {
    async fn run(&self, _context: &nephos_core::WorkflowContext) -> nephos_core::Result<()> {
        Ok(())
    }
}

pub fn shape() -> &'static str {
    Book::SHAPE.name
}
