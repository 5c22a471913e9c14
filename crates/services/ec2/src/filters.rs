//! Filters as the service has them on the wire.

use super::errors;
use nephos_cloud::{FilterRecord, FilterRules, Filterable};
use nephos_core::{AnyPredicate, Record, Resource, Text};

/// The rules for filters: the service's codes and limits.
pub(super) const RULES: FilterRules = FilterRules {
    invalid: &errors::INVALID,
    missing: &errors::MISSING,
    too_many: &errors::TOO_MANY_FILTERS,
    filters: "Filters",
    max_filters: 50,
    max_values: 200,
};

/// The filters of a listing with those that follow from what its results are filtered by.
pub(super) fn pushed<M: Filterable + Resource>(
    given: Option<Vec<Filter>>,
    predicate: &AnyPredicate,
) -> Option<Vec<Filter>> {
    RULES.with_pushed::<M, _>(given.as_deref(), predicate)
}

/// A filter: what it looks at, and the values that let a resource pass. In a value, `*` stands for anything, `?` for one
/// character or none, and a backslash before them for themselves.
#[derive(Record)]
pub struct Filter {
    /// Name of what is looked at, such as `vpc-id` or `tag:team`.
    name: Option<Text>,
    /// Values that let a resource pass, any of them.
    #[field(wire = "Value")]
    values: Option<Vec<Text>>,
}

impl Filter {
    /// The filter that lets pass what has one of `values`, as they stand, in `name`.
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
