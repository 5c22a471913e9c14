//! The memory backend: a persistent ordered map, so that snapshots and forks share unchanged rows.

use crate::{
    Direction, Error, Health, Key, KeyRange, Result, Row, Snapshot, Stats, Value, View,
    backend::{Backend, Progress, Replacement},
    overlay::{self, Change},
    pending::{Work, check_not_in_transaction},
    stats::Counters,
    sync::{Mutex, lock, try_lock},
    txn::Writes,
    view::Visitor,
};
use imbl::OrdMap;
use std::{
    collections::VecDeque,
    ops::ControlFlow,
    panic::{AssertUnwindSafe, catch_unwind},
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
    /// Transactions that wait for their turn.
    waiting: Mutex<VecDeque<Box<dyn Work>>>,
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
            waiting: Mutex::default(),
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

    /// Runs the waiting transactions, unless another thread runs one: that thread runs them as well. So no thread waits for
    /// another, and a task goes on with something else until its transaction has run.
    fn run_waiting(&self) {
        loop {
            let Some(turn) = try_lock(&self.turn) else { return };
            let next = lock(&self.waiting).pop_front();
            let Some(mut work) = next else {
                drop(turn);
                // One that was added before the lock was released has found it taken.
                if lock(&self.waiting).is_empty() {
                    return;
                }
                continue;
            };
            let committed = self.check_open().map(|()| self.run(&mut *work));
            drop(turn);
            // A panic of the caller's code here must not end the transactions of others.
            let _ = catch_unwind(AssertUnwindSafe(|| work.finish(committed)));
        }
    }

    /// Runs a transaction, whose turn it is.
    fn run(&self, work: &mut dyn Work) {
        let base = lock(&self.state).clone();
        let writes = work.run(&base, self.run_twice);
        // If it stayed shared, every write would copy its path in the map.
        drop(base);
        let written = u64::from(!writes.is_empty());
        self.counters.record_group(written, 1 - written);
        self.apply(writes);
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

/// Runs the transactions that waited for a longer turn, after it.
struct RunWaiting<'m>(&'m Memory);

impl Drop for RunWaiting<'_> {
    fn drop(&mut self) {
        self.0.run_waiting();
    }
}

impl Backend for Memory {
    fn submit(&self, work: Box<dyn Work>) {
        lock(&self.waiting).push_back(work);
        self.run_waiting();
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
        let _waiting = RunWaiting(self);
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
        let _waiting = RunWaiting(self);
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

#[cfg(all(test, not(shuttle)))]
mod tests {
    use crate::{Result, Store, View};
    use std::{
        pin::pin,
        sync::mpsc,
        task::{Context, Poll, Waker},
        thread,
    };

    #[test]
    fn task_does_not_block_while_another_thread_runs_a_transaction() {
        let store = Store::in_memory();
        let (enter, entered) = mpsc::channel();
        let (leave, left) = mpsc::channel();
        let first = store.transact(move |txn| {
            enter.send(()).unwrap();
            left.recv().unwrap();
            txn.put(b"a", b"1")
        });
        let running = thread::spawn(move || first.wait());
        entered.recv().unwrap();
        let mut second = pin!(store.transact(|txn| txn.get(b"a")));
        let mut poll =
            || -> Poll<Result<_>> { second.as_mut().poll(&mut Context::from_waker(Waker::noop())) };
        assert!(poll().is_pending());
        leave.send(()).unwrap();
        running.join().unwrap().unwrap();
        // The thread of the first transaction has run the second one, too.
        assert!(matches!(poll(), Poll::Ready(Ok(Some(value))) if *value == *b"1"));
    }
}
