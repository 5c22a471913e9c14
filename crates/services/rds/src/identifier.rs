//! Identifiers of resources, and pages of them.

use crate::errors;
use nephos_cloud::{Addressed, Tx, is_identifier};
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

/// Maximum length of the identifier of an instance or a cluster.
pub(crate) const MAX_LENGTH: usize = 63;

/// Returns an identifier in lower case, as it is stored; refuses a malformed one. `parameter` is its name.
pub(crate) fn read(given: &str, parameter: &str, max: usize) -> Result<Text> {
    if !is_identifier(given) {
        return Err(errors::identifier_invalid(parameter).with_field(parameter));
    }
    if given.len() > max {
        return Err(errors::identifier_too_long(parameter, max).with_field(parameter));
    }
    Ok(given.to_ascii_lowercase().into())
}

/// Returns the identifier of a resource of a kind that was given by identifier or ARN, in lower case.
pub(crate) fn read_or_arn<K: Addressed>(cx: &Tx<'_>, given: &str, parameter: &str) -> Result<Text> {
    match K::read_arn(given).filter(|_| cx.scope().owns(given)) {
        Some(names) => Ok(names.concat().to_ascii_lowercase().into()),
        None => read(given, parameter, MAX_LENGTH),
    }
}

/// Returns the name of a resource of a kind that was given by name or ARN. The ARN of another account or Region is returned as it is,
/// and found nowhere.
pub(crate) fn name_of<K: Addressed>(cx: &Tx<'_>, given: &str) -> Text {
    match K::read_arn(given).filter(|_| cx.scope().owns(given)) {
        Some(names) => names.concat().into(),
        None => given.into(),
    }
}

/// Returns the name of a resource of a kind of any account and Region that was given by name or ARN.
pub(crate) fn name_anywhere<K: Addressed>(given: &str) -> Text {
    K::read_arn(given).map_or_else(|| given.into(), |names| names.concat().into())
}

/// Refuses a blank text; `parameter` is its name.
pub(crate) fn check_text(given: &str, parameter: &'static str) -> Result<()> {
    if given.trim().is_empty() {
        return Err(errors::parameter_blank(parameter).with_field(parameter));
    }
    Ok(())
}
