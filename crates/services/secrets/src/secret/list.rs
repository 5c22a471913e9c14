//! Listings of secrets, in several sort orders.

use crate::{
    Secret, SecretManager, SecretRow,
    secret::{
        access,
        filters::{self, SecretsFilter},
    },
};
use nephos_cloud::{Direction, Handler, Stored, Tx, page_size};
use nephos_core::{AnyPredicate, Operation, Record, Result, Text, Timestamp, choices, operation};
use std::ops::ControlFlow;

choices! {
    /// Sort order of a listing.
    pub enum SortOrder {
        /// Smallest or oldest first.
        Ascending = "asc",
        /// Largest or newest first.
        Descending = "desc",
    }
}

choices! {
    /// Field that a listing is sorted by.
    pub enum SortBy {
        /// Time of creation.
        CreatedDate = "created-date",
        /// Day on which a value was last read.
        LastAccessedDate = "last-accessed-date",
        /// Time of the last change.
        LastChangedDate = "last-changed-date",
        /// Name.
        Name = "name",
    }
}

/// Row of the index by time of creation; all its fields are in its key.
#[derive(Record)]
#[record(row)]
pub(crate) struct CreationRow {
    /// Time of creation, in microseconds since 1970.
    micros: Option<i64>,
    /// Name of the secret.
    name: Option<Text>,
}

nephos_cloud::stored!(CreationRow in "secretsmanager/created" by micros, name);

impl CreationRow {
    fn new(secret: &SecretRow) -> Self {
        Self { micros: secret.created_date.map(Timestamp::as_microsecond), name: secret.name.clone() }
    }
}

/// Adds a new secret to the index by time of creation.
pub(crate) fn index(cx: &mut Tx<'_>, secret: &SecretRow) -> Result<()> {
    cx.put(CreationRow::new(secret))
}

/// Removes a secret from the index by time of creation.
pub(crate) fn unindex(cx: &mut Tx<'_>, secret: &SecretRow) -> Result<()> {
    cx.remove(&CreationRow::new(secret))
}

/// Formats the position of a secret in an order by time, then by name.
fn position(micros: i64, name: &str) -> Text {
    format!("{micros} {name}").into()
}

/// Parses a position that `position` formatted.
fn parse_position(position: &str) -> (i64, &str) {
    let (micros, name) = position.split_once(' ').unwrap_or(("", position));
    (micros.parse().unwrap_or_default(), name)
}

/// Reads one page of `query`: the items that `take` returns for the secrets, and the pagination token of the next page.
pub(crate) fn page<T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    by: &SortBy,
    direction: Direction,
    mut take: impl FnMut(SecretRow) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    let secrets = SecretRow::table(cx.scope());
    match by {
        SortBy::Name => cx.page_rows_in(query, &secrets, direction, take),
        SortBy::CreatedDate | SortBy::Unknown(_) => {
            cx.page_rows_in(query, &CreationRow::table(cx.scope()), direction, |created: CreationRow| {
                let name = created.name.unwrap_or_default();
                let secret = cx.get::<SecretRow>(&secrets.clone().text(&name))?;
                secret.map_or(Ok(None), &mut take)
            })
        }
        SortBy::LastAccessedDate | SortBy::LastChangedDate => sorted_page(cx, query, by, direction, take),
    }
}

/// Reads one page in an order that has no index: sorts all secrets first.
fn sorted_page<T>(
    cx: &Tx<'_>,
    query: &impl Operation,
    by: &SortBy,
    direction: Direction,
    mut take: impl FnMut(SecretRow) -> Result<Option<T>>,
) -> Result<(Vec<T>, Option<Text>)> {
    let (after, size) = (cx.page_after(query)?, page_size(query));
    let mut positions = Vec::new();
    cx.scan(
        cx.scope(),
        &SecretRow::table(cx.scope()).prefix_range(),
        Direction::Ascending,
        |secret: SecretRow| {
            positions
                .push((secret.last_changed_date.map_or(i64::MIN, Timestamp::as_microsecond), secret.name));
            ControlFlow::Continue(())
        },
    )?;
    if *by == SortBy::LastAccessedDate {
        for (micros, name) in &mut positions {
            let last = access::last_access(cx, name.as_deref().unwrap_or_default())?;
            *micros = last.map_or(i64::MIN, Timestamp::as_microsecond);
        }
    }
    positions.sort();
    if direction == Direction::Descending {
        positions.reverse();
    }
    let (mut found, mut last) = (Vec::new(), Text::default());
    for (micros, name) in &positions {
        let name = name.as_deref().unwrap_or_default();
        let passed = after.as_deref().map(parse_position).is_some_and(|after| match direction {
            Direction::Ascending => (*micros, name) <= after,
            Direction::Descending => (*micros, name) >= after,
        });
        if passed {
            continue;
        }
        let Some(secret) = cx.get::<SecretRow>(&SecretRow::table(cx.scope()).text(name))? else { continue };
        let Some(item) = take(secret)? else { continue };
        if found.len() == size {
            return Ok((found, Some(cx.page_token(query, &last))));
        }
        found.push(item);
        last = position(*micros, name);
    }
    Ok((found, None))
}

/// Lists secrets, the oldest first by default.
#[operation(
    of = Secret, call = "list", page(secret_list, next_token), pushdown(filters = add_name_filter), effect = read
)]
pub struct ListSecrets {
    /// True to include secrets that are scheduled for deletion.
    pub include_planned_deletion: Option<bool>,
    /// Maximum number of results on a page; 100 by default.
    #[field(page_size, range(1..=100))]
    pub max_results: Option<i64>,
    /// Filters; a secret must match all of them.
    #[field(length(..=10))]
    pub filters: Option<Vec<SecretsFilter>>,
    /// Sort order; ascending by default.
    pub sort_order: Option<SortOrder>,
    /// Field to sort by; the time of creation by default.
    pub sort_by: Option<SortBy>,
    /// Pagination token of the previous page.
    #[field(page_token, length(1..=4096))]
    pub next_token: Option<Text>,
}

impl Handler for ListSecrets {
    fn run(self, cx: &mut Tx<'_>) -> Result<Self::Output> {
        let cx = &*cx;
        let by = self.sort_by.as_ref().unwrap_or(&SortBy::CreatedDate);
        let direction = match self.sort_order {
            Some(SortOrder::Descending) => Direction::Descending,
            _ => Direction::Ascending,
        };
        let planned = self.include_planned_deletion == Some(true);
        let page = page(cx, &self, by, direction, |secret| {
            let listed = (planned || secret.deleted_date.is_none())
                && filters::match_all(self.filters.as_deref(), &secret);
            if listed { secret.into_model(cx).map(Some) } else { Ok(None) }
        })?;
        Ok(page.into())
    }
}

/// Adds a filter for the name prefix that `predicate` requires, if the service can express it and there is room for
/// another filter.
fn add_name_filter(
    filters: Option<Vec<SecretsFilter>>,
    predicate: &AnyPredicate,
) -> Option<Vec<SecretsFilter>> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_@/+=.-".contains(&byte);
    let prefix = predicate.required_prefix("Name");
    let prefix = prefix.filter(|text| text.len() <= 512 && text.bytes().all(plain));
    let room = filters.as_ref().is_none_or(|filters| filters.len() < 10);
    let Some(prefix) = prefix.filter(|_| room) else { return filters };
    let mut filters = filters.unwrap_or_default();
    filters.push(SecretsFilter::by_name_prefix(prefix));
    Some(filters)
}
