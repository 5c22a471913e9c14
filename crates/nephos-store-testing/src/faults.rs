//! A simulated disk that fails on purpose: it loses unsynced writes, tears writes, returns errors, and runs full.
//!
//! [`FaultyDisk`] is used by a store through [`OpenOptions::open_disk`](nephos_store::OpenOptions::open_disk); [`ledger`] is
//! a workload for it that detects lost and partial transactions.

mod image;
pub mod ledger;
mod random;

pub use image::Image;
pub use random::Random;

use redb::StorageBackend;
use std::{
    fmt, io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Number of bytes that a disk writes atomically, unless a write is torn at any byte.
const SECTOR: usize = 512;

/// Operation of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// Reading bytes.
    Read,
    /// Writing bytes.
    Write,
    /// Growing or shrinking.
    SetLen,
    /// Making all earlier changes durable.
    Sync,
}

impl Operation {
    /// Every operation that can fail.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::SetLen, Self::Sync];
}

/// A failure to inject.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Operation that fails; `None` means any.
    pub operation: Option<Operation>,
    /// Number of matching operations that succeed first, counted from the injection.
    pub after: u64,
    /// Kind of the returned error.
    pub kind: io::ErrorKind,
    /// True if all later operations fail, too; otherwise only one fails.
    pub lasting: bool,
    /// Part of a failing write that reaches the disk.
    pub written_part: WrittenPart,
}

/// Part of a failed write that is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WrittenPart {
    /// No part.
    Nothing,
    /// The first half of the write.
    Half,
    /// The whole write.
    Everything,
}

/// Limit of the size of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Maximum length in bytes.
    Length(u64),
    /// Maximum number of written bytes, at any length: as with a file with holes on a full disk.
    Written(u64),
}

/// A disk in memory that can lose power, fail and run full. A clone is another handle of the same disk.
///
/// Reads see every write at once, as with the cache of an operating system; only a sync makes earlier changes survive
/// a power loss. A failed sync discards some of the unsynced writes for good; reads continue to show them.
#[derive(Clone, Default)]
pub struct FaultyDisk {
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    /// Contents as reads see them.
    cached: Image,
    /// Contents after the last sync.
    durable: Image,
    /// Changes since the last sync, in order.
    unsynced: Vec<Change>,
    faults: Vec<Fault>,
    capacity: Option<Capacity>,
    ignores_syncs: bool,
    done: [u64; 4],
    failed: [u64; 4],
    hook: Option<Hook>,
}

type Hook = Box<dyn FnMut(&Moment<'_>) + Send>;

enum Change {
    Write { offset: u64, data: Arc<[u8]> },
    SetLen(u64),
}

/// The moment before an operation changes a disk: all earlier operations are done.
pub struct Moment<'a> {
    /// Operation about to be done.
    pub operation: Operation,
    durable: &'a Image,
    unsynced: &'a [Change],
}

impl Moment<'_> {
    /// Returns a possible image after a power loss at this moment, chosen by `random`.
    pub fn power_loss(&self, random: &mut Random) -> Image {
        power_loss(self.durable, self.unsynced, random)
    }

    /// Returns the images after a power loss at this moment that are most likely to show a flaw: with none and with all of the
    /// changes since the last sync, with all in reverse order, with each alone, without each, and with each torn after every sector.
    pub fn power_losses(&self) -> impl Iterator<Item = Image> {
        let with = |change: &dyn Fn(usize) -> bool| {
            let mut image = self.durable.clone();
            let kept = self.unsynced.iter().enumerate().filter(|(n, _)| change(*n));
            kept.for_each(|(_, change)| change.apply(&mut image));
            image
        };
        let mut reversed = self.durable.clone();
        self.unsynced.iter().rev().for_each(|change| change.apply(&mut reversed));
        let whole = [with(&|_| false), with(&|_| true), reversed];
        let each = 0..self.unsynced.len();
        let alone = each.clone().map(move |n| with(&|other| other == n));
        let missing = each.clone().map(move |n| with(&|other| other != n));
        let torn = each.flat_map(move |n| {
            let sectors = match &self.unsynced[n] {
                Change::Write { data, .. } => data.len().div_ceil(SECTOR),
                Change::SetLen(_) => 0,
            };
            (1..sectors).map(move |sectors| {
                let mut image = with(&|other| other < n);
                self.unsynced[n].cut(&mut image, sectors * SECTOR);
                image
            })
        });
        whole.into_iter().chain(alone).chain(missing).chain(torn)
    }
}

impl FaultyDisk {
    /// Creates an empty disk.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a disk without faults that holds `image`.
    pub fn with_image(image: Image) -> Self {
        let disk = Self::new();
        {
            let mut state = disk.state();
            state.durable = image.clone();
            state.cached = image;
        }
        disk
    }

    /// Contents as reads see them now, which is what remains when only the process ends.
    pub fn image(&self) -> Image {
        self.state().cached.clone()
    }

