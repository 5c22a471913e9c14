//! The read interface that snapshots and transactions share.

use crate::{Direction, KeyRange, Result};
use std::{ops::ControlFlow, sync::Arc};

/// A key: bytes, ordered bytewise.
pub type Key = Arc<[u8]>;

/// A value: bytes that the store does not interpret.
pub type Value = Arc<[u8]>;

/// A key with its value, in one allocation.
#[derive(Clone, PartialEq, Eq)]
pub struct Row {
    bytes: Box<[u8]>,
    key_len: usize,
}

impl Row {
    /// Creates a row from `key` and `value`.
    pub fn new(key: &[u8], value: &[u8]) -> Self {
        Self { bytes: [key, value].concat().into(), key_len: key.len() }
    }

    /// Key of the row.
    pub fn key(&self) -> &[u8] {
        &self.bytes[..self.key_len]
    }

    /// Value of the row.
    pub fn value(&self) -> &[u8] {
        &self.bytes[self.key_len..]
    }
}

impl std::fmt::Debug for Row {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Row").field("key", &self.key()).field("value", &self.value()).finish()
    }
}

/// Callback of a scan for each row; returns whether to continue.
pub type Visitor<'a> = dyn FnMut(&[u8], &[u8]) -> ControlFlow<()> + 'a;

/// A readable state: a [`Snapshot`](crate::Snapshot) or a [`Txn`](crate::Txn).
///
/// All reads of one view see the same state.
pub trait View {
    /// Returns the value at `key`.
    fn get(&self, key: &[u8]) -> Result<Option<Value>>;

    /// Calls `visit` for every row of `range`, in order, until it breaks off. No row is copied.
    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()>;

    /// Returns the first `limit` rows of `range` in `direction`.
    fn range(&self, range: &KeyRange, direction: Direction, limit: usize) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        if limit == 0 {
            return Ok(rows);
        }
        self.scan(range, direction, &mut |key, value| {
            rows.push(Row::new(key, value));
            if rows.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok(rows)
    }
}

/// A state of a store that later writes do not change.
///
/// Taking one is cheap; it neither waits for writers nor blocks them.
#[derive(Clone)]
pub struct Snapshot(Arc<dyn View + Send + Sync>);

impl Snapshot {
    /// Creates a snapshot from a view whose rows do not change.
    pub fn new(view: Arc<dyn View + Send + Sync>) -> Self {
        Self(view)
    }
}

impl View for Snapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        self.0.get(key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        self.0.scan(range, direction, visit)
    }
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Snapshot")
    }
}
