//! What a backend has to do, behind the [`Store`](crate::Store) that everybody holds.

use crate::{Health, Result, Snapshot, Stats, pending::Work};
use std::task::Waker;

/// What is told of long work: the number of rows done so far.
pub(crate) type Progress<'a> = dyn FnMut(u64) + 'a;

/// A place where rows are kept. Every backend passes the suite in [`conformance`](crate::conformance).
pub(crate) trait Backend: Send + Sync {
    /// Takes `work`, waiting for room.
    fn submit(&self, work: Box<dyn Work>);

    /// Takes `work`, or gives it back and wakes the task when there is room.
    fn try_submit(&self, work: Box<dyn Work>, waker: &Waker) -> Result<(), Box<dyn Work>>;

    /// The newest state.
    fn snapshot(&self) -> Result<Snapshot>;

    /// What `stats` counts beyond rows and bytes.
    fn stats(&self) -> Result<Stats>;

    /// Puts the rows of `with`, or its own, in place of what is there, written anew without gaps.
    fn rewrite(&self, with: Option<Snapshot>, progress: &mut Progress<'_>) -> Result<()>;

    /// Verifies what is on disk, down to every checksum.
    fn check(&self) -> Result<Health>;

    /// Makes everything acknowledged so far safe on disk.
    fn flush(&self) -> Result<()>;

    /// Finishes what was accepted, refuses the rest, and lets go of the file.
    fn close(&self) -> Result<()>;
}
