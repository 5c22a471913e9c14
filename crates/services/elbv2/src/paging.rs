//! Pages of resources, selected by ARN or name, or all of them in order of names.

use super::{errors, validation::has_items};
use nephos_cloud::{Addressed, Stored, Tx};
use nephos_core::{Error, Operation, Record, Result, Text};
use std::collections::HashSet;

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

/// Maximum number of load balancers or target groups that one call can select.
const MAX_SELECTED: usize = 20;

/// Refuses a parameter with more ARNs or names than one call can select. `too_many` creates the error from the maximum and the
/// number of items.
pub(super) fn check_count(
    selectors: [(&str, &Option<Vec<Text>>); 2],
    too_many: impl Fn(usize, usize) -> Error,
) -> Result<()> {
    for (field, items) in selectors {
        let count = items.as_ref().map_or(0, Vec::len);
        if count > MAX_SELECTED {
            return Err(too_many(MAX_SELECTED, count).with_field(field));
        }
    }
    Ok(())
}

/// Returns the resources with these ARNs or names, without duplicates; `None` if neither is given. An empty list counts as
/// not given.
pub(super) fn select<K: Addressed>(
    cx: &Tx<'_>,
    arns: &Option<Vec<Text>>,
    names: &Option<Vec<Text>>,
) -> Result<Option<Vec<K>>> {
    match (has_items(arns), has_items(names)) {
        (false, false) => Ok(None),
        (true, true) => {
            let kind = K::KIND.words();
            Err(errors::names_and_arns_given(capitalize(&kind), kind).with_field("Names"))
        }
        (true, false) => require_by_arns(cx, arns.as_deref().unwrap_or_default()).map(Some),
        (false, true) => {
            let find = |name: &Text| K::find_by(cx, &[name])?.ok_or_else(|| K::not_found(name));
            let names = deduplicate(names.as_deref().unwrap_or_default());
            names.iter().map(find).collect::<Result<_>>().map(Some)
        }
    }
}

/// Refuses the ARNs of resources together with the ARN of their parent of kind `P`, and neither of them. `items` are the
/// resources in errors. An empty list is only refused by the service: the page of a call is empty, too.
pub(super) fn check_arns_or_parent<K: Addressed, P: Addressed>(
    items: &str,
    arns: &Option<Vec<Text>>,
    parent: &Option<Text>,
) -> Result<()> {
    match (has_items(arns), parent) {
        (true, Some(_)) => Err(errors::arns_and_parent_given(capitalize(items), P::KIND.words())
            .with_field(format!("{}s", K::arn_field()))),
        (false, None) if arns.is_none() => Err(arns_or_parent_missing::<P>(items)),
        _ => Ok(()),
    }
}

fn arns_or_parent_missing<P: Addressed>(items: &str) -> Error {
    errors::arns_or_parent_missing(items, P::KIND.words()).with_field(P::arn_field())
}

/// Returns a page of the resources with these ARNs, in that order; refused without ARNs, as they have no parent.
pub(super) fn page_by_arns<K: Addressed, P: Addressed>(
    cx: &Tx<'_>,
    query: &impl Operation,
    items: &str,
    arns: &Option<Vec<Text>>,
) -> Result<(Vec<K>, Option<Text>)> {
    match arns.as_deref() {
        None | Some([]) => Err(arns_or_parent_missing::<P>(items)),
        Some(arns) if arns.len() > MAX_SELECTED => {
            let refused = errors::too_many_selected(MAX_SELECTED, items);
            Err(refused.with_field(format!("{}s", K::arn_field())))
        }
        Some(arns) => cx.page_list(query, require_by_arns(cx, arns)?),
    }
}

fn capitalize(words: &str) -> String {
    words[..1].to_ascii_uppercase() + &words[1..]
}

/// Returns the resources with these ARNs, without duplicates; all must exist.
fn require_by_arns<K: Addressed>(cx: &Tx<'_>, arns: &[Text]) -> Result<Vec<K>> {
    let field = format!("{}s", K::arn_field());
    deduplicate(arns).iter().map(|arn| K::require(cx, arn, &field)).collect()
}

/// Returns a page of the selected resources, in that order; without a selection, of all resources, in order of names.
pub(super) fn page_selected_or_all<R: Stored>(
    cx: &Tx<'_>,
    query: &impl Operation,
    selected: Option<Vec<R>>,
) -> Result<(Vec<R>, Option<Text>)> {
    match selected {
        Some(selected) => cx.page_list(query, selected),
        None => cx.page_rows(query, &R::table(cx.scope()), |row| Ok(Some(row))),
    }
}

/// Removes duplicates, and keeps the order.
pub(super) fn deduplicate(texts: &[Text]) -> Vec<Text> {
    let mut seen = HashSet::with_capacity(texts.len());
    texts.iter().filter(|text| seen.insert(text.as_str())).cloned().collect()
}
