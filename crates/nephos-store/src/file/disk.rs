//! The disk below redb, which records a failed sync.

use super::read_only::Images;
use redb::{BackendError, StorageBackend};
use std::{
    io,
    ops::Bound,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

/// Flag that is set when a sync of the disk has failed.
///
/// After a failed sync an operating system may discard unwritten data while later reads still show it, so the state
/// on disk is unknown. A failed write has no such consequence.
#[derive(Clone, Debug, Default)]
pub(super) struct SyncFailure(Arc<AtomicBool>);

impl SyncFailure {
    pub(super) fn has_happened(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }

    pub(super) fn record(&self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A disk that records a failed sync in `SyncFailure` and keeps `images` as they are, and otherwise forwards every call.
#[derive(Debug)]
pub(super) struct WatchedDisk {
    pub(super) disk: Box<dyn StorageBackend>,
    pub(super) failure: SyncFailure,
    pub(super) images: Images,
}

impl StorageBackend for WatchedDisk {
    fn len(&self) -> io::Result<u64> {
        self.disk.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.disk.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.images.keep_end(len);
        self.disk.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data().inspect_err(|_| self.failure.record())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.images.keep(offset, data.len() as u64);
        self.disk.write(offset, data)
    }

    fn close(&self) -> io::Result<()> {
        self.disk.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_range(start, end)
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.try_lock_shared_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_range(start, end)
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.lock_shared_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.disk.unlock_range(start, end)
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.disk.query_lock_range(start, end)
    }
}
