//! Shared code of metric filters and subscription filters: rows by log group and name.

use super::{LogGroup, LogGroupClass, errors};
use nephos_cloud::{Addressed, Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Operation, Record, Resource, Result, Text};
use std::collections::HashSet;

pub(crate) mod metric;
pub(crate) mod pattern;
pub(crate) mod subscription;

/// A kind of filter on log groups.
pub(super) trait Filter: Resource + Stored {
    /// Maximum number of filters per log group.
    const MAX_PER_GROUP: usize;

    /// Returns the creation time.
    fn creation_time_mut(&mut self) -> &mut Option<i64>;

    /// Name of the log group.
    fn group_name(&self) -> &str;
}

/// Parameters of a listing of filters.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct FilterQuery {
    /// Prefix of the filter names.
    #[field(length(1..=512), pattern = "[^:*]*")]
    filter_name_prefix: Option<Text>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    next_token: Option<Text>,
    /// Maximum number of results on a page; 50 by default.
    #[field(page_size, range(1..=50))]
    limit: Option<i64>,
}

/// Checks the names of the system fields that a filter emits, and drops repeated ones.
pub(super) fn check_system_fields(
    fields: &mut Option<Vec<Text>>,
    supported: &[&str],
    parameter: &str,
) -> Result<()> {
    let Some(fields) = fields else { return Ok(()) };
    if let Some(field) = fields.iter().find(|field| !supported.contains(&field.as_str())) {
        let error = errors::invalid_system_fields(supported.join(", "));
        return Err(error.with_field(parameter).with_hint(field.as_str()));
    }
    let mut seen = HashSet::new();
    fields.retain(|field| seen.insert(field.clone()));
    Ok(())
}

/// Returns the key prefix of the filters of a log group.
pub(super) fn group_prefix<F: Filter>(scope: &Scope, group: &str) -> Key {
    F::table(scope).text(group)
}

/// Returns the log group of a filter that the operation `O` creates; it must have class STANDARD.
pub(super) fn require_group<O: Operation>(cx: &Tx<'_>, name: &str) -> Result<LogGroup> {
    let group = LogGroup::require(cx, name, "logGroupName")?;
    match &group.log_group_class {
        Some(LogGroupClass::Standard) | None => Ok(group),
        Some(class) => {
            Err(errors::class_not_supported(O::OPERATION.name, class).with_hint("only STANDARD is"))
        }
    }
}

/// Creates or replaces a filter of a log group that has `count` filters; returns true if the filter is new.
pub(super) fn put<F: Filter>(cx: &mut Tx<'_>, mut filter: F, count: usize) -> Result<bool> {
    let before = cx.get::<F>(&filter.key(cx.scope()))?;
    if before.is_none() && count >= F::MAX_PER_GROUP {
        let hint = format!("a log group can have at most {}", F::MAX_PER_GROUP);
        return Err(errors::limit_exceeded().with_hint(hint));
    }
    let (is_new, now) = (before.is_none(), cx.now().as_millisecond());
    let created = before.and_then(|mut before| before.creation_time_mut().take());
    *filter.creation_time_mut() = created.or(Some(now));
    cx.put(filter)?;
    Ok(is_new)
}

/// Removes a filter and returns its log group.
pub(super) fn remove<F: Filter>(cx: &mut Tx<'_>, group: &str, name: &str) -> Result<LogGroup> {
    let found = LogGroup::require(cx, group, "logGroupName")?;
    let filter = F::find_by(cx, &[group, name])?;
    cx.remove(&filter.ok_or_else(|| F::not_found(&format!("{name} of {group}")))?)?;
    Ok(found)
}

/// Returns a page of the filters of one log group, ordered by name, or of all, ordered by name and log group.
pub(super) fn page<F: Filter>(
    cx: &Tx<'_>,
    query: &impl Operation,
    group: Option<&Text>,
    prefix: Option<&Text>,
    is_wanted: impl Fn(&F) -> bool,
) -> Result<(Vec<F>, Option<Text>)> {
    let prefix = prefix.map(Text::as_str).unwrap_or_default();
    let is_wanted = |filter: &F| filter.own_name().starts_with(prefix) && is_wanted(filter);
    if let Some(group) = group {
        LogGroup::require(cx, group, "logGroupName")?;
        let rows = group_prefix::<F>(cx.scope(), group).text_prefix(prefix);
        return cx.page_rows(query, &rows, |filter: F| Ok(Some(filter).filter(is_wanted)));
    }
    let mut filters: Vec<F> = cx.all(&F::table(cx.scope()))?;
    filters.retain(is_wanted);
    // Rows are in order of their log groups, and this sort keeps it for equal names.
    filters.sort_by(|one, other| one.own_name().cmp(other.own_name()));
    let position = |filter: &F| [filter.own_name(), "\0", filter.group_name()].concat().into();
    cx.page_items(query, filters, position)
}

/// Returns the first resource that a listing by the prefix `name` found, if that is its name: an exact name sorts before all
/// other names with this prefix.
pub(super) fn first_named<M: Resource + Stored>(found: Option<Vec<M>>, name: &str) -> Option<M> {
    found?.into_iter().next().filter(|first| first.own_name() == name)
}
