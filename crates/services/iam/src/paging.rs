//! Pagination of listings.

use nephos_core::{Record, Text};

/// Number of results on a page if the caller gives none.
pub(crate) const PAGE_SIZE: i64 = 100;

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token, length(1..))]
    marker: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    max_items: Option<i64>,
}

/// Declares the answer of a listing; it converts from the items and the pagination token of the next page.
macro_rules! page {
    ($(#[$attr:meta])* pub struct $name:ident { $items:ident: $item:ty }) => {
        #[derive(nephos_core::Record)]
        #[record(answer)]
        $(#[$attr])*
        pub struct $name {
            /// Items of the page.
            pub(crate) $items: Option<Vec<$item>>,
            /// True if there is another page.
            is_truncated: Option<bool>,
            /// Pagination token of the next page.
            pub(crate) marker: Option<nephos_core::Text>,
        }

        impl From<(Vec<$item>, Option<nephos_core::Text>)> for $name {
            fn from((items, marker): (Vec<$item>, Option<nephos_core::Text>)) -> Self {
                Self { $items: Some(items), is_truncated: Some(marker.is_some()), marker }
            }
        }
    };
}
pub(crate) use page;
