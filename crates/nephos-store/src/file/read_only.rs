//! A disk that never changes the bytes below it.

use redb::{BackendError, StorageBackend};
use std::{
    collections::BTreeMap,
    io,
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

/// Size of the blocks in which changes are kept.
const BLOCK: usize = 4096;

/// Flag that makes the reads of a disk fail, so that the work on it ends.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(Arc<AtomicBool>);

impl Stop {
    pub(super) fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// A disk that reads another one and keeps all changes in memory. redb writes even to a database that is only read.
#[derive(Debug)]
pub(super) struct ReadOnlyDisk {
    disk: Box<dyn StorageBackend>,
    changes: Mutex<Changes>,
    /// True if the disk below is locked (shared) while this one is in use.
    locks: bool,
    stop: Stop,
}

#[derive(Debug)]
struct Changes {
    len: u64,
    /// Length of the part of the disk below that can be read; the bytes beyond it are zero.
    visible: u64,
    blocks: BTreeMap<u64, Box<[u8; BLOCK]>>,
}

impl ReadOnlyDisk {
    /// Creates a disk over `disk`, and locks that one for readers when a database is opened.
    pub(super) fn locking(disk: Box<dyn StorageBackend>) -> io::Result<Self> {
        Self::new(disk, true, Stop::default())
    }

    /// Creates a disk over `disk`, which this process has open for writing. The header is copied now, so that a database
    /// on this disk shows the newest commit of this moment. Later commits can overwrite its pages, unless a read
    /// transaction of that database is open. Reads fail once `stop` is set.
    pub(super) fn frozen(disk: Box<dyn StorageBackend>, stop: Stop) -> io::Result<Self> {
        let frozen = Self::new(disk, false, stop)?;
        let block = frozen.block(&frozen.changes(), 0)?;
        frozen.changes().blocks.insert(0, block);
        Ok(frozen)
    }

    fn new(disk: Box<dyn StorageBackend>, locks: bool, stop: Stop) -> io::Result<Self> {
        let len = disk.len()?;
        let changes = Changes { len, visible: len, blocks: BTreeMap::new() };
        Ok(Self { disk, changes: Mutex::new(changes), locks, stop })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the bytes below, and zeros after their end.
    fn read_below(&self, changes: &Changes, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let readable = changes.visible.saturating_sub(offset).min(out.len() as u64) as usize;
        let (read, beyond) = out.split_at_mut(readable);
        beyond.fill(0);
        if read.is_empty() { Ok(()) } else { self.disk.read(offset, read) }
    }

    /// Returns block `number` as it is now.
    fn block(&self, changes: &Changes, number: u64) -> io::Result<Box<[u8; BLOCK]>> {
        if let Some(block) = changes.blocks.get(&number) {
            return Ok(block.clone());
        }
        let mut block = Box::new([0; BLOCK]);
        self.read_below(changes, number * BLOCK as u64, &mut *block)?;
        Ok(block)
    }
}

/// Returns the numbers of the blocks that contain `len` bytes from `offset`.
fn block_numbers(offset: u64, len: usize) -> std::ops::Range<u64> {
    offset / BLOCK as u64..(offset + len as u64).div_ceil(BLOCK as u64)
}

/// Returns the parts of block `number` and of `len` bytes from `offset` that are the same bytes of the disk.
fn shared_part(number: u64, offset: u64, len: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let start = number * BLOCK as u64;
    let (from, to) = (start.max(offset), (start + BLOCK as u64).min(offset + len as u64));
    ((from - start) as usize..(to - start) as usize, (from - offset) as usize..(to - offset) as usize)
}

impl StorageBackend for ReadOnlyDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changes().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        if self.stop.is_set() {
            return Err(io::Error::other("the read was stopped"));
        }
        let changes = self.changes();
        if offset + out.len() as u64 > changes.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_below(&changes, offset, out)?;
        for (number, block) in changes.blocks.range(block_numbers(offset, out.len())) {
            let (in_block, in_out) = shared_part(*number, offset, out.len());
            out[in_out].copy_from_slice(&block[in_block]);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut changes = self.changes();
        if len < changes.len {
            let last = len / BLOCK as u64;
            let mut block = self.block(&changes, last)?;
            block[(len % BLOCK as u64) as usize..].fill(0);
            changes.blocks.split_off(&last);
            changes.blocks.insert(last, block);
        }
        changes.len = len;
        changes.visible = changes.visible.min(len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changes = self.changes();
        changes.len = changes.len.max(offset + data.len() as u64);
        for number in block_numbers(offset, data.len()) {
            let mut block = self.block(&changes, number)?;
            let (in_block, in_data) = shared_part(number, offset, data.len());
            block[in_block].copy_from_slice(&data[in_data]);
            changes.blocks.insert(number, block);
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        // Without locks of its own, the disk below has nothing to release.
        if self.locks { self.disk.close() } else { Ok(()) }
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.locks { self.disk.try_lock_shared_range(start, end) } else { Ok(true) }
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.try_lock_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.locks { self.disk.lock_shared_range(start, end) } else { Ok(()) }
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.locks { self.disk.unlock_range(start, end) } else { Ok(()) }
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.locks { self.disk.query_lock_range(start, end) } else { Ok(false) }
    }
}
