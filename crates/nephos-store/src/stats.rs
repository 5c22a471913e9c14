//! Statistics of a store.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Number of size classes of groups: 1, 2–3, 4–7, … each twice as wide as the previous one.
pub const GROUP_SIZES: usize = 12;

/// Statistics of a store: its contents, and its work since it was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stats {
    /// Number of rows.
    pub rows: u64,
    /// Bytes of all keys and values.
    pub bytes: u64,
    /// Size of the file in bytes; `None` in memory.
    pub file_bytes: Option<u64>,
    /// Commits, each of one group of transactions.
    pub commits: u64,
    /// Transactions with writes.
    pub committed: u64,
    /// Transactions without writes: failed or read-only.
    pub unwritten: u64,
    /// Groups whose commit failed.
    pub failed: u64,
    /// Commits by the number of transactions in the group: entry `n` counts groups of `2^n` to `2^(n+1) - 1`, the
    /// last entry also all larger ones.
    pub group_sizes: [u64; GROUP_SIZES],
}

/// Counts the work of a backend.
#[derive(Debug, Default)]
pub struct Counters {
    commits: AtomicU64,
    committed: AtomicU64,
    unwritten: AtomicU64,
    failed: AtomicU64,
    group_sizes: [AtomicU64; GROUP_SIZES],
}

impl Counters {
    /// Counts a group of `written` transactions that were committed together, and `unwritten` others.
    pub fn record_group(&self, written: u64, unwritten: u64) {
        self.unwritten.fetch_add(unwritten, Relaxed);
        if written == 0 {
            return;
        }
        self.commits.fetch_add(1, Relaxed);
        self.committed.fetch_add(written, Relaxed);
        let size = (written.ilog2() as usize).min(GROUP_SIZES - 1);
        self.group_sizes[size].fetch_add(1, Relaxed);
    }

    /// Counts a group whose commit failed.
    pub fn record_failure(&self) {
        self.failed.fetch_add(1, Relaxed);
    }

    /// Returns the counters as statistics.
    pub fn read(&self) -> Stats {
        Stats {
            commits: self.commits.load(Relaxed),
            committed: self.committed.load(Relaxed),
            unwritten: self.unwritten.load(Relaxed),
            failed: self.failed.load(Relaxed),
            group_sizes: std::array::from_fn(|n| self.group_sizes[n].load(Relaxed)),
            ..Stats::default()
        }
    }
}
