//! The disk below redb, which records a failed sync, and the start of the file.

use super::read_only::Images;
use redb::{BackendError, StorageBackend};
use std::{
    io,
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Length of the start of a file that is compared. redb writes its header there at every commit.
const START_BYTES: usize = 512;

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

/// The start and the length of a file as this process has read or written them last. If another program writes into the
/// file or cuts it, they differ from what is on disk.
#[derive(Debug)]
pub(super) struct OwnWrites {
    disk: Box<dyn StorageBackend>,
    last: Mutex<LastWrites>,
    /// True if another program has changed the file: then nothing is written any more.
    overwritten: AtomicBool,
}

#[derive(Debug)]
struct LastWrites {
    start: Vec<u8>,
    len: u64,
}

impl OwnWrites {
    /// Reads the file as it is now; `disk` has its own handle of it.
    pub(super) fn new(disk: Box<dyn StorageBackend>) -> io::Result<Self> {
        let len = disk.len()?;
        let start = read_start(&*disk, len)?;
        Ok(Self { disk, last: Mutex::new(LastWrites { start, len }), overwritten: AtomicBool::new(false) })
    }

    /// True if another program has changed the file. A disk that cannot be read is no evidence of that.
    pub(super) fn are_overwritten(&self) -> bool {
        let last = self.last();
        let is_changed = self.disk.len().is_ok_and(|len| {
            len != last.len || read_start(&*self.disk, len).is_ok_and(|start| start != last.start)
        });
        self.overwritten.fetch_or(is_changed, Ordering::AcqRel) || is_changed
    }

    fn check(&self) -> io::Result<()> {
        if self.overwritten.load(Ordering::Acquire) {
            return Err(io::Error::other("another program has changed the file"));
        }
        Ok(())
    }

    /// Notes the bytes at `offset` once `write` has written them.
    fn write(&self, offset: u64, data: &[u8], write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.check()?;
        let mut last = self.last();
        write()?;
        last.len = last.len.max(offset + data.len() as u64);
        let end = START_BYTES.min(last.len as usize);
        last.start.resize(end, 0);
        for (byte, at) in data.iter().zip(offset as usize..end) {
            last.start[at] = *byte;
        }
        Ok(())
    }

    /// Notes the new length once `set_len` has set it.
    fn set_len(&self, len: u64, set_len: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
        self.check()?;
        let mut last = self.last();
        set_len()?;
        last.len = len;
        last.start.resize(START_BYTES.min(len as usize), 0);
        Ok(())
    }

    fn last(&self) -> MutexGuard<'_, LastWrites> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_start(disk: &dyn StorageBackend, len: u64) -> io::Result<Vec<u8>> {
    let mut start = vec![0; START_BYTES.min(usize::try_from(len).unwrap_or(START_BYTES))];
    disk.read(0, &mut start)?;
    Ok(start)
}

/// A disk that records a failed sync in `SyncFailure`, keeps `images` as they are and notes its own writes, and otherwise
/// forwards every call.
#[derive(Debug)]
pub(super) struct WatchedDisk {
    pub(super) disk: Arc<dyn StorageBackend>,
    pub(super) failure: SyncFailure,
    pub(super) images: Images,
    /// None for a simulated disk, which no other program can change.
    pub(super) own_writes: Option<Arc<OwnWrites>>,
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
        match &self.own_writes {
            Some(own) => own.set_len(len, || self.disk.set_len(len)),
            None => self.disk.set_len(len),
        }
    }

    fn sync_data(&self) -> io::Result<()> {
        self.disk.sync_data().inspect_err(|_| self.failure.record())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.images.keep(offset, data.len() as u64);
        match &self.own_writes {
            Some(own) => own.write(offset, data, || self.disk.write(offset, data)),
            None => self.disk.write(offset, data),
        }
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
