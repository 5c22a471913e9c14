//! The conformance suite of backends, as library code: a backend is correct if these cases pass on it.
//!
//! A case takes a [`Subject`], which opens new stores of the backend under test, and asserts behaviour that a user of
//! the store can observe. [`conformance_cases!`](crate::conformance_cases) lists all cases, so that a test file can
//! define a test for each; [`all`] returns them as a table.
//!
//! ```
//! use nephos_store::OpenOptions;
//! use nephos_store_testing::conformance;
//!
//! let scratch = tempfile::tempdir().unwrap();
//! let subject = conformance::Subject::new(OpenOptions::in_memory, scratch.path());
//! conformance::read_your_writes(&subject)?;
//! # Ok::<(), nephos_store::Error>(())
//! ```

mod closing;
mod contention;
mod copies;
mod forks;
mod ranges;
mod snapshots;
mod transactions;

use nephos_store::{Direction, KeyRange, OpenOptions, Result, Store, Txn, View};
use std::{
    collections::BTreeMap,
    future::poll_fn,
    ops::ControlFlow,
    path::PathBuf,
    pin::{Pin, pin},
    sync::{Arc, Barrier},
    task::{Context, Poll, Wake},
    thread::{self, Thread},
};

/// A backend under test: opens new empty stores.
pub struct Subject {
    open: Box<dyn Fn(OpenOptions) -> Store>,
    scratch: PathBuf,
}

impl Subject {
    /// Creates a subject whose stores come from `open`, each new and empty; cases may write files into `scratch`.
    pub fn new(open: impl Fn(OpenOptions) -> Store + 'static, scratch: impl Into<PathBuf>) -> Self {
        Self { open: Box::new(open), scratch: scratch.into() }
    }

    fn store(&self) -> Store {
        self.store_with(OpenOptions::new())
    }

    fn store_with(&self, options: OpenOptions) -> Store {
        (self.open)(options)
    }

    fn scratch(&self, name: &str) -> PathBuf {
        self.scratch.join(name)
    }
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("scratch", &self.scratch).finish_non_exhaustive()
    }
}

/// A conformance case. It panics or returns an error if the backend fails it.
pub type Case = fn(&Subject) -> Result<()>;

/// Calls a macro with the names of all cases, which are functions of [`conformance`](crate::conformance).
///
/// ```
/// macro_rules! count {
///     ($($theme:ident: $($case:ident)*;)*) => { [$($(stringify!($case)),*),*].len() };
/// }
/// assert_eq!(nephos_store_testing::conformance_cases!(count), nephos_store_testing::conformance::all().len());
/// ```
#[macro_export]
macro_rules! conformance_cases {
    ($callback:ident) => {
        $callback! {
            closing:
                closed_store_rejects_every_call
                close_finishes_accepted_transactions
                concurrent_close_waits_until_closed
                closure_is_dropped_before_its_answer;
            contention:
                concurrent_async_increments_lose_no_update
                failed_transaction_does_not_affect_others
                no_phantom_read_by_delete
                no_phantom_read_by_insert
                concurrent_increments_lose_no_update
                no_write_skew;
            copies:
                compact_keeps_rows_snapshots_and_forks
                restore_replaces_all_rows
                save_excludes_later_writes;
            forks:
                fork_and_origin_are_isolated
                fork_merges_its_writes_with_its_origin
                fork_of_a_fork_is_independent;
            ranges:
                range_limits_at_boundaries
                pagination_returns_each_row_once
                ranges_with_included_and_excluded_bounds
                ranges_with_prefix;
            snapshots:
                snapshot_shows_acknowledged_writes
                snapshot_is_unchanged_by_later_writes
                snapshot_is_consistent_during_writes;
            transactions:
                polled_transaction_can_be_waited_for
                preview_reports_changes_without_writing
                failed_preview_returns_its_error
                unstarted_transaction_does_nothing
                nested_transaction_is_rejected
                code_with_varying_result_is_rejected
                code_with_varying_writes_is_rejected
                oversized_keys_and_values_are_rejected
                code_run_twice_is_committed_once
                read_your_writes
                stats_count_rows_and_transactions;
        }
    };
}

macro_rules! table {
    ($($theme:ident: $($case:ident)*;)*) => {
        $(pub use self::$theme::{$($case),*};)*

        /// Returns every case with its name.
        pub fn all() -> Vec<(&'static str, Case)> {
            vec![$($((stringify!($case), $case as Case)),*),*]
        }
    };
}
conformance_cases!(table);

/// Runs `future` to completion on this thread.
pub fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Arc::new(Unpark(thread::current())).into();
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

/// Runs all `futures` concurrently as one task; returns their outputs in the same order.
pub async fn join_all<F: Future + Unpin>(mut futures: Vec<F>) -> Vec<F::Output> {
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|cx| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(done) = Pin::new(future).poll(cx)
            {
                *output = Some(done);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// Runs `work` on `threads` threads that start at the same moment, and returns their results.
pub fn run_on_threads<T: Send>(threads: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (start, work) = (Barrier::new(threads), &work);
    thread::scope(|scope| {
        let begin = |n| {
            let start = &start;
            scope.spawn(move || {
                start.wait();
                work(n)
            })
        };
        let running: Vec<_> = (0..threads).map(begin).collect();
        running.into_iter().map(|thread| thread.join().expect("the thread must not panic")).collect()
    })
}

/// Rows of a store as a map.
pub type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

/// Reads all rows of `view`.
pub fn rows(view: &dyn View) -> Result<Rows> {
    let mut rows = Rows::new();
    view.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
        let twice = rows.insert(key.to_vec(), value.to_vec());
        assert_eq!(twice, None, "{key:?} was read twice");
        ControlFlow::Continue(())
    })?;
    Ok(rows)
}

/// Writes `pairs` in one transaction.
fn put(store: &Store, pairs: &[(&str, &str)]) -> Result<()> {
    let pairs: Vec<_> = pairs.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect();
    store
        .transact(move |txn| {
            pairs.iter().try_for_each(|(key, value)| txn.put(key.as_bytes(), value.as_bytes()))
        })
        .wait()
}

/// Deletes `key` in a transaction.
fn delete(store: &Store, key: &'static str) -> Result<()> {
    store.transact(move |txn| txn.delete(key.as_bytes())).wait()
}

/// Returns `pairs` as rows.
fn rows_of(pairs: &[(&str, &str)]) -> Rows {
    pairs.iter().map(|&(key, value)| (key.into(), value.into())).collect()
}

/// Reads the number at `key`; zero if there is none.
fn number(view: &dyn View, key: &[u8]) -> Result<u64> {
    let value = view.get(key)?;
    Ok(value.map_or(0, |bytes| u64::from_be_bytes((*bytes).try_into().expect("a number has eight bytes"))))
}

/// Writes a number that [`number`] can read.
fn put_number(txn: &mut Txn<'_>, key: &[u8], number: u64) -> Result<()> {
    txn.put(key, &number.to_be_bytes())
}

/// Increments the counter, and returns the new count.
fn increment(txn: &mut Txn<'_>) -> Result<u64> {
    let next = number(txn, b"counter")? + 1;
    put_number(txn, b"counter", next)?;
    Ok(next)
}