    /// Returns a possible image after a power loss now, chosen by `random`: everything synced, and a part of the
    /// rest, in any order, some of it torn.
    pub fn power_loss(&self, random: &mut Random) -> Image {
        let state = self.state();
        power_loss(&state.durable, &state.unsynced, random)
    }

    /// Calls `hook` before every change of the disk. It must not use the disk itself.
    pub fn before_each_change(&self, hook: impl FnMut(&Moment<'_>) + Send + 'static) {
        self.state().hook = Some(Box::new(hook));
    }

    /// Injects `fault`.
    pub fn inject(&self, fault: Fault) {
        self.state().faults.push(fault);
    }

    /// Limits the size of the disk to `capacity`.
    pub fn limit(&self, capacity: Capacity) {
        self.state().capacity = Some(capacity);
    }

    /// Makes every later sync report success and do nothing.
    pub fn ignore_syncs(&self) {
        self.state().ignores_syncs = true;
    }

    /// Removes all faults and limits, and makes syncs work again.
    pub fn heal(&self) {
        let mut state = self.state();
        state.faults.clear();
        state.capacity = None;
        state.ignores_syncs = false;
    }

    /// Number of successful operations of this kind.
    pub fn done(&self, operation: Operation) -> u64 {
        self.state().done[operation as usize]
    }

    /// Number of failed operations of this kind.
    pub fn failed(&self, operation: Operation) -> u64 {
        self.state().failed[operation as usize]
    }

    /// Number of bytes written, without holes.
    pub fn written(&self) -> u64 {
        self.state().cached.written()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Calls the hook, and returns the error of a fault that matches `operation`.
    fn check_faults(&mut self, operation: Operation) -> Result<(), (io::Error, WrittenPart)> {
        if operation != Operation::Read
            && let Some(hook) = &mut self.hook
        {
            hook(&Moment { operation, durable: &self.durable, unsynced: &self.unsynced });
        }
        let mut injected = None;
        self.faults.retain_mut(|fault| {
            if fault.operation.is_some_and(|only| only != operation) {
                return true;
            }
            if fault.after > 0 {
                fault.after -= 1;
                return true;
            }
            injected = Some(*fault);
            fault.lasting
        });
        match injected {
            None => {
                self.done[operation as usize] += 1;
                Ok(())
            }
            Some(fault) => {
                self.failed[operation as usize] += 1;
                Err((
                    io::Error::new(fault.kind, format!("injected failure of {operation:?}")),
                    fault.written_part,
                ))
            }
        }
    }

    fn change(&mut self, operation: Operation, change: Change) -> io::Result<()> {
        if let Some(capacity) = self.capacity
            && !self.fits(capacity, &change)
        {
            self.done[operation as usize] -= 1;
            self.failed[operation as usize] += 1;
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the faulty disk is full"));
        }
        change.apply(&mut self.cached);
        self.unsynced.push(change);
        Ok(())
    }

    fn fits(&self, capacity: Capacity, change: &Change) -> bool {
        let mut after = self.cached.clone();
        change.apply(&mut after);
        match capacity {
            Capacity::Length(max) => after.len() <= max.max(self.cached.len()),
            Capacity::Written(max) => after.written() <= max.max(self.cached.written()),
        }
    }

    /// Drops unsynced changes after a failed sync: some writes have reached the disk, the others are lost. Changes of
    /// length are kept, as a file system does.
    fn drop_unsynced(&mut self) {
        let mut random = Random::new(self.failed[Operation::Sync as usize] ^ self.unsynced.len() as u64);
        for change in std::mem::take(&mut self.unsynced) {
            if matches!(change, Change::SetLen(_)) || random.one_in(2) {
                change.apply(&mut self.durable);
            }
        }
    }
}

impl Change {
    fn apply(&self, image: &mut Image) {
        match self {
            Self::Write { offset, data } => image.write(*offset, data),
            Self::SetLen(len) => image.set_len(*len),
        }
    }

    /// Applies only the first `length` bytes of a write.
    fn cut(&self, image: &mut Image, length: usize) {
        if let Self::Write { offset, data } = self {
            image.write(*offset, &data[..length]);
        }
    }

    /// Applies only a part of the change, as when the power fails during it.
    fn tear(&self, image: &mut Image, random: &mut Random) {
        let Self::Write { offset, data } = self else { return self.apply(image) };
        if random.one_in(4) {
            let from = random.below(data.len() as u64) as usize;
            let to = from + random.below((data.len() - from) as u64 + 1) as usize;
            return image.write(offset + from as u64, &data[from..to]);
        }
        for (n, sector) in data.chunks(SECTOR).enumerate() {
            if random.one_in(2) {
                image.write(offset + (n * SECTOR) as u64, sector);
            }
        }
    }
}

fn power_loss(durable: &Image, unsynced: &[Change], random: &mut Random) -> Image {
    let mut image = durable.clone();
    let quarters = random.below(5);
    let mut survivors: Vec<&Change> = unsynced.iter().filter(|_| random.below(4) < quarters).collect();
    if random.one_in(2) {
        random.shuffle(&mut survivors);
    }
    let tears = random.one_in(2);
    for change in survivors {
        if tears && random.one_in(2) {
            change.tear(&mut image, random);
        } else {
            change.apply(&mut image);
        }
    }
    image
}

impl StorageBackend for FaultyDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().cached.len())
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let mut state = self.state();
        state.check_faults(Operation::Read).map_err(|(error, _)| error)?;
        state.cached.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let mut state = self.state();
        state.check_faults(Operation::SetLen).map_err(|(error, _)| error)?;
        state.change(Operation::SetLen, Change::SetLen(len))
    }

    fn sync_data(&self) -> io::Result<()> {
        let mut state = self.state();
        if let Err((error, _)) = state.check_faults(Operation::Sync) {
            state.drop_unsynced();
            return Err(error);
        }
        if !state.ignores_syncs {
            let State { durable, unsynced, .. } = &mut *state;
            unsynced.drain(..).for_each(|change| change.apply(durable));
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut state = self.state();
        let checked = state.check_faults(Operation::Write);
        let reaches = match &checked {
            Ok(()) | Err((_, WrittenPart::Everything)) => data,
            Err((_, WrittenPart::Half)) => &data[..data.len() / 2],
            Err((_, WrittenPart::Nothing)) => &[],
        };
        let changed = match reaches {
            [] => Ok(()),
            data => state.change(Operation::Write, Change::Write { offset, data: data.into() }),
        };
        checked.map_err(|(error, _)| error).and(changed)
    }
}

