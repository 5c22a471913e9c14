//! Filters of listings.

use crate::errors;
use nephos_core::{Record, Result, Text};

/// A filter of a listing: a resource matches if it has one of the values.
#[derive(Record)]
pub struct Filter {
    /// Name of the filter.
    #[field(required)]
    name: Option<Text>,
    /// Values, one of which must match. They have no wildcards.
    #[field(required, item = "Value")]
    values: Option<Vec<Text>>,
}

impl Filter {
    /// Makes a filter with one value.
    pub fn of(name: &str, value: &str) -> Self {
        Self { name: Some(name.into()), values: Some(vec![value.into()]) }
    }
}

/// The filters of a request.
pub(crate) struct Filters<'f>(Vec<(&'f str, &'f [Text])>);

/// Reads the filters of a request, of which the operation knows those with the names in `known`.
pub(crate) fn read<'f>(given: Option<&'f [Filter]>, known: &[&str]) -> Result<Filters<'f>> {
    let mut filters = Vec::new();
    for (n, filter) in given.unwrap_or_default().iter().enumerate() {
        let name = filter.name.as_deref().unwrap_or_default();
        if !known.contains(&name) {
            return Err(errors::filter_unknown(name).with_field(format!("Filters[{n}].Name")));
        }
        let values = filter.values.as_deref().unwrap_or_default();
        if values.is_empty() {
            return Err(errors::filter_empty(name).with_field(format!("Filters[{n}].Values")));
        }
        filters.push((name, values));
    }
    Ok(Filters(filters))
}

impl Filters<'_> {
    /// True if a resource matches all filters. `has` says if it has the value of a filter, by the name of the filter.
    pub(crate) fn match_all(&self, has: impl Fn(&str, &str) -> bool) -> bool {
        self.0.iter().all(|(name, values)| values.iter().any(|value| has(name, value)))
    }
}
