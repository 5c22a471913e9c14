//! Listings: the parameters and the pages of operations that list, and the call `list` of managers.

use nephos_cloud::{Key, Stored, Tx};
use nephos_core::{AnyPredicate, Lookup, Operation, Record, Result, Text};
use nephos_store::Direction;

/// The size of a page.
#[derive(Record)]
#[record(shared)]
pub struct Limit {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size, wire = "limit", in_query, range(1..))]
    limit: Option<i64>,
}

/// The place of a page.
#[derive(Record)]
#[record(shared)]
pub struct Token {
    /// Pagination token of the previous page.
    #[field(page_token, wire = "nextToken", in_query)]
    next_token: Option<Text>,
}

/// One page of the rows within a key, in order, and the token of the next page: what `take` makes of them, where it makes
/// anything. Only rows whose next part of the key has the prefix are read.
pub(super) fn page<R: Stored, T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    within: Key,
    prefix: Option<&Text>,
    take: impl FnMut(R) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    let within = prefix.into_iter().fold(within, |within, prefix| within.text_prefix(prefix));
    cx.page_rows(query, &within, Direction::Ascending, take)
}

/// The prefix of the text of `field` in everything that passes `filter`, if the filter requires one.
pub(super) fn required_prefix(filter: &AnyPredicate, field: &str) -> Option<Text> {
    let tests = filter.required_tests();
    let named = tests.into_iter().filter(|test| matches!(test.path(), [only] if only == field));
    let mut texts = named.filter_map(|test| match test.lookup() {
        Lookup::StartsWith | Lookup::Exact => test.value().as_text(),
        _ => None,
    });
    texts.next().filter(|text| !text.is_empty()).map(Text::new)
}

/// Declares an operation that lists resources of a kind, and `List`, the call of the kind's manager.
///
/// A prefix that the caller of `List` leaves out is what the filter of the results requires, so that less is fetched.
macro_rules! listing {
    (
        $(#[$($docs:tt)*])*
        $list:ident($($attributes:tt)*) -> $output:ident { $items:ident: $kind:ident },
        prefixes($($prefix:ident of $field:literal),+) { $($parameters:tt)* }
    ) => {
        $(#[$($docs)*])*
        #[operation(
            service = SERVICE, also(paging::Limit, paging::Token), effect = read, output = $output, $($attributes)*
        )]
        pub struct $list { $($parameters)* }

        $(#[$($docs)*])*
        #[operation(
            kind = $kind, call = "list", also(paging::Limit), effect = read, output = nephos_core::Page<$kind>, pages
        )]
        pub struct List { $($parameters)* }

        impl nephos_core::Listing for List {
            type Model = $kind;

            async fn page(
                &self,
                steps: &nephos_core::Steps,
                request: &nephos_core::PageRequest,
            ) -> Result<nephos_core::Page<$kind>> {
                let mut list = $list::from_given(self.clone());
                list.next_token = request.token.clone();
                $(list.$prefix = list.$prefix.or_else(|| paging::required_prefix(&request.filter, $field));)+
                let found = steps.call(list).await?;
                let mut items = found.$items.unwrap_or_default();
                // Items do not repeat what is said of the whole listing, such as the registry of schemas.
                items.iter_mut().for_each(|item| item.take_given(&mut self.clone()));
                Ok(nephos_core::Page { items, next_token: found.next_token })
            }
        }
    };
}

pub(super) use listing;
