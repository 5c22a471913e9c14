//! A disk that reads a file and keeps what is written in memory.

use super::failure::redb_error;
use crate::{Error, Result};
use redb::{BackendError, StorageBackend, backends::FileBackend};
use std::{
    collections::{HashMap, hash_map::Entry},
    fs, io,
    ops::Bound,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Number of bytes that are kept in memory together.
const BLOCK: u64 = 4096;

/// A file as a disk of its own: reads come from the file, writes stay in memory. Clones share both. Its locks on the file are
/// shared with other readers.
#[derive(Clone, Debug)]
pub(super) struct PrivateCopy {
    file: Arc<FileBackend>,
    changes: Arc<Mutex<Changes>>,
}

#[derive(Debug)]
struct Changes {
    len: u64,
    /// Bytes of the file that were not cut off since.
    file_len: u64,
    blocks: HashMap<u64, Box<[u8; BLOCK as usize]>>,
}

impl PrivateCopy {
    pub(super) fn open(path: &Path) -> Result<Self> {
        let failed = |cause| Error::io(format_args!("cannot open {}", path.display()), cause);
        let file = fs::File::open(path).map_err(failed)?;
        let len = file.metadata().map_err(failed)?.len();
        let file = FileBackend::new(file).map_err(|cause| redb_error("cannot open the store", cause))?;
        let changes = Changes { len, file_len: len, blocks: HashMap::new() };
        Ok(Self { file: Arc::new(file), changes: Arc::new(Mutex::new(changes)) })
    }

    fn changes(&self) -> MutexGuard<'_, Changes> {
        self.changes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads from the file; bytes after its end are zero.
    fn read_file(&self, file_len: u64, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let inside = file_len.saturating_sub(offset).min(out.len() as u64) as usize;
        let (inside, outside) = out.split_at_mut(inside);
        outside.fill(0);
        if inside.is_empty() { Ok(()) } else { self.file.read(offset, inside) }
    }
}

/// Returns the end of the range that a reader locks instead of a writer. Of the ranges of a writer, only the first ends with a
/// byte that belongs to it. Readers leave that byte free, and take a lock on it for a writer.
fn reader_end(end: Bound<u64>) -> Bound<u64> {
    match end {
        Bound::Included(last) => Bound::Excluded(last),
        end => end,
    }
}

/// Splits the bytes from `offset` on into blocks: the number of each, the first byte in it, and the number of bytes.
fn blocks(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, usize)> {
    let end = offset + len as u64;
    let mut at = offset;
    std::iter::from_fn(move || {
        let (block, first) = (at / BLOCK, at % BLOCK);
        let count = (BLOCK - first).min(end.checked_sub(at).filter(|left| *left > 0)?);
        at += count;
        Some((block, first as usize, count as usize))
    })
}

impl StorageBackend for PrivateCopy {
    fn len(&self) -> io::Result<u64> {
        Ok(self.changes().len)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let changes = self.changes();
        if offset.checked_add(out.len() as u64).is_none_or(|end| end > changes.len) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.read_file(changes.file_len, offset, out)?;
        let mut rest = out;
        for (block, first, count) in blocks(offset, rest.len()) {
            let (part, after) = rest.split_at_mut(count);
            if let Some(block) = changes.blocks.get(&block) {
                part.copy_from_slice(&block[first..first + count]);
            }
            rest = after;
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut changes = self.changes();
        if len < changes.len {
            changes.file_len = changes.file_len.min(len);
            changes.blocks.retain(|block, _| block * BLOCK < len);
            // Bytes after the end are zero if the disk grows again.
            if let Some(last) = changes.blocks.get_mut(&(len / BLOCK)) {
                last[(len % BLOCK) as usize..].fill(0);
            }
        }
        changes.len = len;
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut changes = self.changes();
        let mut rest = data;
        for (number, first, count) in blocks(offset, data.len()) {
            let file_len = changes.file_len;
            let block = match changes.blocks.entry(number) {
                Entry::Occupied(block) => block.into_mut(),
                Entry::Vacant(place) => {
                    let mut block = Box::new([0; BLOCK as usize]);
                    self.read_file(file_len, number * BLOCK, &mut *block)?;
                    place.insert(block)
                }
            };
            let (part, after) = rest.split_at(count);
            block[first..first + count].copy_from_slice(part);
            rest = after;
        }
        Ok(())
    }

    fn close(&self) -> io::Result<()> {
        self.file.close()
    }

    fn try_lock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<bool, BackendError> {
        self.file.try_lock_shared_range(start, reader_end(end))
    }

    fn unlock_range(&self, start: Bound<u64>, end: Bound<u64>) -> Result<(), BackendError> {
        self.file.unlock_range(start, reader_end(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_is_what_a_disk_with_the_same_operations_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let original: Vec<u8> = (0..30_000u32).map(|n| (n % 251) as u8).collect();
        fs::write(&path, &original).unwrap();
        let copy = PrivateCopy::open(&path).unwrap();
        let mut expected = original.clone();
        // A linear congruential generator, so that each run makes the same operations.
        let mut state = 7u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % limit
        };
        for n in 0..2000u32 {
            match below(4) {
                0 => {
                    let len = below(60_000);
                    copy.set_len(len).unwrap();
                    expected.resize(len as usize, 0);
                }
                _ if expected.is_empty() => {}
                1 => {
                    let start = below(expected.len() as u64) as usize;
                    let len = (below(10_000) as usize).min(expected.len() - start);
                    let data = vec![(n % 250) as u8 + 1; len];
                    copy.write(start as u64, &data).unwrap();
                    expected[start..start + len].copy_from_slice(&data);
                }
                _ => {
                    let start = below(expected.len() as u64) as usize;
                    let mut read = vec![0; (below(20_000) as usize).min(expected.len() - start)];
                    copy.read(start as u64, &mut read).unwrap();
                    assert!(read == expected[start..start + read.len()], "operation {n}");
                }
            }
            assert_eq!(copy.len().unwrap(), expected.len() as u64);
        }
        assert!(copy.read(copy.len().unwrap(), &mut [0]).is_err(), "after the end");
        assert!(fs::read(&path).unwrap() == original, "the file was changed");
    }
}
