//! Changes on top of an unchanged state: the writes of a transaction or of a fork.

use crate::{Direction, Key, KeyRange, Result, Value, View, txn::Writes, view::Visitor};
use std::{
    cmp::Ordering,
    ops::ControlFlow::{Break, Continue},
};

/// Change of a key: a new value, or removal.
pub type Change = Option<Value>;

/// A state with changes that are not written yet.
pub struct Overlay<'a> {
    base: &'a dyn View,
    writes: Writes,
}

impl<'a> Overlay<'a> {
    /// Creates an overlay of `base` without changes.
    pub fn new(base: &'a dyn View) -> Self {
        Self { base, writes: Writes::new() }
    }

    /// Adds changes, which replace earlier ones of the same keys.
    pub fn apply(&mut self, writes: Writes) {
        self.writes.extend(writes);
    }

    /// Returns all changes.
    pub fn into_writes(self) -> Writes {
        self.writes
    }

    pub(crate) fn writes_mut(&mut self) -> &mut Writes {
        &mut self.writes
    }

    pub(crate) fn len(&self) -> usize {
        self.writes.len()
    }
}

impl View for Overlay<'_> {
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
            Direction::Ascending => scan_merged(self.base, changes, range, direction, visit),
            Direction::Descending => scan_merged(self.base, changes.rev(), range, direction, visit),
        }
    }
}

impl std::fmt::Debug for Overlay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Overlay").field("writes", &self.writes.len()).finish_non_exhaustive()
    }
}

/// Scans `base` with `changes` applied; these are the changes within `range`, in scan order.
pub(crate) fn scan_merged<'a>(
    base: &dyn View,
    changes: impl Iterator<Item = (&'a Key, &'a Change)>,
    range: &KeyRange,
    direction: Direction,
    visit: &mut Visitor<'_>,
) -> Result<()> {
    let mut changes = changes.peekable();
    let mut stopped = false;
    base.scan(range, direction, &mut |key, value| {
        while let Some(&(changed, change)) = changes.peek() {
            let order = match direction {
                Direction::Ascending => (**changed).cmp(key),
                Direction::Descending => key.cmp(&**changed),
            };
            if order == Ordering::Greater {
                break;
            }
            changes.next();
            if let Some(new) = change
                && visit(changed, new).is_break()
            {
                stopped = true;
                return Break(());
            }
            if order == Ordering::Equal {
                return Continue(());
            }
        }
        let flow = visit(key, value);
        stopped = flow.is_break();
        flow
    })?;
    if !stopped {
        for (key, change) in changes {
            if let Some(new) = change
                && visit(key, new).is_break()
            {
                break;
            }
        }
    }
    Ok(())
}
