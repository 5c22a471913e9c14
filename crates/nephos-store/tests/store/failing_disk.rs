//! The disk returns errors or runs full at every possible operation: acknowledged transactions stay, failed ones are
//! committed completely or not at all, and the store continues to work where that is safe.

use nephos_store::{Error, ErrorKind, OpenOptions, Store};
use nephos_store_testing::faults::{
    Capacity, Fault, FaultyDisk, Image, Operation, Random, WrittenPart,
    ledger::{self, Books, Entry},
};
use std::{io, ops::Range};

/// Entries added while the disk is healthy; with the next ones the store shrinks, and then grows.
const BEFORE: Range<u64> = 0..14;
/// Entries added while the disk fails.
const DURING: Range<u64> = 14..25;

#[test]
fn failed_write_rolls_back_and_the_store_continues() {
    for fault in faults(Some(Operation::Write)) {
        let kept = at_every_operation(&OpenOptions::new(), fault);
        assert_eq!(kept, 0, "{fault:?}");
    }
}

#[test]
fn failed_write_that_reached_the_disk_is_atomic() {
    for written_part in [WrittenPart::Half, WrittenPart::Everything] {
        let fault = Fault { written_part, ..write_fault() };
        let kept = at_every_operation(&OpenOptions::new(), fault);
        assert!(kept > 0, "the last write of a commit decides, even if it reports an error");
    }
}

#[test]
fn store_continues_after_a_failed_resize() {
    for fault in faults(Some(Operation::SetLen)) {
        let kept = at_every_operation(&OpenOptions::new(), fault);
        assert!(kept > 0, "the store shrinks only after the transaction is committed");
    }
}

#[test]
fn store_is_unavailable_after_a_failed_sync_until_reopened() {
    for fault in faults(Some(Operation::Sync)) {
        at_every_operation(&OpenOptions::new(), fault);
    }
}

#[test]
fn failed_read_does_not_affect_others() {
    for fault in faults(Some(Operation::Read)) {
        at_every_operation(&OpenOptions::new().cache_bytes(64 << 10), fault);
    }
}

#[test]
fn completely_failing_disk_loses_no_acknowledged_transaction() {
    for options in [OpenOptions::new(), OpenOptions::new().cache_bytes(64 << 10)] {
        let fault = Fault { operation: None, lasting: true, ..write_fault() };
        at_every_operation(&options, fault);
    }
}

#[test]
fn failed_open_changes_nothing() {
    let closed = FaultyDisk::with_image(closed_image(&OpenOptions::new()));
    let killed = FaultyDisk::with_image(closed.image());
    let store = open(&OpenOptions::new(), &killed).unwrap();
    let entry = store.transact(ledger::add_entry(1, 1000)).wait().unwrap();
    let killed = killed.image();
    for (image, entry) in [(closed.image(), None), (killed, Some(entry))] {
        for fault in faults(None) {
            for after in 0.. {
                let fault = Fault { after, ..fault };
                let disk = FaultyDisk::with_image(image.clone());
                disk.inject(fault);
                let opened = open(&OpenOptions::new(), &disk);
                if failures(&disk) == 0 {
                    assert!(after > 5, "opening must have read and written something");
                    break;
                }
                assert_eq!(opened.unwrap_err().kind(), kind(fault), "{fault:?}");
                disk.heal();
                for image in [disk.image(), disk.power_loss(&mut Random::new(after))] {
                    let books = reopen(image);
                    assert_eq!(books.last(0).unwrap().number, BEFORE.end, "{fault:?}");
                    assert_eq!(books.last(1), entry, "{fault:?}");
                }
            }
        }
    }
}

#[test]
fn full_store_is_readable_and_continues_after_space_is_freed() {
    for capacity in [Capacity::Length, Capacity::Written] {
        let disk = FaultyDisk::new();
        let store = open(&OpenOptions::new(), &disk).unwrap();
        disk.limit(capacity(2 << 20));
        let mut rows = 0;
        let refused = loop {
            match put_row(&store, rows) {
                Ok(()) => rows += 1,
                Err(error) => break error,
            }
            assert!(rows < 1000, "a full disk must return an error");
        };
        assert_eq!(refused.kind(), ErrorKind::Full);
        assert!(refused.message().contains("full"), "{refused}");
        assert!(rows > 10, "there must be space for more than {rows} rows");
        for _ in 0..5 {
            assert_eq!(put_row(&store, rows).unwrap_err().kind(), ErrorKind::Full);
        }
        assert_eq!(store.stats().unwrap().rows, rows);
        for image in [disk.image(), disk.power_loss(&mut Random::new(rows))] {
            let store = open(&OpenOptions::new(), &FaultyDisk::with_image(image)).unwrap();
            assert_eq!(store.stats().unwrap().rows, rows);
        }

        disk.heal();
        put_row(&store, rows).unwrap();
        assert_eq!(store.stats().unwrap().rows, rows + 1);
        store.close().unwrap();
        assert_eq!(open(&OpenOptions::new(), &disk).unwrap().stats().unwrap().rows, rows + 1);
    }
}

