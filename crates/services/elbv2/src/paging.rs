//! Pages: of what is listed in another order than that of its keys, and of what has a name.

use nephos_cloud::{Stored, Tx, Wanted};
use nephos_core::{Operation, Result, Text};
use nephos_store::Direction;

/// How many a page has, unless the caller wants fewer.
const MOST: usize = 400;

/// How many a page has at most.
pub(super) fn size(page_size: Option<i64>) -> usize {
    page_size.and_then(|size| usize::try_from(size).ok()).map_or(MOST, |size| size.clamp(1, MOST))
}

/// One page of `items`, which are in order of their places, and the token of the next.
pub(super) fn page<T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    items: Vec<T>,
    token: Option<&str>,
    page_size: Option<i64>,
    place: impl Fn(usize, &T) -> Text,
) -> Result<(Vec<T>, Option<Text>)> {
    let position = cx.page_position(query, token)?;
    let size = size(page_size);
    let placed = items.into_iter().enumerate().map(|(n, item)| (place(n, &item), item));
    let after = placed.skip_while(|(place, _)| position.as_ref().is_some_and(|position| place <= position));
    let mut page: Vec<_> = after.take(size + 1).collect();
    let more = page.len() > size;
    page.truncate(size);
    let next = page.last().filter(|_| more).map(|(place, _)| cx.page_token(query, place));
    Ok((page.into_iter().map(|(_, item)| item).collect(), next))
}

/// One page of what is `chosen`, in that order; or, if nothing is, of all that there are, in order of their names.
pub(super) fn of_named<R: Stored>(
    cx: &Tx<'_>,
    query: &impl Operation,
    chosen: Option<Vec<R>>,
    token: Option<&str>,
    page_size: Option<i64>,
    name: impl Fn(&R) -> &str,
) -> Result<(Vec<R>, Option<Text>)> {
    if let Some(chosen) = chosen {
        return page(cx, query, chosen, token, page_size, numbered);
    }
    let table = R::table(cx.scope());
    let (within, size, direction) = (&table, size(page_size), Direction::Ascending);
    let wanted = Wanted { within, token, size, direction };
    let key = |name: &str| table.clone().text(name);
    cx.page(query, wanted, key, |record| name(record).into(), |record| Ok(Some(record)))
}

/// What is found of each of `given`, once; none if nothing is given.
pub(super) fn each<R>(
    given: Option<&Vec<Text>>,
    find: impl Fn(&Text) -> Result<R>,
) -> Result<Option<Vec<R>>> {
    given.map(|given| once(given).iter().map(find).collect()).transpose()
}

/// The place of the item with that number, for what has no order but that in which it was asked for.
pub(super) fn numbered<T>(n: usize, _item: &T) -> Text {
    format!("{n:06}").into()
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
