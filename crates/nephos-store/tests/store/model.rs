//! Random sequences of all operations of a store, compared step by step with a map.

use nephos_store::{
    Direction, Error, ErrorKind, KeyRange, OpenOptions, Result, Row, Snapshot, Store, Txn, View,
};
use nephos_store_testing::conformance::{Rows, rows};
use proptest::{collection::vec, option, prelude::*, sample::select};
use std::{
    ops::{Bound, RangeBounds},
    panic::resume_unwind,
    path::Path,
};

type Bytes = Vec<u8>;
type Bounds = (Bound<Bytes>, Bound<Bytes>);

/// An operation of a transaction.
#[derive(Clone, Debug)]
enum Op {
    Put(Bytes, Bytes),
    Delete(Bytes),
    Get(Bytes),
    Range(Bounds, Direction, usize),
}

/// End of a transaction.
#[derive(Clone, Copy, Debug)]
enum End {
    Commit,
    Refuse,
    Panic,
}

/// An operation on one of the stores: the origin, or one of its forks.
#[derive(Clone, Debug)]
enum Step {
    Transact(usize, Vec<Op>, End),
    Preview(usize, Vec<Op>),
    Snapshot(usize),
    Fork(usize),
    Compact(usize),
    SaveAndRestore(usize, usize),
    Flush(usize),
    Reopen,
}

fn key() -> impl Strategy<Value = Bytes> {
    vec(select(vec![0, b'a', 0xFF]), 0..=3)
}

fn bound() -> impl Strategy<Value = Bound<Bytes>> {
    prop_oneof![key().prop_map(Bound::Included), key().prop_map(Bound::Excluded), Just(Bound::Unbounded),]
}

fn op() -> impl Strategy<Value = Op> {
    let value = (any::<u8>(), select(vec![0, 1, 3, 1500])).prop_map(|(byte, len)| vec![byte; len]);
    let direction = select(vec![Direction::Ascending, Direction::Descending]);
    let limit = prop_oneof![0..4usize, Just(usize::MAX)];
    prop_oneof![
        4 => (key(), value).prop_map(|(key, value)| Op::Put(key, value)),
        2 => key().prop_map(Op::Delete),
        2 => key().prop_map(Op::Get),
        2 => ((bound(), bound()), direction, limit).prop_map(|(bounds, dir, limit)| Op::Range(bounds, dir, limit)),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let store = 0..4usize;
    let end = prop_oneof![6 => Just(End::Commit), 1 => Just(End::Refuse), 1 => Just(End::Panic)];
    prop_oneof![
        12 => (store.clone(), vec(op(), 0..8), end).prop_map(|(store, ops, end)| Step::Transact(store, ops, end)),
        2 => (store.clone(), vec(op(), 0..8)).prop_map(|(store, ops)| Step::Preview(store, ops)),
        2 => store.clone().prop_map(Step::Snapshot),
        2 => store.clone().prop_map(Step::Fork),
        1 => store.clone().prop_map(Step::Compact),
        1 => (store.clone(), store.clone()).prop_map(|(from, to)| Step::SaveAndRestore(from, to)),
        1 => store.prop_map(Step::Flush),
        1 => Just(Step::Reopen),
    ]
}

/// Result of a read.
#[derive(Clone, Debug, PartialEq)]
enum Found {
    Value(Option<Bytes>),
    Rows(Vec<(Bytes, Bytes)>),
}

/// Runs `ops` in a transaction; returns the results of the reads.
fn run(txn: &mut Txn<'_>, ops: &[Op]) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    for op in ops {
        match op {
            Op::Put(key, value) => txn.put(key, value)?,
            Op::Delete(key) => txn.delete(key)?,
            Op::Get(key) => found.push(Found::Value(txn.get(key)?.map(|value| value.to_vec()))),
            Op::Range(bounds, direction, limit) => {
                let rows = txn.range(&KeyRange::from_bounds(bounds.clone()), *direction, *limit)?;
                let pair = |row: Row| (row.key().to_vec(), row.value().to_vec());
                found.push(Found::Rows(rows.into_iter().map(pair).collect()));
            }
        }
    }
    Ok(found)
}

/// Runs `ops` on a map; returns the results of the reads.
fn run_on_model(rows: &mut Rows, ops: &[Op]) -> Vec<Found> {
    let mut found = Vec::new();
    for op in ops {
        match op {
            Op::Put(key, value) => drop(rows.insert(key.clone(), value.clone())),
            Op::Delete(key) => drop(rows.remove(key)),
            Op::Get(key) => found.push(Found::Value(rows.get(key).cloned())),
            Op::Range(bounds, direction, limit) => {
                let within = rows.iter().filter(|(key, _)| bounds.contains(*key));
                let mut within: Vec<_> = within.map(|(key, value)| (key.clone(), value.clone())).collect();
                if *direction == Direction::Descending {
                    within.reverse();
                }
                within.truncate(*limit);
                found.push(Found::Rows(within));
            }
        }
    }
    found
}

/// Stores and snapshots, each with its expected rows.
struct World<'a> {
    /// File of the origin, if it has one.
    path: Option<&'a Path>,
    options: OpenOptions,
    /// The origin first, then its forks and their forks.
    stores: Vec<(Store, Rows)>,
    snapshots: Vec<(Snapshot, Rows)>,
    saved: usize,
}

