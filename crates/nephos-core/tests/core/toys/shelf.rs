//! The flat toy service: books on a shelf.

use super::Rows;
use nephos_core::{
    Answer, Code, Error, ErrorKind, Listing, ManagerOperation, Map, Operation, Page, PageRequest, Record,
    Request, Resource, Result, Slot, Tag, Text, Timestamp, WorkflowContext, operation,
    record::Fields,
    shape::{Protocol, ServiceShape},
    tags,
};
use std::any::Any;

nephos_core::codes! {
    /// The book does not exist.
    NOT_FOUND = "BookNotFoundException", 404, NotFound;
    /// The book exists already.
    EXISTS = "BookExistsException", 409, AlreadyExists;
    /// A parameter is invalid.
    INVALID = "InvalidBookException", 400, Invalid;
}

pub static SERVICE: ServiceShape = ServiceShape {
    docs: "Books.",
    api_version: "2026-01-01",
    protocol: Protocol::AwsJson { target: "Shelf.", version: "1.1", message: "message" },
    kinds: &[Book::KIND],
    operations: &[PutBook::OPERATION, DescribeBooks::OPERATION, BookDelete::OPERATION],
    calls: &[BookCreate::CALLS, BookGet::CALLS, BookList::CALLS, BookUpdate::CALLS, BookDelete::CALLS],
    codes: ALL,
    invalid: &INVALID,
    invalid_token: || INVALID.with_message("The token is invalid."),
    ..ServiceShape::named("shelf")
};

/// A book on the shelf.
#[derive(Resource)]
#[resource(
    service = SERVICE, hot, case = "camel", arn = "Arn", name = "title", pk = "Arn", exists_if = "shelvedAt", tags = "Tags"
)]
pub struct Book {
    /// ARN of the book.
    #[field(name = "Arn", alias = "arn", wire = "bookArn", service_set)]
    arn: Option<Text>,
    /// Title of the book.
    #[field(required, length(1..=20), pattern = r"[a-z][a-z0-9/-]*")]
    title: Option<Text>,
    /// Number of pages.
    #[field(range(1..=5000))]
    pages: Option<i64>,
    /// Price of the book.
    price: Option<f64>,
    /// True if it can be lent.
    #[field(default = true)]
    lendable: Option<bool>,
    /// Number of days it can be lent for.
    #[field(one_of(7, 14, 30))]
    days: Option<i64>,
    /// Time at which it was put on the shelf.
    #[field(service_set)]
    shelved_at: Option<Timestamp>,
    /// Names of the authors.
    #[field(length(1..=3), each(length(1..=10)))]
    authors: Option<Vec<Text>>,
    /// A secret note.
    #[field(sensitive, length(..=8))]
    note: Option<Text>,
    /// Tags of the book.
    #[field(name = "Tags", not_on_wire)]
    tags: Option<Vec<Tag>>,
    slot: Slot,
}

impl Book {
    /// Makes a book as the service returns it.
    pub fn shelved(title: &str, pages: i64) -> Self {
        let mut book = Self::builder().title(title).pages(pages).build().expect("a valid book");
        book.arn = Some(format!("arn:aws:shelf:us-east-1:123456789012:book/{title}").into());
        book.shelved_at = Some(Timestamp::from_second(1_700_000_000 + pages).expect("in range"));
        book
    }

    /// Sets tags as the service does, without the rules for callers.
    pub fn tagged_by_service(mut self, tags: &[(&str, &str)]) -> Self {
        self.tags = Some(tags.iter().map(|tag| Tag::from(*tag)).collect());
        self
    }
}

/// An empty answer.
#[derive(Record)]
pub struct Empty {}

/// Creates or replaces a book.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty)]
pub struct PutBook {
    /// Book to store.
    pub book: Book,
    /// True to replace an existing book, false to create one.
    pub replace: Option<bool>,
}

/// Describes books, two per page.
#[operation(service = SERVICE, case = "camel", effect = read, output = Books)]
pub struct DescribeBooks {
    /// Title of the only book to describe.
    pub title: Option<Text>,
    /// Prefix of the titles to describe.
    pub prefix: Option<Text>,
    /// Pagination token of the previous page.
    pub next_token: Option<Text>,
}

/// A page of books.
#[derive(Record)]
#[record(case = "camel")]
pub struct Books {
    /// Books on the page.
    books: Option<Vec<Book>>,
    /// Pagination token of the next page.
    next_token: Option<Text>,
}

/// Deletes a book.
#[operation(kind = Book, call = "delete", case = "camel", effect = write, output = (), on_model)]
pub struct BookDelete {
    /// Title of the book.
    #[field(length(1..=20))]
    pub title: Text,
    /// True to delete it even if it is lent.
    pub force: Option<bool>,
}

/// Creates a book.
#[operation(kind = Book, call = "create", case = "snake", effect = write, output = ())]
pub struct BookCreate {
    /// Book to create.
    #[field(model)]
    pub model: Book,
    /// Tags, merged with those of the book.
    pub tags: Option<Map<Text>>,
}

/// Gets a book; none if it does not exist.
#[operation(kind = Book, call = "get", case = "camel", effect = read, output = Option<Book>)]
pub struct BookGet {
    /// Title of the book.
    pub title: Text,
}

/// Lists the books.
#[operation(kind = Book, call = "list", case = "camel", effect = read, output = Page<Book>, pages)]
pub struct BookList {
    /// Prefix of the titles to list.
    pub prefix: Option<Text>,
}

