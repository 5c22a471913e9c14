//! Identifiers of resources, and pages of them.

use crate::errors;
use nephos_cloud::is_identifier;
use nephos_core::{Record, Result, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(20..=100))]
    max_records: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token)]
    marker: Option<Text>,
}

/// Returns an identifier in lower case, as it is stored; refuses a malformed one. `parameter` is its name.
pub(crate) fn read(given: &str, parameter: &str, max: usize) -> Result<Text> {
    if given.len() <= max && is_identifier(given) {
        return Ok(given.to_ascii_lowercase().into());
    }
    Err(errors::identifier_invalid(parameter).with_field(parameter))
}