impl<'a> World<'a> {
    fn new(options: OpenOptions, path: Option<&'a Path>) -> Result<Self> {
        let origin = Self::open(&options, path)?;
        Ok(Self { path, options, stores: vec![(origin, Rows::new())], snapshots: Vec::new(), saved: 0 })
    }

    fn open(options: &OpenOptions, path: Option<&Path>) -> Result<Store> {
        match path {
            Some(path) => options.clone().open(path),
            None => Ok(options.clone().in_memory()),
        }
    }

    fn store(&mut self, n: usize) -> &mut (Store, Rows) {
        let n = n % self.stores.len();
        &mut self.stores[n]
    }

    fn step(&mut self, step: &Step, scratch: &Path) -> Result<()> {
        match step {
            Step::Transact(n, ops, end) => self.transact(*n, ops, *end)?,
            Step::Preview(n, ops) => self.preview(*n, ops)?,
            Step::Snapshot(n) => {
                let (store, rows) = self.store(*n);
                let taken = (store.snapshot()?, rows.clone());
                self.snapshots.push(taken);
            }
            Step::Fork(n) => {
                let (store, rows) = self.store(*n);
                let fork = (store.fork()?, rows.clone());
                self.stores.truncate(3);
                self.stores.push(fork);
            }
            Step::Compact(n) => self.store(*n).0.compact(|_| {})?,
            Step::SaveAndRestore(from, to) => {
                self.saved += 1;
                let path = scratch.join(format!("saved-{}", self.saved));
                let (store, saved) = self.store(*from).clone();
                store.save_to(&path, |_| {})?;
                let (store, rows) = self.store(*to);
                store.restore_from(&path, |_| {})?;
                *rows = saved;
            }
            Step::Flush(n) => self.store(*n).0.flush()?,
            Step::Reopen => {
                let Some(path) = self.path else { return Ok(()) };
                // Forks and snapshots end with the file they read from.
                self.stores.truncate(1);
                self.snapshots.clear();
                self.stores[0].0.close()?;
                self.stores[0].0 = Self::open(&self.options, Some(path))?;
            }
        }
        Ok(())
    }

    fn transact(&mut self, n: usize, ops: &[Op], end: End) -> Result<()> {
        let (store, rows) = self.store(n);
        let own = ops.to_vec();
        let outcome = store
            .transact(move |txn| {
                let found = run(txn, &own)?;
                match end {
                    End::Commit => Ok(found),
                    End::Refuse => Err(Error::new(ErrorKind::Busy, "refused")),
                    // Unlike `panic!`, this prints nothing.
                    End::Panic => resume_unwind(Box::new("panicked")),
                }
            })
            .wait();
        let expected = match end {
            End::Commit => {
                assert_eq!(outcome?, run_on_model(rows, ops));
                return Ok(());
            }
            End::Refuse => ErrorKind::Busy,
            End::Panic => ErrorKind::Panicked,
        };
        assert_eq!(outcome.map_err(|error| error.kind()), Err(expected));
        Ok(())
    }

    fn preview(&mut self, n: usize, ops: &[Op]) -> Result<()> {
        let (store, rows) = self.store(n);
        let mut changed = rows.clone();
        let (found, changes) = store.preview(|txn| run(txn, ops))?;
        assert_eq!(found, run_on_model(&mut changed, ops));
        let mut rebuilt = rows.clone();
        for change in changes {
            assert_eq!(rows.get(&*change.key).map(Vec::as_slice), change.before.as_deref());
            assert_ne!(change.before, change.after);
            match change.after {
                Some(after) => drop(rebuilt.insert(change.key.to_vec(), after.to_vec())),
                None => drop(rebuilt.remove(&*change.key)),
            }
        }
        assert_eq!(rebuilt, changed);
        Ok(())
    }

    fn assert_as_modelled(&self) -> Result<()> {
        for (store, expected) in &self.stores {
            assert_eq!(&rows(&store.snapshot()?)?, expected);
        }
        for (snapshot, expected) in &self.snapshots {
            assert_eq!(&rows(snapshot)?, expected);
        }
        Ok(())
    }
}

fn run_steps(steps: &[Step], options: OpenOptions, in_file: bool) -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder can be created");
    let path = folder.path().join("store");
    let mut world = World::new(options, in_file.then_some(path.as_path()))?;
    for step in steps {
        world.step(step, folder.path())?;
        world.assert_as_modelled()?;
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn memory_store_behaves_like_a_map(steps in vec(step(), 1..40), run_twice: bool) {
        run_steps(&steps, OpenOptions::new().run_twice(run_twice), false).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn file_store_behaves_like_a_map(
        steps in vec(step(), 1..40),
        (durable, run_twice) in any::<(bool, bool)>(),
        cache_bytes in option::of(0..100_000usize),
    ) {
        let options = OpenOptions::new().durable(durable).run_twice(run_twice).queue(1);
        let options = match cache_bytes {
            Some(bytes) => options.cache_bytes(bytes),
            None => options,
        };
        run_steps(&steps, options, true).unwrap();
    }
}
