//! Counts of the work of a store, for statistics and tests.

use std::sync::atomic::AtomicU64;

/// Counts since the store was opened.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) conflicts: AtomicU64,
    pub(crate) resolved: AtomicU64,
    pub(crate) round_trips: AtomicU64,
}
