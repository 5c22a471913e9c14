//! The memory backend: a persistent ordered map, so that snapshots and forks share unchanged rows.

use crate::{
    Direction, Error, Health, Key, KeyRange, Result, Row, Snapshot, Stats, Value, View,
    backend::{Backend, Progress, Replacement},
    overlay::{self, Change},
    pending::{Work, check_not_in_transaction},
    stats::Counters,
    sync::{Mutex, lock},
    txn::Writes,
    view::Visitor,
};
use imbl::OrdMap;
use std::{
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::Waker,
};

/// Maximum number of writes made in place, while readers wait a few microseconds; more are made on a copy that then
/// replaces the state.
const MAX_IN_PLACE_WRITES: usize = 64;

pub(crate) struct Memory {
    /// Lock held by the one running transaction.
    turn: Mutex<()>,
    state: Mutex<Layers>,
    run_twice: bool,
    closed: AtomicBool,
    counters: Counters,
}

/// Rows on top of the snapshot that a fork of a file started with.
#[derive(Clone, Default)]
struct Layers {
    base: Option<Snapshot>,
    /// Rows and removals; without a base there are no removals.
    rows: OrdMap<Key, Change>,
}

impl Memory {
    pub(crate) fn new(run_twice: bool) -> Self {
        Self::from_layers(Layers::default(), run_twice)
    }

    /// Creates a store that starts with the rows of `base` and does not change it.
    pub(crate) fn fork_from(base: Snapshot, run_twice: bool) -> Self {
        Self::from_layers(Layers { base: Some(base), rows: OrdMap::new() }, run_twice)
    }

    /// Creates a store with the rows of `source`.
    pub(crate) fn copy_of(source: &Snapshot) -> Result<Self> {
        let mut rows = OrdMap::new();
        source.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            rows.insert(key.into(), Some(value.into()));
            ControlFlow::Continue(())
        })?;
        Ok(Self::from_layers(Layers { base: None, rows }, false))
    }

    /// Creates a store that starts with the rows of this one.
    pub(crate) fn fork(&self) -> Result<Self> {
        Ok(Self::from_layers(self.layers()?, self.run_twice))
    }

    fn from_layers(layers: Layers, run_twice: bool) -> Self {
        Self {
            turn: Mutex::new(()),
            state: Mutex::new(layers),
            run_twice,
            closed: AtomicBool::new(false),
            counters: Counters::default(),
        }
    }

    fn check_open(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) { Err(Error::closed()) } else { Ok(()) }
    }

    /// Returns the newest state. Checks for closing under the lock, so that the emptied state is never returned.
    fn layers(&self) -> Result<Layers> {
        let state = lock(&self.state);
        self.check_open()?;
        Ok(state.clone())
    }

    /// Writes `rows`.
    pub(crate) fn put_rows(&self, rows: &[Row]) {
        self.apply(rows.iter().map(|row| (row.key().into(), Some(row.value().into()))).collect());
    }

    fn apply(&self, writes: Writes) {
        if writes.len() <= MAX_IN_PLACE_WRITES {
            lock(&self.state).apply(writes);
        } else {
            let mut next = lock(&self.state).clone();
            next.apply(writes);
            *lock(&self.state) = next;
        }
    }
}

impl Backend for Memory {
    fn submit(&self, mut work: Box<dyn Work>) {
        let turn = lock(&self.turn);
        // The store may have been closed while this call waited for the lock.
        if let Err(closed) = self.check_open() {
            drop(turn);
            return work.finish(Err(closed));
        }
        let base = lock(&self.state).clone();
        let writes = work.run(&base, self.run_twice);
        // If it stayed shared, every write would copy its path in the map.
        drop(base);
        let written = u64::from(!writes.is_empty());
        self.counters.record_group(written, 1 - written);
        self.apply(writes);
        drop(turn);
        work.finish(Ok(()));
    }

    fn try_submit(&self, work: Box<dyn Work>, _waker: &Waker) -> Result<(), Box<dyn Work>> {
        self.submit(work);
        Ok(())
    }

    fn snapshot(&self) -> Result<Snapshot> {
        Ok(Snapshot::new(Arc::new(self.layers()?)))
    }

    fn stats(&self) -> Result<Stats> {
        Ok(self.counters.read())
    }

    fn rewrite(&self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()> {
        check_not_in_transaction()?;
        let _turn = lock(&self.turn);
        self.check_open()?;
        let source = match with {
            Some(replacement) => replacement.merge(&self.snapshot()?)?,
            None => self.snapshot()?,
        };
        let mut rows = OrdMap::new();
        let mut done = 0;
        source.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            rows.insert(key.into(), Some(value.into()));
            done += 1;
            progress(done);
            ControlFlow::Continue(())
        })?;
        *lock(&self.state) = Layers { base: None, rows };
        Ok(())
    }

    fn check(&self) -> Result<Health> {
        self.check_open().map(|()| Health::Sound)
    }

    fn flush(&self) -> Result<()> {
        self.check_open()
    }

    fn close(&self) -> Result<()> {
        check_not_in_transaction()?;
        self.closed.store(true, Ordering::Release);
        let _last_turn = lock(&self.turn);
        *lock(&self.state) = Layers::default();
        Ok(())
    }
}

impl Layers {
    fn apply(&mut self, writes: Writes) {
        for (key, change) in writes {
            if change.is_none() && self.base.is_none() {
                self.rows.remove(&key);
            } else {
                self.rows.insert(key, change);
            }
        }
    }
}

impl View for Layers {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        match (self.rows.get(key), &self.base) {
            (Some(change), _) => Ok(change.clone()),
            (None, Some(base)) => base.get(key),
            (None, None) => Ok(None),
        }
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        if range.is_empty() {
            return Ok(());
        }
        let rows = self.rows.range::<_, [u8]>(range.bounds());
        match direction {
            Direction::Ascending => self.scan_rows(rows, range, direction, visit),
            Direction::Descending => self.scan_rows(rows.rev(), range, direction, visit),
        }
    }
}

impl Layers {
    fn scan_rows<'a>(
        &self,
        rows: impl Iterator<Item = (&'a Key, &'a Change)>,
        range: &KeyRange,
        direction: Direction,
        visit: &mut Visitor<'_>,
    ) -> Result<()> {
        if let Some(base) = &self.base {
            return overlay::scan_merged(base, rows, range, direction, visit);
        }
        for (key, value) in rows {
            if let Some(value) = value
                && visit(key, value).is_break()
            {
                break;
            }
        }
        Ok(())
    }
}
