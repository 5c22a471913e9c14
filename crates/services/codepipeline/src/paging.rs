//! Pagination of listings.

use nephos_core::{Record, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=2048))]
    next_token: Option<Text>,
    /// Maximum number of results on a page.
    #[field(page_size = 1000, range(1..=1000))]
    max_results: Option<i64>,
}

/// Pagination of an operation with smaller pages.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct SmallPage {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=2048))]
    next_token: Option<Text>,
    /// Maximum number of results on a page.
    #[field(page_size = 100, range(1..=100))]
    max_results: Option<i64>,
}
