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
    #[field(page_size = 100, range(1..=100))]
    max_results: Option<i64>,
}

/// True for a name of a cluster, a service or a family.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=255).contains(&name.len()) && name.bytes().all(is_part)
}
