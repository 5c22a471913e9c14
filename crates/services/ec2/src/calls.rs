//! Parameters that operations share, and calls that the managers of all kinds have: `create`, `list` and `update`.

use super::{Filter, network::Member};
use nephos_core::{Error, Record, Text};

/// Dry run of an operation.
#[derive(Record)]
#[record(shared)]
pub struct DryRun {
    /// Checks permissions and parameters only (dry run).
    #[field(wire = "dryRun")]
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

/// Declares the calls of a kind's manager that follow from the operation that describes it: `list`, which asks with filters
/// that follow from what its results are filtered by, and `update`, which changes tags; and `found`, one that must exist.
macro_rules! calls {
    (
        $kind:ident($id:ident $name:literal), kept as $member:ident, described by $describe:ident($ids:ident) => $models:expr;
        $(#[$docs:meta])+
        list { $($(#[$about:meta])+ $param:ident,)+ }
    ) => {
        $(#[$docs])+
        #[::nephos_core::operation(
            kind = $kind, call = "list", also($crate::calls::Filtered),
            effect = read, output = ::nephos_core::Page<$kind>, pages
        )]
        pub struct List {
            $($(#[$about])+ pub $param: Option<Vec<::nephos_core::Text>>,)+
            /// Maximum number of results on a page; 1000 by default.
            #[field(page_size, range(5..=1000))]
            pub max_results: Option<i64>,
        }

        impl ::nephos_core::Listing for List {
            type Model = $kind;

            async fn page(
                &self,
                steps: &::nephos_core::Steps,
                request: &::nephos_core::PageRequest,
            ) -> ::nephos_core::Result<::nephos_core::Page<$kind>> {
                let (rules, given) = ($crate::filters::RULES, self.filters.as_deref());
                let describe = $describe::new()
                    $(.$param(self.$param.clone()))+
                    .filters(rules.with_pushed::<$kind, _>(given, &request.filter))
                    .max_results(self.max_results)
                    .next_token(request.token.clone());
                let mut found = steps.call(describe).await?;
                let next_token = found.next_token.take();
                Ok(::nephos_core::Page { items: $models(found), next_token })
            }
        }

        /// The one with that ID, which must exist.
        async fn found(
            steps: &::nephos_core::Steps,
            id: ::nephos_core::Text,
        ) -> ::nephos_core::Result<$kind> {
            let found = steps.call($describe::new().$ids(vec![id])).await?;
            $models(found).pop().ok_or_else($crate::calls::missing::<$member>)
        }

        /// Changes the tags: those that differ from what the model was read with.
        #[::nephos_core::operation(
            kind = $kind, call = "update", case = "snake", effect = write, output = $kind
        )]
        pub struct Update {
            /// The model.
            #[field(model)]
            pub model: $kind,
        }

        impl ::nephos_core::Steppable for Update {
            async fn run(&self, steps: &::nephos_core::Steps) -> ::nephos_core::Result<$kind> {
                let id = $crate::network::given(self.model.$id.as_ref(), $name)?;
                ::nephos_core::Resource::check_changes(&self.model)?;
                ::nephos_core::tags::retag::<$crate::tagging::Tagging>(steps, &id, &self.model).await?;
                found(steps, id).await
            }
        }
    };
}

/// Declares the call `create` of a kind's manager: an operation with the fields of the model, and its tags.
macro_rules! create_call {
    (
        $(#[$docs:meta])+
        $kind:ident, kept as $member:ident, created by $create:ident => |$steps:ident, $created:ident| $made:expr
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

        impl ::nephos_core::Steppable for Create {
            async fn run(&self, $steps: &::nephos_core::Steps) -> ::nephos_core::Result<$kind> {
                let create: $create = ::nephos_core::FromModel::from_model(&self.model)?;
                let tags = $crate::TagSpecification::of::<$member>(&self.model.tags);
                let $created = $steps.call(create.tag_specifications(tags)).await?;
                $made.ok_or_else($crate::calls::missing::<$member>)
            }
        }
    };
}

pub(super) use {calls, create_call};

/// The service does not tell of what must be there.
pub(super) fn missing<M: Member>() -> Error {
    M::NOT_FOUND.because(format!("there is no such {}", M::RESOURCE.replace('-', " ")))
}
