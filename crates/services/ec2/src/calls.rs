//! Parameters that operations share, and calls that the managers of all kinds have: `create` and `update`.

use super::{Filter, network::Member};
use nephos_core::{Error, Record, Text};

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
    /// Filters; results pass all of them.
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

/// Pagination of an operation with other names on the wire.
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

/// Declares the call `update` of a kind's manager, which changes tags.
macro_rules! update_call {
    ($kind:ident($id:ident $name:literal), kept as $member:ident, found by $get:ident) => {
        /// Changes the tags: those that differ from what the model was read with.
        #[::nephos_core::operation(
                            kind = $kind, call = "update", case = "snake", effect = write, output = $kind
                        )]
        pub struct Update {
            /// The model.
            #[field(model)]
            pub model: $kind,
        }

        impl ::nephos_core::ManagerOperation for Update {
            async fn run(&self, context: &::nephos_core::WorkflowContext) -> ::nephos_core::Result<$kind> {
                let id = $crate::network::given(self.model.$id.as_ref(), $name)?;
                ::nephos_core::Resource::check_changes(&self.model)?;
                ::nephos_core::retag::<$crate::tagging::Tagging>(context, &id, &self.model).await?;
                $get::new(id).run(context).await?.ok_or_else($crate::calls::missing::<$member>)
            }
        }
    };
}

/// Declares the call `create` of a kind's manager: an operation with the fields of the model, and its tags.
macro_rules! create_call {
    (
        $(#[$docs:meta])+
        $kind:ident, kept as $member:ident, created by $create:ident => |$context:ident, $created:ident| $made:expr
    ) => {
        $(#[$docs])+
        #[::nephos_core::operation(
            kind = $kind, call = "create", case = "snake", effect = write, output = $kind
        )]
        pub struct Create {
            /// The model.
            #[field(model)]
            pub model: $kind,
        }

        impl ::nephos_core::ManagerOperation for Create {
            async fn run(&self, $context: &::nephos_core::WorkflowContext) -> ::nephos_core::Result<$kind> {
                let create: $create = ::nephos_core::FromModel::from_model(&self.model)?;
                let tags = $crate::TagSpecification::of::<$member>(&self.model.tags);
                let $created = $context.call(create.tag_specifications(tags)).await?;
                $made.ok_or_else($crate::calls::missing::<$member>)
            }
        }
    };
}

pub(super) use {create_call, update_call};

/// The service does not tell of what must be there.
pub(super) fn missing<M: Member>() -> Error {
    M::NOT_FOUND.with_message(format!("there is no such {}", M::RESOURCE.replace('-', " ")))
}
