//! A transaction while it runs: reads of one state, and writes that nobody else sees yet.

use crate::{
    Direction, Error, ErrorKind, Key, KeyRange, Result, Value, View,
    overlay::{self, Change},
    view::Visitor,
};
use std::collections::BTreeMap;

/// The longest key that every backend takes.
pub const MAX_KEY_BYTES: usize = 8 << 10;

/// The largest value that every backend takes.
pub const MAX_VALUE_BYTES: usize = 64 << 20;

/// What a finished transaction asks for: per key a new value, or removal.
pub(crate) type Writes = BTreeMap<Key, Change>;

/// A running transaction: it reads the state it began with, and its own writes.
///
/// The writes are kept aside until the transaction's code returns; then they are made all together, or, if it
/// returned an error, not at all.
pub struct Txn<'a> {
    base: &'a dyn View,
    writes: Writes,
}

impl<'a> Txn<'a> {
    pub(crate) fn new(base: &'a dyn View) -> Self {
        Self { base, writes: Writes::new() }
    }

    pub(crate) fn into_writes(self) -> Writes {
        self.writes
    }

    /// Puts `value` at `key`, in place of what was there.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        fits("key", key.len(), MAX_KEY_BYTES)?;
        fits("value", value.len(), MAX_VALUE_BYTES)?;
        self.writes.insert(key.into(), Some(value.into()));
        Ok(())
    }

    /// Removes the row at `key`; a key that is absent stays absent.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        fits("key", key.len(), MAX_KEY_BYTES)?;
        self.writes.insert(key.into(), None);
        Ok(())
    }
}

fn fits(what: &str, len: usize, most: usize) -> Result<()> {
    if len <= most {
        return Ok(());
    }
    Err(Error::new(ErrorKind::TooLarge, format!("the {what} has {len} bytes; at most {most} fit")))
}

impl View for Txn<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        match self.writes.get(key) {
            Some(change) => Ok(change.clone()),
            None => self.base.get(key),
        }
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        if self.writes.is_empty() {
            return self.base.scan(range, direction, visit);
        }
        let changes = self.writes.range::<[u8], _>(range.bounds());
        match direction {
            Direction::Ascending => overlay::scan_over(self.base, changes, range, direction, visit),
            Direction::Descending => overlay::scan_over(self.base, changes.rev(), range, direction, visit),
        }
    }
}

impl std::fmt::Debug for Txn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Txn").field("writes", &self.writes.len()).finish_non_exhaustive()
    }
}

/// One row that a transaction changed, or would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    /// Where the row stands.
    pub key: Key,
    /// What it held; `None` if it is new.
    pub before: Option<Value>,
    /// What it holds now; `None` if it was removed.
    pub after: Option<Value>,
}

/// What `writes` would change in `base`: writes that leave a row as it was do not count.
pub(crate) fn row_changes(base: &dyn View, writes: Writes) -> Result<Vec<RowChange>> {
    let mut changes = Vec::new();
    for (key, after) in writes {
        let before = base.get(&key)?;
        if before != after {
            changes.push(RowChange { key, before, after });
        }
    }
    Ok(changes)
}
