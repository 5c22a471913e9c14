//! Pages: the parameters that ask for one, and what is found by ARN or name, or else everything in order of names.

use nephos_cloud::{Stored, Tx};
use nephos_core::{Operation, Record, Result, Text};
use nephos_store::Direction;

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token)]
    marker: Option<Text>,
    /// Maximum number of results on a page; 400 by default.
    #[field(page_size, range(1..=400))]
    page_size: Option<i64>,
}

/// One page of what is `chosen`, in that order; or, if nothing is, of all that there are, in order of their names.
pub(super) fn chosen_or_all<R: Stored>(
    cx: &Tx<'_>,
    query: &impl Operation,
    chosen: Option<Vec<R>>,
) -> Result<(Vec<R>, Option<Text>)> {
    match chosen {
        Some(chosen) => cx.page_list(query, chosen),
        None => cx.page_rows(query, &R::table(cx.scope()), Direction::Ascending, |row| Ok(Some(row))),
    }
}

/// What is found of each of `given`, once; none if nothing is given.
pub(super) fn each<R>(
    given: Option<&Vec<Text>>,
    find: impl Fn(&Text) -> Result<R>,
) -> Result<Option<Vec<R>>> {
    given.map(|given| once(given).iter().map(find).collect()).transpose()
}

/// Each of `given` once.
pub(super) fn once(given: &[Text]) -> Vec<Text> {
    let mut seen = Vec::with_capacity(given.len());
    for text in given {
        if !seen.contains(text) {
            seen.push(text.clone());
        }
    }
    seen
}
