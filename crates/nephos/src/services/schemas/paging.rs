//! Pages of listings: in order of a key, after where the page before ended.

use crate::cloud::{Key, Stored, Tx};
use nephos_core::{Lookup, Operation, Predicate, Result, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// How many a page has, unless the caller wants fewer.
const MOST: usize = 100;

/// How many a page has at most.
pub(super) fn size(limit: Option<i64>) -> usize {
    limit.and_then(|limit| usize::try_from(limit).ok()).map_or(MOST, |limit| limit.clamp(1, MOST))
}

/// What a listing asks for.
pub(super) struct Wanted<'a> {
    /// The keys to look at.
    pub(super) within: &'a Key,
    /// Where the page before ended.
    pub(super) token: Option<&'a str>,
    /// How many at most.
    pub(super) limit: Option<i64>,
}

/// One page of `query`: what `take` makes of the records, where it makes anything; `key` is the key at a position, `place`
/// the position of a record.
pub(super) fn page<R: Stored, T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    wanted: Wanted<'_>,
    key: impl Fn(&str) -> Key,
    place: impl Fn(&R) -> Text,
    mut take: impl FnMut(R) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    let size = size(wanted.limit);
    let mut range = wanted.within.within();
    if let Some(position) = cx.page_position(query, wanted.token)? {
        range = range.after(key(&position).as_bytes(), Direction::Ascending);
    }
    let (mut found, mut last, mut more, mut failed) = (Vec::new(), Text::default(), false, None);
    cx.scan::<R>(cx.scope(), &range, Direction::Ascending, |record| {
        let at = place(&record);
        match take(record) {
            Ok(None) => return ControlFlow::Continue(()),
            Ok(Some(_)) if found.len() == size => more = true,
            Ok(Some(item)) => {
                found.push(item);
                last = at;
                return ControlFlow::Continue(());
            }
            Err(error) => failed = Some(error),
        }
        ControlFlow::Break(())
    })?;
    match failed {
        Some(error) => Err(error),
        None => Ok((found, more.then(|| cx.page_token(query, &last)))),
    }
}

/// What the text of `field` begins with in everything that `filter` lets pass, if it says so.
pub(super) fn beginning(filter: &Predicate, field: &str) -> Option<Text> {
    let tests = filter.required_tests();
    let named = tests.into_iter().filter(|test| matches!(test.path(), [only] if only == field));
    let mut texts = named.filter_map(|test| match test.lookup() {
        Lookup::StartsWith | Lookup::Exact => test.value().as_text(),
        _ => None,
    });
    texts.next().filter(|text| !text.is_empty()).map(Text::new)
}
