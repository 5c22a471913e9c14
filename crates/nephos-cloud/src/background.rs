//! The state of background work: due work and callbacks that wait, and whether they make progress.

use crate::{Kernel, due, from_store_error};
use nephos_core::{Result, Timestamp};

/// Background work of a cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Background {
    /// Number of pieces of work that are due.
    pub due_work: usize,
    /// Number of calls of functions and API destinations that are due.
    pub due_callbacks: usize,
    /// Time of the oldest of them, on the clock of the cloud.
    pub oldest: Option<Timestamp>,
    /// Number of pieces of work that failed, and will not be tried again.
    pub failed: usize,
    /// Number of pieces of work and callbacks that were done since the cloud was opened.
    pub done: u64,
}

impl Kernel {
    /// Returns the state of background work. Reads all that is due.
    pub fn background(&self) -> Result<Background> {
        let now = self.0.time.now();
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let work = due::until(&snapshot, due::WORK, now, |_| false)?;
        let callbacks = due::until(&snapshot, due::CALLBACKS, now, |_| false)?;
        Ok(Background {
            due_work: work.len(),
            due_callbacks: callbacks.len(),
            oldest: [work.first(), callbacks.first()].into_iter().flatten().map(due::Due::time).min(),
            failed: due::failed(&snapshot)?.len(),
            done: self.0.next_due.done(),
        })
    }

    /// Returns the time of the oldest work or callback that is due, and the number of those that were done since the cloud was
    /// opened. Reads two rows.
    pub fn overdue(&self) -> Result<(Option<Timestamp>, u64)> {
        let now = self.0.time.now();
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let mut oldest = None;
        for table in [due::WORK, due::CALLBACKS] {
            let first = due::first(&snapshot, table)?.map(|due| due.time()).filter(|time| *time <= now);
            oldest = [oldest, first].into_iter().flatten().min();
        }
        Ok((oldest, self.0.next_due.done()))
    }
}
