//! The interface of a backend of a [`Store`](crate::Store), and the parts that backends share. Other crates may provide backends;
//! the suite in `conformance` says what is expected of one.

pub use crate::{
    file::{decode_row, encode_row},
    group::{Batch, Engine, MAX_QUEUED, Writer},
    overlay::{Change, Overlay},
    pending::{Work, check_not_in_transaction},
    stats::Counters,
    txn::Writes,
};

use crate::{Error, Health, KeyRange, Result, Row, Snapshot, Stats, View, memory::Memory};
use std::{task::Waker, time::Duration};

/// Callback for the progress of a long operation: the number of rows done so far.
pub type Progress<'a> = dyn FnMut(u64) + 'a;

/// Picks rows of the replaced state that stay.
pub type Keep = Box<dyn FnOnce(&dyn View) -> Result<Vec<Row>> + Send>;

/// Rows that replace those of a store.
pub struct Replacement {
    pub(crate) source: Snapshot,
    pub(crate) keep: Keep,
}

impl std::fmt::Debug for Replacement {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Replacement")
    }
}

/// A read that all transactions and snapshots of a store begin with, so that a backend on a network can answer it together with
/// the first one.
#[derive(Clone, Debug)]
pub enum FirstRead {
    /// The row at a key.
    Get(Vec<u8>),
    /// The first row of a range.
    First(KeyRange),
}

impl Replacement {
    /// Returns the rows of the source, with those of `current` that stay.
    pub fn merge(self, current: &dyn View) -> Result<Snapshot> {
        let kept = (self.keep)(current)?;
        if kept.is_empty() {
            return Ok(self.source);
        }
        let merged = Memory::fork_from(self.source, false);
        merged.put_rows(&kept);
        merged.snapshot()
    }
}

/// A storage of rows. Every backend passes the conformance suite in `nephos-store-testing`.
pub trait Backend: Send + Sync {
    /// Accepts `work`, waiting for space in the queue.
    fn submit(&self, work: Box<dyn Work>);

    /// Accepts `work`, or returns it and wakes the task when there is space in the queue.
    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>>;

    /// Returns a snapshot of the newest state.
    fn snapshot(&self) -> Result<Snapshot>;

    /// Returns a snapshot of the newest state, all of which has been verified.
    fn verified_snapshot(&self) -> Result<Snapshot> {
        self.snapshot()
    }

    /// Returns a snapshot of a state that is at least as new as that of this moment: the newest one when it is first read.
    fn lazy_snapshot(&self) -> Result<Snapshot> {
        self.snapshot()
    }

    /// True if other processes write the same rows.
    fn is_shared(&self) -> bool {
        false
    }

    /// Replaces the reads that all transactions and snapshots begin with.
    fn set_first_reads(&self, _reads: Vec<FirstRead>) {}

    /// Returns the reason why the store refuses reads or writes, if it does.
    fn problem(&self) -> Option<Error> {
        None
    }

    /// Returns the statistics except rows and bytes.
    fn stats(&self) -> Result<Stats>;

    /// Returns the time since 1970 by the clock of another machine, if that keeps the rows.
    fn time(&self) -> Result<Option<Duration>> {
        Ok(None)
    }

    /// Replaces the rows by those of `with`, or verifies and rewrites its own, without unused space.
    fn rewrite(&self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()>;

    /// Verifies all data on disk, including every checksum.
    fn check(&self) -> Result<Health>;

    /// Syncs all acknowledged writes to disk.
    fn flush(&self) -> Result<()>;

    /// Finishes accepted work, rejects the rest, and closes the file.
    fn close(&self) -> Result<()>;
}
