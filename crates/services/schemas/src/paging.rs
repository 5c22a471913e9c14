//! Pagination of listings.

use nephos_cloud::{Key, Stored, Tx};
use nephos_core::{Operation, Record, Result, Text};

/// Pagination parameters of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Pagination {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    limit: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, wire = "nextToken", in_query)]
    next_token: Option<Text>,
}

/// Reads one page of the rows below a key, in order: the items that `take` returns, and the pagination token of the next
/// page. Only rows whose next part of the key has the prefix are read.
pub(super) fn page<R: Stored, T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    key: Key,
    prefix: Option<&Text>,
    take: impl FnMut(R) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    let key = prefix.into_iter().fold(key, |key, prefix| key.text_prefix(prefix));
    cx.page_rows(query, &key, take)
}