#[test]
fn failed_write_without_durability_makes_the_store_unavailable() {
    let options = OpenOptions::new().durable(false);
    let disk = FaultyDisk::with_image(closed_image(&options));
    let store = open(&options, &disk).unwrap();
    store.transact(ledger::add_entry(0, 500)).wait().unwrap();
    disk.inject(Fault { lasting: true, ..write_fault() });
    assert_eq!(store.flush().unwrap_err().kind(), ErrorKind::Io);
    disk.heal();
    assert_eq!(store.flush().unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(store.transact(ledger::add_entry(0, 501)).wait().unwrap_err().kind(), ErrorKind::Unavailable);
    assert_eq!(store.snapshot().unwrap_err().kind(), ErrorKind::Unavailable);
}

fn put_row(store: &Store, number: u64) -> Result<(), Error> {
    store.transact(move |txn| txn.put(&number.to_be_bytes(), &[7; 20_000])).wait()
}

fn write_fault() -> Fault {
    Fault {
        operation: Some(Operation::Write),
        after: 0,
        kind: io::ErrorKind::Other,
        lasting: false,
        written_part: WrittenPart::Nothing,
    }
}

/// Returns the faults of `operation`, of all kinds.
fn faults(operation: Option<Operation>) -> impl Iterator<Item = Fault> {
    [io::ErrorKind::Other, io::ErrorKind::StorageFull].into_iter().flat_map(move |kind| {
        [false, true].map(|lasting| Fault { operation, kind, lasting, ..write_fault() })
    })
}

fn kind(fault: Fault) -> ErrorKind {
    match fault.kind {
        io::ErrorKind::StorageFull => ErrorKind::Full,
        _ => ErrorKind::Io,
    }
}

fn failures(disk: &FaultyDisk) -> u64 {
    Operation::ALL.iter().map(|&operation| disk.failed(operation)).sum()
}

fn open(options: &OpenOptions, disk: &FaultyDisk) -> Result<Store, Error> {
    let disk = disk.clone();
    options.clone().open_disk(move || disk.clone())
}

/// Returns the image of a disk with a store that was written to and closed.
fn closed_image(options: &OpenOptions) -> Image {
    let disk = FaultyDisk::new();
    let store = open(options, &disk).unwrap();
    for stamp in BEFORE {
        store.transact(ledger::add_entry(0, stamp)).wait().unwrap();
    }
    store.close().unwrap();
    disk.image()
}

fn reopen(image: Image) -> Books {
    let store = open(&OpenOptions::new(), &FaultyDisk::with_image(image)).unwrap();
    ledger::read(&store.snapshot().unwrap()).unwrap()
}

/// Repeats the same work with `fault` one operation later each time, until it hits none. Returns how many failed
/// transactions were committed nevertheless.
fn at_every_operation(options: &OpenOptions, fault: Fault) -> usize {
    let image = closed_image(options);
    let mut kept = 0;
    for after in 0.. {
        let fault = Fault { after, ..fault };
        let disk = FaultyDisk::with_image(image.clone());
        let store = open(options, &disk).unwrap();
        disk.inject(fault);
        let work = Work::run(&store);
        if failures(&disk) == 0 {
            assert!(after > 0, "{fault:?} hit no operation");
            break;
        }
        disk.heal();
        work.check_refusals(fault, &disk);
        kept += work.check_committed(fault, &disk, store);
    }
    kept
}

/// Outcomes of the entries added while the disk failed.
#[derive(Default)]
struct Work {
    acknowledged: Vec<Entry>,
    refused: Vec<Refusal>,
}

struct Refusal {
    stamp: u64,
    error: Error,
    /// True if the store showed the entry right after its transaction failed; `None` if the store could not be read.
    shown: Option<bool>,
}

impl Work {
    fn run(store: &Store) -> Self {
        let mut work = Self::default();
        for stamp in DURING {
            work.add_entry(store, stamp);
            if stamp % 4 == 0 {
                // Reading may fail, too; it only must not cause damage.
                let _ = store.snapshot().and_then(|snapshot| ledger::read(&snapshot));
            }
        }
        work
    }

    fn add_entry(&mut self, store: &Store, stamp: u64) {
        match store.transact(ledger::add_entry(0, stamp)).wait() {
            Ok(entry) => self.acknowledged.push(entry),
            Err(error) => {
                let books = store.snapshot().and_then(|snapshot| ledger::read(&snapshot)).ok();
                let shown = books.map(|books| books.stamps(0).any(|kept| kept == stamp));
                self.refused.push(Refusal { stamp, error, shown });
            }
        }
    }

    /// Asserts that each failed transaction returned the injected error.
    fn check_refusals(&self, fault: Fault, disk: &FaultyDisk) {
        let synced = disk.failed(Operation::Sync) == 0;
        for (n, Refusal { error, .. }) in self.refused.iter().enumerate() {
            if n == 0 || synced {
                assert_eq!(error.kind(), kind(fault), "{fault:?}: {error}");
                assert!(error.message().contains("injected failure"), "{fault:?}: {error}");
            } else {
                assert_eq!(error.kind(), ErrorKind::Unavailable, "{fault:?}: {error}");
                assert!(error.message().contains("open it again"), "{fault:?}: {error}");
            }
        }
    }

    /// Asserts that the acknowledged entries are there, in the running store and after each way of opening it again;
    /// returns how many of the failed ones are there, too.
    fn check_committed(mut self, fault: Fault, disk: &FaultyDisk, store: Store) -> usize {
        let live = if disk.failed(Operation::Sync) == 0 {
            let refused = self.refused.len();
            self.add_entry(&store, DURING.end);
            let error = self.refused.get(refused).map(|refusal| &refusal.error);
            assert!(error.is_none(), "{fault:?}: {error:?}");
            Some(ledger::read(&store.snapshot().unwrap()).unwrap())
        } else {
            let refused = store.transact(ledger::add_entry(0, DURING.end)).wait().unwrap_err();
            assert_eq!(refused.kind(), ErrorKind::Unavailable, "{fault:?}");
            assert_eq!(store.snapshot().unwrap_err().kind(), ErrorKind::Unavailable, "{fault:?}");
            None
        };
        let seed = &mut Random::new(fault.after);
        let images = [disk.image(), disk.power_loss(seed)];
        store.close().unwrap();
        let mut kept = 0;
        for image in images.into_iter().chain([disk.image(), disk.power_loss(seed)]) {
            let books = reopen(image);
            self.check_books(fault, &books);
            assert!(
                live.as_ref().is_none_or(|live| *live == books),
                "{fault:?}: different after opening again"
            );
            kept = self.check_refused(fault, &books);
        }
        self.check_after_reopening(fault, disk);
        kept
    }

    /// Asserts that entries acknowledged after the failure survive a power loss, whatever a failed sync has lost.
    fn check_after_reopening(&mut self, fault: Fault, disk: &FaultyDisk) {
        let store = open(&OpenOptions::new(), disk).unwrap();
        for stamp in DURING.end + 1..DURING.end + 3 {
            self.acknowledged.push(store.transact(ledger::add_entry(0, stamp)).wait().unwrap());
        }
        self.check_books(fault, &reopen(disk.power_loss(&mut Random::new(fault.after))));
    }

    fn check_books(&self, fault: Fault, books: &Books) {
        for &entry in &self.acknowledged {
            assert!(
                books.contains(0, entry),
                "{fault:?}: {entry:?} was acknowledged but is not in {books:?}"
            );
        }
    }

    /// Asserts that failed entries are still there or missing as the store showed; returns how many are there.
    fn check_refused(&self, fault: Fault, books: &Books) -> usize {
        let kept = self.refused.iter().filter(|refusal| {
            let kept = books.stamps(0).any(|kept| kept == refusal.stamp);
            assert!(refusal.shown.is_none_or(|shown| shown == kept), "{fault:?}: {}", refusal.error);
            kept
        });
        kept.count()
    }
}
