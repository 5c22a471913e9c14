//! A process is killed at any moment, while it writes, compacts, saves or creates its store: the next one finds every
//! acknowledged transaction, and no partial one.

use crate::victim;
use nephos_store::Store;
use nephos_store_testing::faults::{
    Random,
    ledger::{self, Books, Entry},
};
use std::{
    env,
    io::{BufRead, BufReader, Lines},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
    thread,
};

/// Number of stamps that one process may use.
const STAMPS: u64 = 1 << 32;

#[test]
fn kill_loses_no_acknowledged_transaction() {
    let folder = folder();
    let path = folder.path().join("store");
    let mut random = Random::new(1);
    let mut acknowledged = Vec::new();
    let mut unfinished = 0;
    for round in 0..rounds(60) {
        let (mode, copies) = match round % 4 {
            1 => ("compact", true),
            3 => ("save", true),
            _ => ("write", false),
        };
        let mut victim = Victim::start(&path, round, mode);
        let before = acknowledged.len();
        victim.read_entries(random.below(80));
        if copies {
            victim.wait_until(|| unfinished_copy(folder.path()));
            spin(random.below(200_000));
        }
        acknowledged.extend(victim.kill());
        unfinished += u64::from(copies && unfinished_copy(folder.path()));
        let store = Store::open(&path).unwrap();
        assert!(
            !unfinished_copy(folder.path()),
            "round {round}: opening must remove what the killed process left"
        );
        let books = read(&store);
        for &(writer, entry) in &acknowledged[before.saturating_sub(100)..] {
            assert!(
                books.contains(writer, entry),
                "round {round}, {mode}: {entry:?} of writer {writer} was lost"
            );
        }
        if mode == "save" {
            let copy = path.with_extension("copy");
            if !copy.exists() {
                // A partial copy of the killed process must not block a new one.
                store.save_to(&copy, |_| {}).unwrap();
            }
            read(&Store::open(copy).unwrap());
        }
        check_writable(&store, &books, round);
    }
    println!("killed while compacting or saving: {unfinished} times");
    assert!(unfinished > 0);
}

#[test]
fn kill_during_creation_leaves_no_partial_store() {
    let folder = folder();
    let mut random = Random::new(2);
    let mut unfinished = 0;
    for round in 0..1_000 {
        // On a busy machine the victim may be too far at first.
        if round >= rounds(20) && unfinished > 0 {
            break;
        }
        let path = folder.path().join(format!("store-{round}"));
        let mut victim = Victim::start(&path, round, "write");
        let sibling_path = |extension: &str| folder.path().join(format!("store-{round}.{extension}"));
        let reached: &dyn Fn() -> bool = match round % 4 {
            0 => &|| sibling_path("nephos-lock").exists(),
            1 => &|| sibling_path("nephos-new").exists(),
            2 => &|| sibling_path("nephos-new").metadata().is_ok_and(|metadata| metadata.len() > 0),
            _ => &|| path.exists(),
        };
        victim.wait_until(|| reached() || path.exists());
        spin(random.below(200_000));
        let acknowledged = victim.kill();
        unfinished += u64::from(!path.exists());
        let store = Store::open(&path).unwrap();
        let books = read(&store);
        for (writer, entry) in acknowledged {
            assert!(books.contains(writer, entry), "round {round}: {entry:?} of writer {writer} was lost");
        }
        check_writable(&store, &books, round);
    }
    println!("killed before the store existed: {unfinished} times");
    assert!(unfinished > 0);
}

#[test]
fn kill_without_durability_leaves_no_partial_transaction() {
    let folder = folder();
    let path = folder.path().join("store");
    let mut lost = 0;
    for round in 0..5 {
        let mut victim = Victim::start(&path, round, "relaxed");
        victim.read_entries(100);
        let acknowledged = victim.kill();
        let books = read(&Store::open(&path).unwrap());
        lost += acknowledged.iter().filter(|&&(writer, entry)| !books.contains(writer, entry)).count();
    }
    assert!(lost > 0);
}

