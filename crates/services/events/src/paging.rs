//! Pagination of listings.

use nephos_core::{Record, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size, range(1..=100))]
    limit: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=2048))]
    next_token: Option<Text>,
}
