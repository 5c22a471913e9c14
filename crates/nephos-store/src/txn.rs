//! A running transaction: reads of one state, and writes that are not yet visible to others.

use crate::{
    Direction, Error, ErrorKind, Key, KeyRange, Result, Value, View,
    overlay::{Change, Overlay},
    view::Visitor,
};
use std::collections::BTreeMap;

/// Maximum length of a key, in every backend.
pub const MAX_KEY_BYTES: usize = 8 << 10;

/// Maximum length of a value, in every backend.
pub const MAX_VALUE_BYTES: usize = 64 << 20;

/// Writes of a finished transaction: per key a new value, or removal.
pub type Writes = BTreeMap<Key, Change>;

/// A running transaction: it reads the state it started with, and its own writes.
///
/// The writes are buffered until the transaction's code returns; then all of them are made, or, if it returned an
/// error, none.
pub struct Txn<'a>(Overlay<'a>);

impl<'a> Txn<'a> {
    pub(crate) fn new(base: &'a dyn View) -> Self {
        Self(Overlay::new(base))
    }

    pub(crate) fn into_writes(self) -> Writes {
        self.0.into_writes()
    }

    /// Writes `value` at `key`, replacing an existing value.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        check_size("key", key.len(), MAX_KEY_BYTES)?;
        check_size("value", value.len(), MAX_VALUE_BYTES)?;
        self.0.writes_mut().insert(key.into(), Some(value.into()));
        Ok(())
    }

    /// Removes the row at `key`, if there is one.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        check_size("key", key.len(), MAX_KEY_BYTES)?;
        self.0.writes_mut().insert(key.into(), None);
        Ok(())
    }
}

fn check_size(name: &str, len: usize, max: usize) -> Result<()> {
    if len <= max {
        return Ok(());
    }
    Err(Error::new(ErrorKind::TooLarge, format!("a {name} can have at most {max} bytes, got {len}")))
}

impl View for Txn<'_> {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        self.0.get(key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        self.0.scan(range, direction, visit)
    }
}

impl std::fmt::Debug for Txn<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Txn").field("writes", &self.0.len()).finish_non_exhaustive()
    }
}

/// A row that a transaction changed, or would change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowChange {
    /// Key of the row.
    pub key: Key,
    /// Old value; `None` if the row is new.
    pub before: Option<Value>,
    /// New value; `None` if the row was removed.
    pub after: Option<Value>,
}

/// Returns the rows of `base` that `writes` would change, without those that stay the same.
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
