//! A disk that never changes the bytes below it.

use redb::{BackendError, StorageBackend};
use std::{
    collections::BTreeMap,
    io,
    ops::Bound,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
};

/// Size of the blocks in which changes are kept.
const BLOCK: usize = 4096;

/// Maximum number of blocks that are kept: 64 MiB.
const MAX_BLOCKS: usize = (64 << 20) / BLOCK;

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
#[derive(Clone, Debug)]
pub(super) struct ReadOnlyDisk {
    image: Arc<Image>,
    /// True if the disk below is locked (shared) while this one is in use.
    locks: bool,
    stop: Stop,
}

/// The bytes of a disk at one moment: those below, and the blocks that are different.
#[derive(Debug)]
struct Image {
    disk: Box<dyn StorageBackend>,
    blocks: Mutex<Blocks>,
}

#[derive(Debug)]
struct Blocks {
    len: u64,
    /// Length of the part of the disk below that can be read; the bytes beyond it are zero.
    visible: u64,
    changed: BTreeMap<u64, Box<[u8; BLOCK]>>,
    /// True if a block of the disk below was overwritten and could not be kept.
    lost: bool,
}

impl ReadOnlyDisk {
    /// Creates a disk over `disk`, and locks that one for readers when a database is opened.
    pub(super) fn locking(disk: Box<dyn StorageBackend>) -> io::Result<Self> {
        Ok(Self { image: Arc::new(Image::new(disk)?), locks: true, stop: Stop::default() })
    }

    /// Creates a disk over `disk`, which this process writes: it stays as it is now, because `images` receives the bytes
    /// that are overwritten. Reads fail once `stop` is set.
    pub(super) fn frozen(disk: Box<dyn StorageBackend>, images: &Images, stop: Stop) -> io::Result<Self> {
        let image = Arc::new(Image::new(disk)?);
        images.add(&image);
        Ok(Self { image, locks: false, stop })
    }
}

impl Image {
    fn new(disk: Box<dyn StorageBackend>) -> io::Result<Self> {
        let len = disk.len()?;
        let blocks = Blocks { len, visible: len, changed: BTreeMap::new(), lost: false };
        Ok(Self { disk, blocks: Mutex::new(blocks) })
    }

    fn blocks(&self) -> MutexGuard<'_, Blocks> {
        self.blocks.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the bytes below, and zeros after their end.
    fn read_below(&self, blocks: &Blocks, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let readable = blocks.visible.saturating_sub(offset).min(out.len() as u64) as usize;
        let (read, beyond) = out.split_at_mut(readable);
        beyond.fill(0);
        if read.is_empty() { Ok(()) } else { self.disk.read(offset, read) }
    }

    /// Returns block `number` as it is now.
    fn block(&self, blocks: &Blocks, number: u64) -> io::Result<Box<[u8; BLOCK]>> {
        if let Some(block) = blocks.changed.get(&number) {
            return Ok(block.clone());
        }
        let mut block = Box::new([0; BLOCK]);
        self.read_below(blocks, number * BLOCK as u64, &mut *block)?;
        Ok(block)
    }

    /// Keeps `len` bytes from `offset`, which are about to be overwritten on the disk below.
    fn keep(&self, offset: u64, len: u64) {
        let mut blocks = self.blocks();
        for number in block_numbers(offset, len.min(blocks.visible.saturating_sub(offset))) {
            if blocks.lost || blocks.changed.contains_key(&number) {
                continue;
            }
            match self.block(&blocks, number) {
                Ok(block) if blocks.changed.len() < MAX_BLOCKS => drop(blocks.changed.insert(number, block)),
                _ => {
                    blocks.lost = true;
                    blocks.changed.clear();
                }
            }
        }
    }
}

/// The images of a disk that is being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Images(Arc<Mutex<Vec<Weak<Image>>>>);

impl Images {
    fn add(&self, image: &Arc<Image>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(image));
    }

    /// Keeps `len` bytes from `offset`, which are about to be overwritten.
    pub(super) fn keep(&self, offset: u64, len: u64) {
        self.for_each(|image| image.keep(offset, len));
    }

    /// Keeps the bytes from `len`, which are about to be cut off.
    pub(super) fn keep_end(&self, len: u64) {
        self.for_each(|image| {
            image.keep(len, u64::MAX - len);
            let mut blocks = image.blocks();
            blocks.visible = blocks.visible.min(len);
        });
    }

    fn for_each(&self, use_it: impl Fn(&Image)) {
        let mut images = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        images.retain(|image| image.upgrade().inspect(|image| use_it(image)).is_some());
    }
}

/// Returns the numbers of the blocks that contain `len` bytes from `offset`.
fn block_numbers(offset: u64, len: u64) -> std::ops::Range<u64> {
    offset / BLOCK as u64..(offset + len).div_ceil(BLOCK as u64)
}

