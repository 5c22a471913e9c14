//! Pagination of listings.

use nephos_core::{Record, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    limit: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=1024))]
    marker: Option<Text>,
}
