//! Filters as the service has them on the wire.

use super::errors;
use nephos_cloud::{FilterRecord, FilterRules, Filterable};
use nephos_core::{AnyPredicate, Record, Resource, Text};

/// Rules for filters: error codes and limits of the service.
pub(super) const RULES: FilterRules = FilterRules {
    unknown: |name| errors::unknown_filter(name),
    incomplete: errors::incomplete_filter,
    too_many: errors::too_many_filters,
    filters: "Filters",
    max_filters: 50,
    max_values: 200,
};

/// Adds the filters that are translated from the predicate of a listing to those of the caller.
pub(super) fn with_pushed<M: Filterable + Resource>(
    given: Option<Vec<Filter>>,
    predicate: &AnyPredicate,
) -> Option<Vec<Filter>> {
    RULES.with_pushed::<M, _>(given.as_deref(), predicate)
}

/// A filter: the name of a field, and values of which one must match. In a value, `*` matches any text, `?` matches one
/// character or none, and a backslash escapes them.
#[derive(Record)]
pub struct Filter {
    /// Name of the filter, such as `vpc-id` or `tag:team`.
    name: Option<Text>,
    /// Values of which one must match.
    #[field(wire = "Value")]
    values: Option<Vec<Text>>,
}

impl Filter {
    /// Creates the filter that matches exactly `values`, without wildcards.
    pub fn exactly<V: AsRef<str>>(name: &str, values: impl IntoIterator<Item = V>) -> Self {
        FilterRecord::exactly(name, values)
    }
}

impl FilterRecord for Filter {
    fn from_parts(name: Text, values: Vec<Text>) -> Self {
        Self { name: Some(name), values: Some(values) }
    }

    fn parts(&self) -> (Option<&str>, Option<&[Text]>) {
        (self.name.as_deref(), self.values.as_deref())
    }
}
