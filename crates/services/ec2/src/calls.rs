//! Parameters that operations share, and the calls `create` and `update` of the managers.

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
    #[field(wire = "TagSpecification")]
    tag_specifications: Option<Vec<super::TagSpecification>>,
}

/// Declares the call `create` of a manager: an operation with the fields of the model and its tags, and with other parameters.
macro_rules! create_call {
    (
        $(#[$docs:meta])+
        $call:ident $(with $options:ident)?: $kind:ident, stored as $member:ident, created by $create:ident
        => |$context:ident, $answer:ident| $created:expr
    ) => {
        $(#[$docs])+
        #[::nephos_core::operation(
            kind = $kind, call = "create", case = "snake", $(also($options),)? effect = write, output = $kind
        )]
        pub struct $call {
            /// Model of the new resource.
            #[field(model)]
            pub model: $kind,
        }

        impl ::nephos_core::ManagerOperation for $call {
            async fn run(&self, $context: &::nephos_core::WorkflowContext) -> ::nephos_core::Result<$kind> {
                let create: $create = ::nephos_core::operation::beside_model(&self.model, self)?;
                let tags = $crate::TagSpecification::from_tags::<$member>(&self.model.tags);
                let $answer = $context.call(create.tag_specifications(tags)).await?;
                $created.ok_or_else($crate::calls::not_found::<$kind>)
            }
        }
    };
}

pub(super) use create_call;

/// Error for a resource that the service did not return although it must exist.
pub(super) fn not_found<K: Resource>() -> Error {
    K::KIND.missing("").with_hint("the service did not return it")
}