impl fmt::Debug for FaultyDisk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("FaultyDisk")
    }
}

impl fmt::Debug for Moment<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Moment").field("operation", &self.operation).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(image: &Image) -> Vec<u8> {
        let mut bytes = vec![0; image.len() as usize];
        image.read(0, &mut bytes).unwrap();
        bytes
    }

    #[test]
    fn only_synced_writes_always_survive_power_loss() {
        let disk = FaultyDisk::new();
        disk.set_len(3 * 4096).unwrap();
        disk.write(4000, &[1; 4096]).unwrap();
        disk.sync_data().unwrap();
        disk.write(4000, &[2; 4096]).unwrap();
        let mut lost = false;
        let mut kept = false;
        let mut torn = false;
        for seed in 0..100 {
            let image = bytes(&disk.power_loss(&mut Random::new(seed)));
            assert_eq!(image.len(), 3 * 4096);
            let written = &image[4000..8096];
            assert!(written.iter().all(|&byte| byte == 1 || byte == 2));
            let new = written.iter().filter(|&&byte| byte == 2).count();
            lost |= new == 0;
            kept |= new == 4096;
            torn |= new > 0 && new < 4096;
        }
        assert!(lost && kept && torn);
        disk.sync_data().unwrap();
        assert_eq!(disk.power_loss(&mut Random::new(0)), disk.image());
    }

    #[test]
    fn failed_sync_is_not_repaired_by_the_next() {
        let disk = FaultyDisk::new();
        for n in 0..64 {
            disk.write(n * 4096, &[1; 4096]).unwrap();
        }
        disk.inject(Fault {
            operation: Some(Operation::Sync),
            after: 0,
            kind: io::ErrorKind::Other,
            lasting: false,
            written_part: WrittenPart::Nothing,
        });
        disk.sync_data().unwrap_err();
        disk.sync_data().unwrap();
        assert!(bytes(&disk.image()).iter().all(|&byte| byte == 1));
        assert!(disk.power_loss(&mut Random::new(1)) != disk.image());
    }

    #[test]
    fn fault_hits_only_its_operation() {
        let disk = FaultyDisk::new();
        let fault = Fault {
            operation: Some(Operation::Write),
            after: 1,
            kind: io::ErrorKind::StorageFull,
            lasting: false,
            written_part: WrittenPart::Half,
        };
        disk.inject(fault);
        disk.write(0, &[1; 8]).unwrap();
        disk.sync_data().unwrap();
        assert_eq!(disk.write(0, &[2; 8]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(bytes(&disk.image()), [2, 2, 2, 2, 1, 1, 1, 1]);
        disk.write(0, &[3; 8]).unwrap();
        disk.inject(Fault { lasting: true, after: 0, ..fault });
        disk.write(0, &[4; 8]).unwrap_err();
        disk.write(0, &[4; 8]).unwrap_err();
        disk.heal();
        disk.write(0, &[5; 8]).unwrap();
        assert_eq!(disk.failed(Operation::Write), 3);
    }

    #[test]
    fn full_disk_rejects_writes() {
        let disk = FaultyDisk::new();
        disk.limit(Capacity::Length(8192));
        disk.set_len(8192).unwrap();
        assert_eq!(disk.set_len(8193).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(disk.write(8190, &[0; 3]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        disk.limit(Capacity::Written(4096));
        disk.set_len(1 << 20).unwrap();
        disk.write(1 << 19, &[1; 4096]).unwrap();
        disk.write(1 << 19, &[2; 4096]).unwrap();
        assert_eq!(disk.write(0, &[0; 1]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        disk.heal();
        disk.write(0, &[0; 1]).unwrap();
    }
}
