//! The power fails at any moment, also during a commit: whatever the disk has kept, every acknowledged transaction is
//! there, and none in part.

use nephos_store::{Error, ErrorKind, Health, OpenOptions, Store};
use nephos_store_testing::faults::{
    FaultyDisk, Image, Operation, Random,
    ledger::{self, Books, Entry},
};
use std::{
    collections::{BTreeMap, HashMap},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, SyncSender},
    },
    thread,
};

const WRITERS: u64 = 4;

const IMAGES_OF_A_DISK: u64 = 100;

/// Newest entry acknowledged to each writer.
type Acknowledged = BTreeMap<u64, Entry>;

/// Image of a disk after a power loss, and the entries acknowledged before it.
struct Evidence {
    image: Image,
    acknowledged: Acknowledged,
    /// Operation that the disk was about to do; `None` between commits.
    before: Option<Operation>,
    seed: u64,
}

#[test]
fn power_loss_loses_no_acknowledged_transaction() {
    let verdict = run(&OpenOptions::new(), FaultyDisk::new, images(1000));
    println!("{verdict:?}");
    assert_eq!(verdict.flaws, Vec::<String>::new());
    assert_eq!(verdict.lost, 0);
    assert!(verdict.uncertain > 0, "no image held a transaction that was not yet acknowledged");
    assert!(verdict.cut_again > 0);
    for moment in [None, Some(Operation::Write), Some(Operation::SetLen), Some(Operation::Sync)] {
        assert!(verdict.before.contains_key(&moment), "there was no power loss before {moment:?}");
    }
}

/// The moments are all of them here, and the images the same in each run: what the disk did is recorded, and played back up to every
/// change, with the changes since the last sync lost, reordered and torn.
#[test]
fn power_loss_after_every_change_loses_no_acknowledged_transaction() {
    let disk = FaultyDisk::new();
    let store = open(&OpenOptions::new(), &disk).unwrap();
    let acknowledged = Arc::new(Mutex::new(Acknowledged::new()));
    let recorded = Arc::new(Mutex::new(Vec::new()));
    disk.before_each_change({
        let (acknowledged, recorded) = (acknowledged.clone(), recorded.clone());
        move |moment| {
            let acknowledged = acknowledged.lock().unwrap().clone();
            let images = moment.power_losses().map(|image| (moment.operation, image, acknowledged.clone()));
            recorded.lock().unwrap().extend(images);
        }
    });
    for attempt in 1..=images(1000) / 200 {
        let entry = store.transact(ledger::add_entry(0, attempt)).wait().unwrap();
        acknowledged.lock().unwrap().insert(0, entry);
    }
    disk.before_each_change(|_| ());
    drop(store);
    let mut verdict = Verdict::default();
    for (seed, (before, image, acknowledged)) in (0..).zip(std::mem::take(&mut *recorded.lock().unwrap())) {
        verdict.judge(&OpenOptions::new(), Evidence { image, acknowledged, before: Some(before), seed });
    }
    println!("{verdict:?}");
    assert_eq!(verdict.flaws, Vec::<String>::new());
    assert_eq!(verdict.lost, 0);
    assert!(verdict.images > 500 && verdict.uncertain > 0 && verdict.repaired + verdict.sound > 0);
}

#[test]
fn power_loss_with_a_small_cache_loses_no_acknowledged_transaction() {
    let verdict = run(&OpenOptions::new().cache_bytes(16 << 10), FaultyDisk::new, images(1000) / 4);
    println!("{verdict:?}");
    assert_eq!(verdict.flaws, Vec::<String>::new());
    assert_eq!(verdict.lost, 0);
}

#[test]
fn power_loss_without_durability_leaves_no_partial_transaction() {
    let verdict = run(&OpenOptions::new().durable(false), FaultyDisk::new, images(1000) / 4);
    println!("{verdict:?}");
    assert_eq!(verdict.flaws, Vec::<String>::new());
    assert!(verdict.lost > 0);
}

#[test]
fn disk_that_ignores_syncs_is_detected() {
    let disk_without_syncs = || {
        let disk = FaultyDisk::new();
        open(&OpenOptions::new(), &disk).unwrap().close().unwrap();
        disk.ignore_syncs();
        disk
    };
    let verdict = run(&OpenOptions::new(), disk_without_syncs, images(1000) / 10);
    println!("{} images, {} lost, {} flaws", verdict.images, verdict.lost, verdict.flaws.len());
    assert!(verdict.lost + verdict.flaws.len() as u64 > verdict.images / 2);
}

