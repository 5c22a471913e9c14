//! Parameters that operations share.

use super::Filter;
use nephos_core::{Error, Record, Resource, Text};

/// Dry run of an operation.
#[derive(Record)]
#[record(shared)]
pub struct DryRun {
    /// Checks permissions and parameters only (dry run).
    #[field(wire = "dryRun", wire_only)]
    dry_run: Option<bool>,
}

/// Filters of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Filtered {
    /// Filters; results must match all of them.
    #[field(wire = "Filter")]
    filters: Option<Vec<Filter>>,
}

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Paged {
    /// Pagination token of the previous page.
    #[field(page_token)]
    next_token: Option<Text>,
    /// Maximum number of results on a page; 1000 by default.
    #[field(page_size, range(5..=1000))]
    max_results: Option<i64>,
}

/// Pagination of an operation whose wire names are in lower camel case.
#[derive(Record)]
#[record(shared)]
pub struct PagedInLowerCase {
    /// Pagination token of the previous page.
    #[field(page_token, wire = "nextToken")]
    next_token: Option<Text>,
    /// Maximum number of results on a page; 1000 by default.
    #[field(page_size, wire = "maxResults", range(5..=1000))]
    max_results: Option<i64>,
}

/// Tags of what an operation creates.
#[derive(Record)]
#[record(shared)]
pub struct Tagged {
    /// Tags, by the type of resource that they are for.
    #[field(wire = "TagSpecification", tags_by_type)]
    tag_specifications: Option<Vec<super::TagSpecification>>,
}

/// Error for a resource that the service did not return although it must exist.
pub(super) fn not_found<K: Resource>() -> Error {
    K::KIND.missing("").with_hint("the service did not return it")
}
