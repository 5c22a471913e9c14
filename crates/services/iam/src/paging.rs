//! Pagination of listings.

use nephos_core::{Record, Text};

/// Number of results on a page if the caller gives none.
pub(crate) const PAGE_SIZE: i64 = 100;

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    marker: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    max_items: Option<i64>,
}