#[expect(clippy::disallowed_methods, reason = "the number of images is set by an environment variable")]
fn images(usual: u64) -> u64 {
    match std::env::var("NEPHOS_POWER_LOSS_IMAGES") {
        Ok(wanted) => wanted.parse().unwrap(),
        Err(_) => usual,
    }
}

/// Simulates `images` power losses, on a new disk every so often, and examines each image.
fn run(options: &OpenOptions, disk: impl Fn() -> FaultyDisk, images: u64) -> Verdict {
    let mut verdict = Verdict::default();
    while verdict.images < images {
        let judged = verdict.images + IMAGES_OF_A_DISK;
        run_writers(options, &disk(), &mut verdict, judged.min(images));
    }
    verdict
}

/// Runs several writers on `disk` until there are `images` images.
fn run_writers(options: &OpenOptions, disk: &FaultyDisk, verdict: &mut Verdict, images: u64) {
    let seed = verdict.images;
    let store = open(options, disk).unwrap();
    let acknowledged = Arc::new(Mutex::new(Acknowledged::new()));
    let stop = AtomicBool::new(false);
    let stop_at_end = StopAtEnd(&stop);
    let (evidence, received) = mpsc::sync_channel(16);
    cut_during_commits(disk, &acknowledged, evidence.clone(), seed);
    thread::scope(|scope| {
        for writer in 0..WRITERS {
            let (store, acknowledged, stop) = (&store, &acknowledged, &stop);
            let evidence = evidence.clone();
            scope.spawn(move || write(writer, store, disk, acknowledged, evidence, stop, seed));
        }
        drop(evidence);
        // However this ends, the writers must stop, and must not block on the channel.
        let (_stop_at_end, received) = (stop_at_end, received);
        while verdict.images < images {
            let evidence = received.recv().unwrap();
            verdict.judge(options, evidence.expect("no operation fails on a disk without faults"));
        }
    });
}

struct StopAtEnd<'a>(&'a AtomicBool);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn open(options: &OpenOptions, disk: &FaultyDisk) -> Result<Store, Error> {
    let disk = disk.clone();
    options.clone().open_disk(move || disk.clone())
}

/// Simulates a power loss before every few changes of the disk, and before and after each change of its length.
fn cut_during_commits(
    disk: &FaultyDisk,
    acknowledged: &Arc<Mutex<Acknowledged>>,
    evidence: SyncSender<Result<Evidence, Error>>,
    seed: u64,
) {
    let mut random = Random::new(seed);
    let acknowledged = acknowledged.clone();
    let mut pause = 0;
    let mut last = Operation::Sync;
    disk.before_each_change(move |moment| {
        let resized = [std::mem::replace(&mut last, moment.operation), last].contains(&Operation::SetLen);
        if pause > 0 && !resized {
            pause -= 1;
            return;
        }
        pause = random.below(24);
        let acknowledged = acknowledged.lock().unwrap().clone();
        let seed = random.next_u64();
        let image = moment.power_loss(&mut Random::new(seed));
        // The receiver is gone once there are enough images.
        let _ = evidence.send(Ok(Evidence { image, acknowledged, before: Some(moment.operation), seed }));
    });
}

/// Adds entries, records each as soon as it is acknowledged, and simulates a power loss after some of them.
fn write(
    writer: u64,
    store: &Store,
    disk: &FaultyDisk,
    acknowledged: &Mutex<Acknowledged>,
    evidence: SyncSender<Result<Evidence, Error>>,
    stop: &AtomicBool,
    seed: u64,
) {
    let mut random = Random::new(seed ^ (writer + 1) << 32);
    let mut attempt = 0;
    // A held snapshot prevents its pages from being reused.
    let mut held = store.snapshot().unwrap();
    while !stop.load(Ordering::Relaxed) {
        attempt += 1;
        let entry = match store.transact(ledger::add_entry(writer, attempt * WRITERS + writer)).wait() {
            Ok(entry) => entry,
            Err(error) => return drop(evidence.send(Err(error))),
        };
        acknowledged.lock().unwrap().insert(writer, entry);
        if random.one_in(16) {
            let acknowledged = acknowledged.lock().unwrap().clone();
            let seed = random.next_u64();
            let image = disk.power_loss(&mut Random::new(seed));
            let _ = evidence.send(Ok(Evidence { image, acknowledged, before: None, seed }));
        }
        if random.one_in(32) {
            ledger::read(&held).unwrap();
            held = store.snapshot().unwrap();
        }
    }
}

