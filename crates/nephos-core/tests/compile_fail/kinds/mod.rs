//! Two right kinds, to be used wrongly.

use nephos_core::{
    operation, Page, Record, Resource, Slot, Text,
    shape::{Protocol, ServiceShape},
};

nephos_core::codes! {
    /// A parameter is wrong.
    INVALID = "InvalidBook", 400, Invalid;
}

pub static SERVICE: ServiceShape = ServiceShape {
    name: "shelf",
    docs: "Books.",
    api_version: "2026-01-01",
    protocol: Protocol::RestJson,
    endpoint: "shelf",
    signing: "shelf",
    global: false,
    kinds: &[Book::KIND, Loan::KIND],
    operations: &[],
    codes: ALL,
    invalid: &INVALID,
};

/// A book.
#[derive(Resource)]
#[resource(service = SERVICE, arn = "Arn", calls(List, Lend))]
pub struct Book {
    /// Resource name.
    #[field(service_set)]
    arn: Option<Text>,
    /// How many pages it has.
    pages: Option<i64>,
    /// True while somebody has it.
    lent: Option<bool>,
    slot: Slot,
}

/// Who has a book, read-only.
#[derive(Resource)]
#[resource(service = SERVICE, frozen)]
pub struct Loan {
    /// Who.
    reader: Option<Text>,
    slot: Slot,
}

/// The books.
#[operation(kind = Book, call = "list", effect = read, output = Page<Book>, pages)]
pub struct List {
    /// Only those that begin so.
    pub prefix: Option<Text>,
}

impl nephos_core::Listing for List {
    type Model = Book;

    async fn page(
        &self,
        _steps: &nephos_core::WorkflowContext,
        _request: &nephos_core::PageRequest,
    ) -> nephos_core::Result<Page<Book>> {
        Ok(Page::default())
    }
}

/// Lends a book, or takes it back.
#[operation(kind = Book, call = "lend", effect = write, output = ())]
pub struct Lend {
    /// True to lend it.
    pub lent: bool,
}

impl nephos_core::ManagerOperation for Lend {
    async fn run(&self, _steps: &nephos_core::WorkflowContext) -> nephos_core::Result<()> {
        Ok(())
    }
}

pub fn shape() -> &'static str {
    Book::SHAPE.name
}
