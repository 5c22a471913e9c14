//! Pagination of listings.

use nephos_core::{Record, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token)]
    next_token: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    max_results: Option<i64>,
}