/// Results of all images together.
#[derive(Debug, Default)]
struct Verdict {
    images: u64,
    /// Images by the operation that the disk was about to do.
    before: HashMap<Option<Operation>, u64>,
    /// Images without an acknowledged entry.
    lost: u64,
    /// Images with an entry that was not yet acknowledged.
    uncertain: u64,
    /// Images taken while another image was being opened.
    cut_again: u64,
    sound: u64,
    repaired: u64,
    /// Failures: none are allowed.
    flaws: Vec<String>,
}

impl Verdict {
    fn judge(&mut self, options: &OpenOptions, evidence: Evidence) {
        self.images += 1;
        *self.before.entry(evidence.before).or_default() += 1;
        let seed = evidence.seed;
        // A damaged image may contain anything, and may even make the store panic.
        let judged = catch_unwind(AssertUnwindSafe(|| self.open(options, evidence)));
        let flaw = match judged {
            Ok(Ok(())) => return,
            Ok(Err(error)) => format!("{error:?}"),
            Err(_) => "a panic".to_owned(),
        };
        self.flaws.push(format!("image {} of seed {seed}: {flaw}", self.images));
    }

    fn open(&mut self, options: &OpenOptions, evidence: Evidence) -> Result<(), Error> {
        let Evidence { image, acknowledged, seed, .. } = evidence;
        let mut random = Random::new(seed);
        let disk = FaultyDisk::with_image(image);
        let cut_again = random.one_in(4).then(|| cut_while_opening(&disk, random.clone()));
        let store = open(options, &disk)?;
        if let Some(image) = cut_again.and_then(|cut| cut.lock().unwrap().take()) {
            self.cut_again += 1;
            self.examine(&open(options, &FaultyDisk::with_image(image))?, &acknowledged)?;
        }
        let books = self.examine(&store, &acknowledged)?;
        let writer = random.below(WRITERS);
        let entry = store.transact(ledger::add_entry(writer, u64::MAX)).wait()?;
        assert_eq!(entry.number, books.last(writer).map_or(1, |last| last.number + 1));
        store.flush()?;
        if random.one_in(4) {
            let image = disk.power_loss(&mut random);
            let store = open(options, &FaultyDisk::with_image(image))?;
            let books = ledger::read(&store.snapshot()?)?;
            assert!(books.contains(writer, entry), "an entry written after the power loss was lost");
        }
        store.close()
    }

    /// Checks for acknowledged entries and for partial ones, before and after a check of the whole file.
    fn examine(&mut self, store: &Store, acknowledged: &Acknowledged) -> Result<Books, Error> {
        let books = ledger::read(&store.snapshot()?)?;
        match store.check()? {
            Health::Sound => self.sound += 1,
            Health::Repaired => self.repaired += 1,
        }
        if ledger::read(&store.snapshot()?)? != books {
            return Err(Error::new(ErrorKind::Corrupt, "the check changed the contents"));
        }
        self.lost += u64::from(acknowledged.iter().any(|(&writer, &entry)| !books.contains(writer, entry)));
        let beyond = |writer| books.last(writer).map(|entry| entry.number);
        self.uncertain +=
            u64::from(acknowledged.iter().any(|(&writer, entry)| beyond(writer) > Some(entry.number)));
        Ok(books)
    }
}

/// Simulates a second power loss, before one of the first changes made by opening.
fn cut_while_opening(disk: &FaultyDisk, mut random: Random) -> Arc<Mutex<Option<Image>>> {
    let cut = Arc::new(Mutex::new(None));
    let mut wait = random.below(6);
    disk.before_each_change({
        let cut = cut.clone();
        move |moment| {
            if wait == 0 {
                *cut.lock().unwrap() = Some(moment.power_loss(&mut random));
            }
            wait = wait.wrapping_sub(1);
        }
    });
    cut
}
