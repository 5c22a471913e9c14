//! How large pages are, and how tokens are refused.

use super::errors;
use nephos_cloud::{Key, Wanted};
use nephos_core::Error;
use nephos_store::Direction;

/// How many a page has, unless the caller wants fewer.
const MOST: usize = 100;

/// How many a page has at most.
pub(super) fn size(limit: Option<i64>) -> usize {
    limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(MOST)
}

/// The page that a caller asks for, among `within`.
pub(super) fn wanted<'a>(within: &'a Key, token: Option<&'a str>, limit: Option<i64>) -> Wanted<'a> {
    Wanted { within, token, size: size(limit), direction: Direction::Ascending }
}

/// A token that is none has a code of its own.
pub(super) fn refused(error: Error) -> Error {
    match error.field() {
        Some("nextToken") => error.with_code(&errors::INVALID_TOKEN).with_field("NextToken"),
        _ => error,
    }
}
