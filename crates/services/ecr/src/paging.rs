//! Pagination of listings.

use crate::errors;
use nephos_cloud::{Stored, Tx};
use nephos_core::{Operation, Record, Result, Text};

/// Pagination of an operation.
#[derive(Record)]
#[record(shared, case = "camel")]
pub struct Page {
    /// Pagination token of the previous page.
    #[field(page_token)]
    next_token: Option<Text>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size = 100, range(1..=1000))]
    max_results: Option<i64>,
}

/// Returns the rows that are named by the parameter `member`, which are not paginated, or a page of all rows of the registry.
pub(crate) fn page_named_or_all<R: Stored>(
    cx: &Tx<'_>,
    operation: &impl Operation,
    member: &str,
    names: Option<&[Text]>,
    require: impl Fn(&Tx<'_>, &str) -> Result<R>,
) -> Result<(Vec<R>, Option<Text>)> {
    let Some(names) = names else {
        return cx.page_rows(operation, &R::table(cx.scope()), |row: R| Ok(Some(row)));
    };
    refuse(operation, member)?;
    Ok((names.iter().map(|name| require(cx, name)).collect::<Result<_>>()?, None))
}

/// Refuses parameters of pagination, which cannot be combined with the parameter `member`.
pub(crate) fn refuse(operation: &impl Operation, member: &str) -> Result<()> {
    for (index, field) in operation.shape().fields.iter().enumerate() {
        if field.details.paging.is_some() && !operation.field(index).view().is_null() {
            let reason = format!("can't be used when {member} are specified");
            return Err(errors::invalid_parameter(field.wire, reason).with_field(field.name));
        }
    }
    Ok(())
}