/// Changes a book.
#[operation(kind = Book, call = "update", case = "camel", effect = write, output = Book)]
pub struct BookUpdate {
    /// Book to change.
    #[field(model)]
    pub model: Book,
    /// True to fail after the change was made, to test the rollback.
    pub fail_late: Option<bool>,
}

impl ManagerOperation for BookCreate {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        let mut book = self.model.clone();
        if let Some(more) = &self.tags {
            let mut own = tags::known(&book);
            own.extend(more.clone());
            book.set_tags(Some(own.into_iter().map(Tag::from).collect::<Vec<_>>()))?;
        }
        context.call(PutBook::new(book)).await?;
        Ok(())
    }
}

impl ManagerOperation for BookGet {
    async fn run(&self, context: &WorkflowContext) -> Result<Option<Book>> {
        let found = context.call(DescribeBooks::new().title(self.title.clone())).await?;
        Ok(found.books.and_then(|books| books.into_iter().next()))
    }
}

impl Listing for BookList {
    type Model = Book;

    async fn page(&self, context: &WorkflowContext, request: &PageRequest) -> Result<Page<Book>> {
        let mut describe = DescribeBooks::new().prefix(self.prefix.clone()).next_token(request.token.clone());
        // A prefix that the filter requires is pushed down, unless the caller gave one.
        for test in request.filter.required_tests() {
            let by_prefix = test.path() == ["title"] && test.lookup() == nephos_core::Lookup::StartsWith;
            if self.prefix.is_none() && by_prefix {
                describe = describe.prefix(test.value().as_text().map(Text::new));
            }
        }
        let page = context.call(describe).await?;
        Ok(Page { items: page.books.unwrap_or_default(), next_token: page.next_token })
    }
}

impl ManagerOperation for BookUpdate {
    async fn run(&self, context: &WorkflowContext) -> Result<Book> {
        context.call(PutBook::new(self.model.clone()).replace(true)).await?;
        if self.fail_late == Some(true) {
            return Err(Error::new(ErrorKind::Conflict, "too late"));
        }
        let found = context.call(DescribeBooks::new().title(self.model.title.clone())).await?;
        let missing = || NOT_FOUND.with_message("the book does not exist");
        found.books.and_then(|books| books.into_iter().next()).ok_or_else(missing)
    }
}

impl ManagerOperation for BookDelete {
    async fn run(&self, context: &WorkflowContext) -> Result<()> {
        context.call(TakeBook::new(self.title.clone())).await?;
        Ok(())
    }
}

/// Deletes a book.
#[operation(service = SERVICE, case = "camel", effect = write, output = Empty)]
pub struct TakeBook {
    /// Title of the book.
    pub title: Text,
}

pub fn answer(rows: &mut Rows, request: Request) -> Answer {
    let params: Box<dyn Any> = request.params;
    let params = match params.downcast::<PutBook>() {
        Ok(put) => return put_book(rows, *put).map(|()| Box::new(Empty {}) as Box<dyn Fields>),
        Err(params) => params,
    };
    let params = match params.downcast::<TakeBook>() {
        Ok(take) => {
            let gone = rows.books.remove(take.title.as_str());
            return match gone {
                Some(_) => Ok(Box::new(Empty {})),
                None => Err(NOT_FOUND.with_message(format!("{} does not exist", take.title))),
            };
        }
        Err(params) => params,
    };
    let describe = params.downcast::<DescribeBooks>().expect("the service has three operations");
    Ok(Box::new(page(rows, &describe)))
}

fn put_book(rows: &mut Rows, put: PutBook) -> Result<()> {
    let mut book = put.book;
    let title = book.title.clone().unwrap_or_default();
    let there = rows.books.contains_key(title.as_str());
    match (there, put.replace == Some(true)) {
        (true, false) => return Err(EXISTS.with_message(format!("{title} exists already"))),
        (false, true) => return Err(NOT_FOUND.with_message(format!("{title} does not exist"))),
        _ => {}
    }
    book.arn = Some(format!("arn:aws:shelf:us-east-1:123456789012:book/{title}").into());
    book.shelved_at = book.shelved_at.or(Timestamp::from_second(1_700_000_000).ok());
    rows.books.insert(title.to_string(), book);
    Ok(())
}

/// Returns a page of two books. The second page is empty, but has a token.
fn page(rows: &Rows, describe: &DescribeBooks) -> Books {
    let wanted = |book: &&Book| {
        let title = book.title.as_deref().unwrap_or_default();
        describe.title.as_deref().is_none_or(|wanted| wanted == title)
            && describe.prefix.as_deref().is_none_or(|prefix| title.starts_with(prefix))
    };
    let all: Vec<&Book> = rows.books.values().filter(wanted).collect();
    let (start, empty) = match describe.next_token.as_deref() {
        None => (0, false),
        Some("empty") => (2, true),
        Some(token) => (token.parse().unwrap_or(0), false),
    };
    if empty {
        return Books { books: Some(Vec::new()), next_token: Some("2".into()) };
    }
    let books: Vec<_> = all.iter().skip(start).take(2).map(|book| (*book).clone()).collect();
    let end = start + books.len();
    let next_token =
        (end < all.len()).then(|| if start == 0 { "empty".into() } else { Text::from(end.to_string()) });
    Books { books: Some(books), next_token }
}

/// Finds an error code of the service.
pub fn code(name: &str) -> Option<&'static Code> {
    ALL.iter().find(|code| code.code == name).copied()
}
