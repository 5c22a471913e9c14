//! Pagination: pages of rows and of lists, by the token and page size parameters of the operation.

use crate::{Key, Parts, Stored, Tx, rows};
use nephos_core::{
    Operation, Ref, Result, SignedDuration, Text, json,
    record::Fields,
    shape::{FieldShape, OperationShape, Paging, Rule},
};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Page size if neither the caller nor the range of the parameter has one.
const DEFAULT_PAGE_SIZE: usize = 100;

/// A listing whose type is not known: its parameters, and the shape of its operation.
#[derive(Clone, Copy)]
struct Query<'q> {
    params: &'q dyn Fields,
    operation: &'static OperationShape,
}

impl<'q> Query<'q> {
    fn new<O: Operation>(params: &'q O) -> Self {
        Self { params, operation: O::OPERATION }
    }

    /// Returns the pagination parameter with this role, and its value.
    fn parameter(&self, part: Paging) -> Option<(&'static FieldShape, Ref<'q>)> {
        let fields = self.params.shape().fields;
        let index = fields.iter().position(|field| field.details.paging == Some(part))?;
        Some((&fields[index], self.params.field(index).view()))
    }

    /// Maximum number of items on a page: the page size of the caller, the default of the operation, or the largest that is
    /// allowed.
    fn page_size(&self) -> usize {
        let Some((field, given)) = self.parameter(Paging::Size) else { return DEFAULT_PAGE_SIZE };
        let max = field.rules.iter().find_map(|rule| match rule {
            Rule::Range { max, .. } => usize::try_from(*max).ok().filter(|_| *max < i64::MAX),
            _ => None,
        });
        let max = max.unwrap_or(DEFAULT_PAGE_SIZE);
        match given {
            Ref::Int(size) => usize::try_from(size).map_or(max, |size| size.clamp(1, max)),
            _ => field.details.default_page_size.unwrap_or(max),
        }
    }

    /// Serializes the parameters without those of pagination: the result is the same for all pages.
    fn fingerprint(&self) -> Vec<u8> {
        let fields = self.params.shape().fields;
        let is_given = |index: usize| !self.params.field(index).view().is_null();
        let paging =
            (0..fields.len()).filter(|&index| fields[index].details.paging.is_some() && is_given(index));
        let mut common = None;
        for index in paging {
            common.get_or_insert_with(|| self.params.boxed_clone()).field_mut(index).clear();
        }
        let mut text = self.operation.name.as_bytes().to_vec();
        let common = common.as_deref().unwrap_or(self.params);
        json::write_to(&mut text, Ref::Record(common), json::Writing::EXPOSED);
        text
    }
}

/// Maximum number of items on a page of `query`: the page size of the caller, or the largest that is allowed.
pub fn page_size<O: Operation>(query: &O) -> usize {
    Query::new(query).page_size()
}

