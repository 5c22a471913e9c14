//! How large pages are, and what filters say of names.

use nephos_cloud::{Key, Wanted};
use nephos_core::{AnyPredicate, Lookup, Text};
use nephos_store::Direction;

/// How many a page has, unless the caller wants fewer.
const MOST: usize = 100;

/// How many a page has at most.
fn size(limit: Option<i64>) -> usize {
    limit.and_then(|limit| usize::try_from(limit).ok()).map_or(MOST, |limit| limit.clamp(1, MOST))
}

/// The page that a caller asks for, among `within`.
pub(super) fn wanted<'a>(within: &'a Key, token: Option<&'a str>, limit: Option<i64>) -> Wanted<'a> {
    Wanted { within, token, size: size(limit), direction: Direction::Ascending }
}

/// What the text of `field` begins with in everything that `filter` lets pass, if it says so.
pub(super) fn beginning(filter: &AnyPredicate, field: &str) -> Option<Text> {
    let tests = filter.required_tests();
    let named = tests.into_iter().filter(|test| matches!(test.path(), [only] if only == field));
    let mut texts = named.filter_map(|test| match test.lookup() {
        Lookup::StartsWith | Lookup::Exact => test.value().as_text(),
        _ => None,
    });
    texts.next().filter(|text| !text.is_empty()).map(Text::new)
}
