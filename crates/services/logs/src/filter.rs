//! Shared code of metric filters and subscription filters: rows by log group and name, and the calls of their managers.

use super::{LogGroup, LogGroupClass, errors};
use nephos_cloud::{Addressed, Key, Scope, Stored, StoredResource, Tx};
use nephos_core::{Error, Operation, Record, Resource, Result, Text};

/// A kind of filter on log groups.
pub(super) trait Filter: Resource + Stored {
    /// Operation that creates or replaces a filter.
    const PUT: &'static str;
    /// Maximum number of filters per log group.
    const MAX_PER_GROUP: usize;
    /// Error for a filter that does not exist.
    const NOT_FOUND: fn() -> Error;

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

/// Checks the names of the system fields that a filter emits.
pub(super) fn check_system_fields(fields: Option<&[Text]>, allowed: &[&str], parameter: &str) -> Result<()> {
    match fields.into_iter().flatten().find(|field| !allowed.contains(&field.as_str())) {
        Some(field) => {
            let hint = format!("allowed are {}", allowed.join(", "));
            Err(errors::invalid_system_field(field).with_field(parameter).with_hint(hint))
        }
        None => Ok(()),
    }
}

/// Returns the key prefix of the filters of a log group.
pub(super) fn group_prefix<F: Filter>(scope: &Scope, group: &str) -> Key {
    F::table(scope).text(group)
}

/// Returns the log group of a filter, which must have class STANDARD.
pub(super) fn require_group<F: Filter>(cx: &Tx<'_>, name: &str) -> Result<LogGroup> {
    let group = LogGroup::require(cx, name, "logGroupName")?;
    match &group.log_group_class {
        Some(LogGroupClass::Standard) | None => Ok(group),
        Some(class) => Err(errors::class_not_supported(F::PUT, class).with_hint("only STANDARD is")),
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
    let key = group_prefix::<F>(cx.scope(), group).text(name);
    if !cx.exists(&key)? {
        return Err(F::NOT_FOUND().with_hint(format!("{name} of {group}")));
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
            LogGroup::require(cx, group, "logGroupName")?;
            group_prefix::<F>(cx.scope(), group).text_prefix(prefix)
        }
        None => F::table(cx.scope()),
    };
    let is_wanted = |filter: &F| filter.own_name().starts_with(prefix) && is_wanted(filter);
    cx.page_rows(query, &rows, |filter: F| Ok(Some(filter).filter(is_wanted)))
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
        $kind:ident { $create:ident, $get:ident, $update:ident }, $table:literal, $max:tt,
        $not_found:ident, $exists:ident, $put:ident, $describe:ident { $found:ident }
    ) => {
        nephos_cloud::stored!($kind in $table by log_group_name, filter_name);

        impl Filter for $kind {
            const PUT: &'static str = stringify!($put);
            const MAX_PER_GROUP: usize = $max;
            const NOT_FOUND: fn() -> Error = errors::$not_found;

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
                    return Err(errors::$exists());
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
                get.run(context).await?.ok_or_else(errors::$not_found)?;
                context.call(put_operation(&self.model)?).await?;
                get.run(context).await?.ok_or_else(errors::$not_found)
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
