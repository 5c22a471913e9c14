//! Pagination of listings.

use nephos_core::{Record, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared)]
pub struct Page {
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    limit: Option<i64>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=1024))]
    marker: Option<Text>,
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
            /// Pagination token of the next page.
            pub(crate) next_marker: Option<nephos_core::Text>,
            /// True if there is another page.
            truncated: Option<bool>,
        }

        impl From<(Vec<$item>, Option<nephos_core::Text>)> for $name {
            fn from((items, next_marker): (Vec<$item>, Option<nephos_core::Text>)) -> Self {
                Self { $items: Some(items), truncated: Some(next_marker.is_some()), next_marker }
            }
        }
    };
}
pub(crate) use page;