impl Tx<'_> {
    /// Returns one page of the rows whose keys have the prefix `prefix`, and the token of the next page. `convert` turns a row
    /// into an item, or skips it with `None`.
    pub fn page_rows<R: Stored, T>(
        &self,
        query: &impl Operation,
        prefix: &Key,
        convert: impl FnMut(R) -> Result<Option<T>>,
    ) -> Result<(Vec<T>, Option<Text>)> {
        self.page_rows_in(query, prefix, Direction::Ascending, convert)
    }

    /// Returns one page of rows as [`page_rows`](Self::page_rows) does, in this direction.
    pub fn page_rows_in<R: Stored, T>(
        &self,
        query: &impl Operation,
        prefix: &Key,
        direction: Direction,
        mut convert: impl FnMut(R) -> Result<Option<T>>,
    ) -> Result<(Vec<T>, Option<Text>)> {
        let (table, restore) = (R::table(self.scope()), R::restorer(self.scope()));
        let mut range = prefix.prefix_range();
        let query = Query::new(query);
        if let Some(position) = self.page_start(query)? {
            range = range.after(&[table.as_bytes(), &position].concat(), direction);
        }
        let size = query.page_size();
        let (mut found, mut last, mut more) = (Vec::new(), Vec::new(), false);
        self.scan_keys(&range, direction, |key, row| {
            let mut record = R::blank();
            rows::decode_into(&mut record, row)?;
            restore(&mut record, Parts::after(key, &table));
            let Some(item) = convert(record)? else { return Ok(ControlFlow::Continue(())) };
            if found.len() == size {
                more = true;
                return Ok(ControlFlow::Break(()));
            }
            found.push(item);
            last.clear();
            last.extend_from_slice(&key[table.as_bytes().len()..]);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((found, more.then(|| self.sign_token(query, &last))))
    }

    // The next two are loops and no chains of iterators, because each listing has a copy of them.

    /// Returns one page of `items`, which must be in ascending order of their positions, and the token of the next page.
    pub fn page_items<T>(
        &self,
        query: &impl Operation,
        items: impl IntoIterator<Item = T>,
        position: impl Fn(&T) -> Text,
    ) -> Result<(Vec<T>, Option<Text>)> {
        let query = Query::new(query);
        let (start, size) = (self.page_start(query)?, query.page_size());
        let (mut page, mut last) = (Vec::new(), Text::const_new(""));
        for item in items {
            let at = position(&item);
            if start.as_deref().is_some_and(|start| at.as_bytes() <= start) {
                continue;
            }
            if page.len() == size {
                return Ok((page, Some(self.sign_token(query, last.as_bytes()))));
            }
            page.push(item);
            last = at;
        }
        Ok((page, None))
    }

    /// Returns one page of `items` in their order, and the token of the next page.
    pub fn page_list<T>(
        &self,
        query: &impl Operation,
        items: impl IntoIterator<Item = T>,
    ) -> Result<(Vec<T>, Option<Text>)> {
        let query = Query::new(query);
        let (passed, size) = (self.passed_items(query)?, query.page_size());
        let (mut page, mut items) = (Vec::new(), items.into_iter());
        if let Some(last) = passed.checked_sub(1) {
            // Items of earlier pages are skipped without a look at each.
            items.nth(last);
        }
        for item in items {
            if page.len() == size {
                let position = format!("{:06}", passed + size - 1);
                return Ok((page, Some(self.sign_token(query, position.as_bytes()))));
            }
            page.push(item);
        }
        Ok((page, None))
    }

    /// Number of items on earlier pages of a list. The position of an item is its number.
    fn passed_items(&self, query: Query<'_>) -> Result<usize> {
        let Some(last) = self.page_start(query)? else { return Ok(0) };
        Ok(str::from_utf8(&last).ok().and_then(|last| last.parse::<usize>().ok()).map_or(0, |last| last + 1))
    }

    /// Creates the token of the page after `position`. It is valid for this account, Region and query, for 24 hours.
    pub fn page_token(&self, query: &impl Operation, position: &str) -> Text {
        self.sign_token(Query::new(query), position.as_bytes())
    }

    /// Returns the position of the last item of the previous page; `None` on the first page.
    pub fn page_after(&self, query: &impl Operation) -> Result<Option<Text>> {
        let Some(position) = self.page_start(Query::new(query))? else { return Ok(None) };
        let wrong = |_| {
            nephos_core::Error::new(
                nephos_core::ErrorKind::Internal,
                "the position in a pagination token is not UTF-8",
            )
        };
        String::from_utf8(position).map(|position| Some(position.into())).map_err(wrong)
    }

    fn sign_token(&self, query: Query<'_>, position: &[u8]) -> Text {
        let expires = self.now + SignedDuration::from_hours(24);
        self.tokens().seal(&self.scope, &query.fingerprint(), expires, position)
    }

    fn page_start(&self, query: Query<'_>) -> Result<Option<Vec<u8>>> {
        let Some((field, given)) = query.parameter(Paging::Token) else { return Ok(None) };
        let Some(token) = given.as_text() else { return Ok(None) };
        let position = self.tokens().open(&self.scope, &query.fingerprint(), self.now, token);
        let refused = |error: nephos_core::Error| {
            ((query.operation.service)().invalid_token)().with_field(field.name).with_hint(error.message())
        };
        position.map(Some).map_err(refused)
    }
}
