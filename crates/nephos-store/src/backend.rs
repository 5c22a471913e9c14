//! The interface of a backend of a [`Store`](crate::Store).

use crate::{Health, Result, Snapshot, Stats, pending::Work};
use std::task::Waker;

/// Callback for the progress of a long operation: the number of rows done so far.
pub(crate) type Progress<'a> = dyn FnMut(u64) + 'a;

/// A storage of rows. Every backend passes the suite in [`conformance`](crate::conformance).
pub(crate) trait Backend: Send + Sync {
    /// Accepts `work`, waiting for space in the queue.
    fn submit(&self, work: Box<dyn Work>);

    /// Accepts `work`, or returns it and wakes the task when there is space in the queue.
    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>>;

    /// Returns a snapshot of the newest state.
    fn snapshot(&self) -> Result<Snapshot>;

    /// Returns the statistics except rows and bytes.
    fn stats(&self) -> Result<Stats>;

    /// Replaces the rows by those of `with`, or rewrites its own, without unused space.
    fn rewrite(&self, with: Option<Snapshot>, progress: &mut Progress<'_>) -> Result<()>;

    /// Verifies all data on disk, including every checksum.
    fn check(&self) -> Result<Health>;

    /// Syncs all acknowledged writes to disk.
    fn flush(&self) -> Result<()>;

    /// Finishes accepted work, rejects the rest, and closes the file.
    fn close(&self) -> Result<()>;
}
