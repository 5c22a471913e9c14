//! Shared code of metric filters and subscription filters: rows by log group and name, and the calls of their managers.

use super::{LogGroup, LogGroupClass, errors, log_group};
use nephos_cloud::{Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Error, Operation, Record, Resource, Result, Text};
use nephos_store::Direction;

/// A kind of filter on log groups.
pub(super) trait Filter: Resource + Stored {
    /// Name of the kind in error messages.
    const LABEL: &'static str;
    /// Maximum number of filters per log group.
    const MAX_PER_GROUP: usize;

    /// Returns the creation time.
    fn creation_time_mut(&mut self) -> &mut Option<i64>;
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

/// Returns the key prefix of the filters of a log group.
pub(super) fn group_prefix<F: Filter>(scope: &Scope, group: &str) -> Key {
    F::table(scope).text(group)
}

/// Returns the log group of a filter, which must have class STANDARD.
pub(super) fn require_group<F: Filter>(cx: &Tx<'_>, name: &str) -> Result<LogGroup> {
    let group = log_group::require(cx, name)?;
    if group.log_group_class != Some(LogGroupClass::Standard) {
        let message = format!("{}s are only supported by log groups of class STANDARD", F::LABEL);
        return Err(errors::INVALID_OPERATION.with_message(message));
    }
    Ok(group)
}

/// Creates or replaces a filter of a log group that has `count` filters; returns true if the filter is new.
pub(super) fn put<F: Filter>(cx: &mut Tx<'_>, mut filter: F, count: usize) -> Result<bool> {
    let before = cx.get::<F>(&filter.key(cx.scope()))?;
    if before.is_none() && count >= F::MAX_PER_GROUP {
        return Err(errors::LIMIT_EXCEEDED.with_message("Resource limit exceeded."));
    }
    let (is_new, now) = (before.is_none(), cx.now().as_millisecond());
    let created = before.and_then(|mut before| before.creation_time_mut().take());
    *filter.creation_time_mut() = created.or(Some(now));
    cx.put(filter)?;
    Ok(is_new)
}

/// Removes a filter and returns its log group.
pub(super) fn remove<F: Filter>(cx: &mut Tx<'_>, group: &str, name: &str) -> Result<LogGroup> {
    let found = log_group::require(cx, group)?;
    let key = group_prefix::<F>(cx.scope(), group).text(name);
    if !cx.exists(&key)? {
        return Err(not_found::<F>());
    }
    cx.remove_row(&key)?;
    Ok(found)
}

/// Returns a page of the filters of one or all log groups, ordered by log group and name.
pub(super) fn page<F: Filter>(
    cx: &Tx<'_>,
    query: &impl Operation,
    group: Option<&Text>,
    prefix: Option<&Text>,
    is_wanted: impl Fn(&F) -> bool,
) -> Result<(Vec<F>, Option<Text>)> {
    let prefix = prefix.map(Text::as_str).unwrap_or_default();
    let rows = match group {
        Some(group) => {
            log_group::require(cx, group)?;
            group_prefix::<F>(cx.scope(), group).text_prefix(prefix)
        }
        None => F::table(cx.scope()),
    };
    let is_wanted = |filter: &F| filter.own_name().starts_with(prefix) && is_wanted(filter);
    cx.page_rows(query, &rows, Direction::Ascending, |filter: F| Ok(Some(filter).filter(is_wanted)))
}

pub(super) fn not_found<F: Filter>() -> Error {
    errors::NOT_FOUND.with_message(format!("The specified {} does not exist.", F::LABEL))
}

pub(super) fn already_exists<F: Filter>() -> Error {
    errors::EXISTS.with_message(format!("The specified {} already exists", F::LABEL))
}

/// Defines the call `get` of a kind whose names are unique within a log group.
macro_rules! get_within_group {
    ($kind:ident, $get:ident, $docs:tt, $name:ident, $describe:ident { $prefix:ident, $found:ident }) => {
        #[doc = $docs]
        #[operation(
                    kind = $kind, of = $kind, call = "get", case = "camel", needs(log_group_name, $name),
                    effect = read, output = Option<$kind>
                )]
        pub struct $get {}

        impl ManagerOperation for $get {
            async fn run(&self, context: &WorkflowContext) -> Result<Option<$kind>> {
                let mut describe = $describe::from_given(self.clone());
                // The exact name sorts before all other names with this prefix.
                (describe.$prefix, describe.limit) = (Some(self.$name.clone()), Some(1));
                let found = context.find(describe).await?.and_then(|found| found.$found).unwrap_or_default();
                let first =
                    found.into_iter().next().filter(|found| found.$name.as_ref() == Some(&self.$name));
                // The response may not contain the group name.
                Ok(first.map(|mut found| {
                    found.log_group_name = Some(self.log_group_name.clone());
                    found
                }))
            }
        }
    };
}

/// Defines the rows of a kind of filter, and the calls of its manager that execute more than one operation.
macro_rules! filter_kind {
    (
        $kind:ident { $create:ident, $get:ident, $update:ident }, $table:literal, $label:tt, $max:tt, $put:ident,
        $describe:ident { $found:ident }
    ) => {
        nephos_cloud::stored!($kind in $table by log_group_name, filter_name);

        impl Filter for $kind {
            const LABEL: &'static str = $label;
            const MAX_PER_GROUP: usize = $max;

            fn creation_time_mut(&mut self) -> &mut Option<i64> {
                &mut self.creation_time
            }
        }

        filter::get_within_group!(
            $kind,
            $get,
            "Gets a filter of a log group; `None` if it does not exist.",
            filter_name,
            $describe { filter_name_prefix, $found }
        );

        /// Creates a filter of a log group; the name must not be in use.
        #[operation(kind = $kind, call = "create", case = "snake", effect = write, output = ())]
        pub struct $create {
            /// The filter.
            #[field(model)]
            pub model: $kind,
        }

        impl ManagerOperation for $create {
            async fn run(&self, context: &WorkflowContext) -> Result<()> {
                let get = $get::for_model(&self.model)?;
                if get.run(context).await?.is_some() {
                    return Err(filter::already_exists::<$kind>());
                }
                context.call(put_operation(&self.model)?).await.map(drop)
            }
        }

        /// Updates a filter of a log group.
        #[operation(kind = $kind, call = "update", case = "snake", effect = write, output = $kind)]
        pub struct $update {
            /// The filter.
            #[field(model)]
            pub model: $kind,
        }

        impl ManagerOperation for $update {
            async fn run(&self, context: &WorkflowContext) -> Result<$kind> {
                let get = $get::for_model(&self.model)?;
                get.run(context).await?.ok_or_else(filter::not_found::<$kind>)?;
                context.call(put_operation(&self.model)?).await?;
                get.run(context).await?.ok_or_else(filter::not_found::<$kind>)
            }
        }

        /// Returns the operation that creates or replaces the filter.
        fn put_operation(model: &$kind) -> Result<$put> {
            let mut model = model.clone();
            model.filter_pattern.get_or_insert_default();
            $put::from_model(&model)
        }
    };
}

pub(super) use {filter_kind, get_within_group};