/// Returns the parts of block `number` and of `len` bytes from `offset` that are the same bytes of the disk.
fn shared_part(number: u64, offset: u64, len: usize) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let start = number * BLOCK as u64;
    let (from, to) = (start.max(offset), (start + BLOCK as u64).min(offset + len as u64));
    ((from - start) as usize..(to - start) as usize, (from - offset) as usize..(to - offset) as usize)
}

impl StorageBackend for ReadOnlyDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.image.blocks().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let blocks = self.image.blocks();
        if self.stop.is_set() || blocks.lost {
            return Err(io::Error::other("reading was stopped"));
        }
        if offset + out.len() as u64 > blocks.len {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.image.read_below(&blocks, offset, out)?;
        for (number, block) in blocks.changed.range(block_numbers(offset, out.len() as u64)) {
            let (in_block, in_out) = shared_part(*number, offset, out.len());
            out[in_out].copy_from_slice(&block[in_block]);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut blocks = self.image.blocks();
        if len < blocks.len {
            let last = len / BLOCK as u64;
            let mut block = self.image.block(&blocks, last)?;
            block[(len % BLOCK as u64) as usize..].fill(0);
            blocks.changed.split_off(&last);
            blocks.changed.insert(last, block);
        }
        blocks.len = len;
        blocks.visible = blocks.visible.min(len);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut blocks = self.image.blocks();
        blocks.len = blocks.len.max(offset + data.len() as u64);
        for number in block_numbers(offset, data.len() as u64) {
            let mut block = self.image.block(&blocks, number)?;
            let (in_block, in_data) = shared_part(number, offset, data.len());
            block[in_block].copy_from_slice(&data[in_data]);
            blocks.changed.insert(number, block);
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        // Without locks of its own, the disk below has nothing to release.
        if self.locks { self.image.disk.close() } else { Ok(()) }
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.locks { self.image.disk.try_lock_shared_range(start, end) } else { Ok(true) }
    }

    fn try_lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.try_lock_range(start, end)
    }

    fn lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.locks { self.image.disk.lock_shared_range(start, end) } else { Ok(()) }
    }

    fn lock_shared_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.lock_range(start, end)
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        if self.locks { self.image.disk.unlock_range(start, end) } else { Ok(()) }
    }

    fn query_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        if self.locks { self.image.disk.query_lock_range(start, end) } else { Ok(false) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redb::backends::InMemoryBackend;

    #[test]
    fn image_stays_as_it_was_and_its_changes_stay_in_memory() {
        // A generator with the same numbers in every run.
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for _ in 0..200 {
            let disk: &'static InMemoryBackend = Box::leak(Box::default());
            let len = below(5 * BLOCK as u64) + 1;
            disk.set_len(len).unwrap();
            disk.write(0, &(0..len).map(|at| (at % 251) as u8).collect::<Vec<_>>()).unwrap();
            let (images, stop) = (Images::default(), Stop::default());
            let image = ReadOnlyDisk::frozen(Box::new(Shared(disk)), &images, stop.clone()).unwrap();
            let mut expected: Vec<u8> = (0..len).map(|at| (at % 251) as u8).collect();
            for step in 0..20u8 {
                let (offset, data) = (below(6 * BLOCK as u64), vec![step; below(2 * BLOCK as u64) as usize]);
                let end = offset as usize + data.len();
                match below(4) {
                    0 => {
                        image.write(offset, &data).unwrap();
                        expected.resize(expected.len().max(end), 0);
                        expected[offset as usize..end].copy_from_slice(&data);
                    }
                    1 => {
                        image.set_len(offset).unwrap();
                        expected.resize(offset as usize, 0);
                    }
                    2 => {
                        images.keep_end(offset);
                        disk.set_len(offset).unwrap();
                    }
                    _ => {
                        images.keep(offset, data.len() as u64);
                        disk.set_len(disk.len().unwrap().max(end as u64)).unwrap();
                        disk.write(offset, &data).unwrap();
                    }
                }
                let mut read = vec![0; expected.len()];
                image.read(0, &mut read).unwrap();
                assert!(read == expected, "step {step}");
                assert_eq!(image.len().unwrap(), expected.len() as u64);
                assert!(image.read(1, &mut read).is_err() || read.is_empty(), "reads end with the disk");
            }
            stop.set();
            assert!(image.read(0, &mut []).is_err());
        }
    }

    #[derive(Debug)]
    struct Shared(&'static InMemoryBackend);

    impl StorageBackend for Shared {
        fn len(&self) -> io::Result<u64> {
            self.0.len()
        }

        fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            self.0.read(offset, out)
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn sync_data(&self) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }

        fn write(&self, _: u64, _: &[u8]) -> io::Result<()> {
            Err(io::ErrorKind::Unsupported.into())
        }
    }
}
