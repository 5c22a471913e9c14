//! Pages of listings: in order of a key, after where the page before ended.

use crate::{Key, Stored, Tx};
use nephos_core::{Operation, Result, Text};
use nephos_store::Direction;
use std::ops::ControlFlow;

/// Which records a page is made of.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// The keys to look at.
    pub within: &'a Key,
    /// Where the page before ended.
    pub token: Option<&'a str>,
    /// How many at most.
    pub size: usize,
    /// The order of the keys.
    pub direction: Direction,
}

impl Tx<'_> {
    /// One page of `query`, and the token of the next: what `take` makes of the records, where it makes anything; `key` is
    /// the key at a position, `place` the position of a record.
    pub fn page<R: Stored, T>(
        &self,
        query: &impl Operation,
        wanted: Wanted<'_>,
        key: impl Fn(&str) -> Key,
        place: impl Fn(&R) -> Text,
        mut take: impl FnMut(R) -> Result<Option<T>>,
    ) -> Result<(Vec<T>, Option<Text>)> {
        let mut range = wanted.within.within();
        if let Some(position) = self.page_position(query, wanted.token)? {
            range = range.after(key(&position).as_bytes(), wanted.direction);
        }
        let (mut found, mut last, mut more, mut failed) = (Vec::new(), Text::default(), false, None);
        self.scan::<R>(self.scope(), &range, wanted.direction, |record| {
            let at = place(&record);
            match take(record) {
                Ok(None) => return ControlFlow::Continue(()),
                Ok(Some(_)) if found.len() == wanted.size => more = true,
                Ok(Some(item)) => {
                    found.push(item);
                    last = at;
                    return ControlFlow::Continue(());
                }
                Err(error) => failed = Some(error),
            }
            ControlFlow::Break(())
        })?;
        match failed {
            Some(error) => Err(error),
            None => Ok((found, more.then(|| self.page_token(query, &last)))),
        }
    }
}