#[expect(clippy::disallowed_methods, reason = "the number of rounds is set by an environment variable")]
fn rounds(usual: u64) -> u64 {
    match env::var("NEPHOS_KILL_ROUNDS") {
        Ok(wanted) => wanted.parse().unwrap(),
        Err(_) => usual,
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap()
}

/// True if there is a temporary copy in `folder`.
fn unfinished_copy(folder: &Path) -> bool {
    let mut files = folder.read_dir().unwrap().map(|file| file.unwrap().path());
    files.any(|path| path.extension().is_some_and(|extension| extension == "nephos-new"))
}

/// Reads the books before and after a check of the whole file.
fn read(store: &Store) -> Books {
    let books = ledger::read(&store.snapshot().unwrap()).unwrap();
    store.check().unwrap();
    assert_eq!(ledger::read(&store.snapshot().unwrap()).unwrap(), books);
    books
}

/// Asserts that the store can still be written to.
fn check_writable(store: &Store, books: &Books, round: u64) {
    let entry = store.transact(ledger::add_entry(0, (round + 1) * STAMPS - 1)).wait().unwrap();
    assert_eq!(entry.number, books.last(0).map_or(1, |last| last.number + 1));
    store.close().unwrap();
}

/// Spins for `turns` iterations, so that the process is killed at different points.
fn spin(turns: u64) {
    for _ in 0..turns {
        std::hint::spin_loop();
    }
}

/// A writing process that is to be killed.
struct Victim {
    process: Child,
    output: Lines<BufReader<ChildStdout>>,
    acknowledged: Vec<(u64, Entry)>,
}

impl Victim {
    /// Starts a process and waits until it is about to open the store.
    fn start(path: &Path, round: u64, mode: &str) -> Self {
        let mut process = Command::new(env::current_exe().unwrap())
            .args(["--ignored", "--exact", "--nocapture", "victim::write_until_killed"])
            .envs([(victim::PATH, path.to_str().unwrap()), (victim::MODE, mode)])
            .env(victim::FIRST_STAMP, (round * STAMPS).to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        let mut victim = Self { process, output, acknowledged: Vec::new() };
        assert_eq!(victim.read_report().unwrap(), "opening");
        victim
    }

    /// Reads the next report of the process; returns none once it has ended.
    fn read_report(&mut self) -> Option<String> {
        loop {
            let line = self.output.next()?.unwrap();
            if let Some((_, report)) = line.split_once(victim::REPORT) {
                return Some(report.to_owned());
            }
        }
    }

    fn assert_alive(&mut self) {
        assert!(self.process.try_wait().unwrap().is_none(), "the process ended by itself");
    }

    /// Waits until the process has printed `entries` entries.
    fn read_entries(&mut self, entries: u64) {
        while (self.acknowledged.len() as u64) < entries {
            assert!(self.read_entry(), "the process ended by itself");
        }
    }

    /// Waits until `reached` returns true.
    fn wait_until(&mut self, reached: impl Fn() -> bool) {
        while !reached() {
            self.assert_alive();
            thread::yield_now();
        }
    }

    /// Kills the process; returns every entry that it has printed.
    fn kill(mut self) -> Vec<(u64, Entry)> {
        self.assert_alive();
        self.process.kill().unwrap();
        while self.read_entry() {}
        self.process.wait().unwrap();
        std::mem::take(&mut self.acknowledged)
    }

    /// Reads the next entry that the process printed; returns false once it has ended.
    fn read_entry(&mut self) -> bool {
        let Some(report) = self.read_report() else { return false };
        let mut numbers = report.split(' ').map(|number| number.parse().unwrap());
        let mut number = || numbers.next().unwrap();
        self.acknowledged.push((number(), Entry { number: number(), stamp: number() }));
        true
    }
}

impl Drop for Victim {
    fn drop(&mut self) {
        // A failed test must not leave a process running.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
