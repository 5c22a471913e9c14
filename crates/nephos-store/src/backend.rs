//! The interface of a backend of a [`Store`](crate::Store).

use crate::{Error, Health, Result, Row, Snapshot, Stats, View, memory::Memory, pending::Work};
use std::task::Waker;

/// Callback for the progress of a long operation: the number of rows done so far.
pub(crate) type Progress<'a> = dyn FnMut(u64) + 'a;

/// Picks rows of the replaced state that stay.
pub(crate) type Keep = Box<dyn FnOnce(&dyn View) -> Result<Vec<Row>> + Send>;

/// Rows that replace those of a store.
pub(crate) struct Replacement {
    pub(crate) source: Snapshot,
    pub(crate) keep: Keep,
}

impl Replacement {
    /// Returns the rows of the source, with those of `current` that stay.
    pub(crate) fn merge(self, current: &dyn View) -> Result<Snapshot> {
        let kept = (self.keep)(current)?;
        if kept.is_empty() {
            return Ok(self.source);
        }
        let merged = Memory::fork_from(self.source, false);
        merged.put_rows(&kept);
        merged.snapshot()
    }
}

/// A storage of rows. Every backend passes the suite in [`conformance`](crate::conformance).
pub(crate) trait Backend: Send + Sync {
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

    /// Returns the reason why the store refuses reads or writes, if it does.
    fn problem(&self) -> Option<Error> {
        None
    }

    /// Returns the statistics except rows and bytes.
    fn stats(&self) -> Result<Stats>;

    /// Replaces the rows by those of `with`, or verifies and rewrites its own, without unused space.
    fn rewrite(&self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()>;

    /// Verifies all data on disk, including every checksum.
    fn check(&self) -> Result<Health>;

    /// Syncs all acknowledged writes to disk.
    fn flush(&self) -> Result<()>;

    /// Finishes accepted work, rejects the rest, and closes the file.
    fn close(&self) -> Result<()>;
}
