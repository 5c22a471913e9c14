//! Cost of the store compared with its building blocks, as ratios within one run.
//!
//! `cargo bench -p nephos-store` prints one markdown table. Arguments after `--`: `--quick` selects small sizes and few
//! rounds, and `write`, `memory` and `file` run only these parts.
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its results")]

mod baseline;
mod measure;

use baseline::{GroupCommit, ROWS};
use measure::{Figure, Table, Target, alone, cpu_each, pair, wall, wall_each};
use nephos_store::{Direction, KeyRange, OpenOptions, Snapshot, Store, View};
use redb::ReadableDatabase;
use std::{
    collections::BTreeMap,
    env, fs,
    hint::black_box,
    io::{BufRead, BufReader, Write},
    os::unix::{fs::MetadataExt, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Arc, Barrier},
    thread,
    time::{Duration, Instant},
};

/// Allocator of the programs that use this crate; used for both sides.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Cache size of both sides: all rows fit, so that the kernel's page cache is not measured.
const CACHE: usize = 1 << 30;

const KEY_BYTES: usize = 50;
const VALUE_BYTES: usize = 200;

/// Amount of work.
struct Sizes {
    /// Rows of the store that is read, forked, saved, compacted and opened again.
    rows: usize,
    /// Rows of the store that is written to, one at a time and at random.
    written_rows: usize,
    rounds: usize,
    /// Duration of one round of many writers.
    writing_time: Duration,
    /// Durable transactions in a round of a single writer.
    lone: usize,
    /// Reads in a round.
    reads: usize,
}

const FULL: Sizes = Sizes {
    rows: 1_000_000,
    written_rows: 100_000,
    rounds: 15,
    writing_time: Duration::from_millis(300),
    lone: 40,
    reads: 50_000,
};

const QUICK: Sizes = Sizes {
    rows: 20_000,
    written_rows: 10_000,
    rounds: 3,
    writing_time: Duration::from_millis(150),
    lone: 10,
    reads: 5_000,
};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    if let [first, path] = &*arguments
        && first == WRITE_UNTIL_KILLED
    {
        return write_until_killed(Path::new(path));
    }
    let sizes = if arguments.iter().any(|argument| argument == "--quick") { QUICK } else { FULL };
    let parts: Vec<&str> =
        arguments.iter().map(String::as_str).filter(|argument| !argument.starts_with('-')).collect();
    let wanted = |part| parts.is_empty() || parts.contains(&part);
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder on the disk");

    let mut table = Table::default();
    if wanted("write") {
        writers(&mut table, &sizes, folder.path());
    }
    if wanted("check") {
        checks(&mut table, &sizes, folder.path());
    }
    let memory = filled_store(sizes.rows);
    if wanted("memory") {
        memory_rows(&mut table, &sizes, &memory);
    }
    if wanted("file") {
        file_rows(&mut table, &sizes, folder.path(), &memory);
    }
    println!("{table}");
}

/// Returns key number `row`: 50 bytes, most of them shared with its neighbours.
fn key(row: usize) -> Vec<u8> {
    format!("account/000000000000/eu-west-1/bucket/{row:012}").into_bytes()
}

fn value(row: usize) -> Vec<u8> {
    (0..VALUE_BYTES).map(|byte| (row * 31 + byte) as u8).collect()
}

fn row(number: usize) -> (Vec<u8>, Vec<u8>) {
    (key(number), value(number))
}

/// A random number generator with the same numbers in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

/// Creates a store in memory with rows 0 to `rows`.
fn filled_store(rows: usize) -> Store {
    assert_eq!((key(0).len(), value(0).len()), (KEY_BYTES, VALUE_BYTES));
    let store = Store::in_memory();
    let fill = store.transact(move |txn| (0..rows).try_for_each(|row| txn.put(&key(row), &value(row))));
    fill.wait().expect("rows are written");
    store
}

/// Creates a file with the rows of `memory`, opened as a store, and a copy of it, opened by redb.
fn open_twins(folder: &Path, name: &str, memory: &Store) -> (PathBuf, Store, redb::Database) {
    let (ours, theirs) = (folder.join(name), folder.join(format!("{name}.redb")));
    memory.save_to(&ours, |_| {}).expect("rows are saved");
    fs::copy(&ours, &theirs).expect("a file is copied");
    let store = OpenOptions::new().cache_bytes(CACHE).open(&ours).expect("the store opens");
    let redb = redb::Builder::new().set_cache_size(CACHE).create(&theirs).expect("redb opens");
    (ours, store, redb)
}

/// Reads a row and writes it in one transaction.
fn write_row(store: &Store, row: usize) {
    let (key, value) = (key(row), value(row));
    let written = store.transact(move |txn| {
        black_box(txn.get(&key)?);
        txn.put(&key, &value)
    });
    written.wait().expect("a row is written");
}

fn writers(table: &mut Table, sizes: &Sizes, folder: &Path) {
    let rows = sizes.written_rows;
    let (_, store, redb) = open_twins(folder, "written", &filled_store(rows));
    let redb = Arc::new(redb);

    let (mut ours, mut theirs) = (Random(1), Random(1));
    let lone = pair(
        sizes.rounds,
        || wall_each(sizes.lone, |_| write_row(&store, ours.below(rows))),
        || wall_each(sizes.lone, |_| baseline::write(&redb, [row(theirs.below(rows))])),
    );
    table.pair("lone durable writer / redb's own commit", lone, Target::RatioAtMost(1.3));

    let group = GroupCommit::start(redb.clone());
    let write_ours = |threads| run_writers(threads, sizes.writing_time, rows, |row| write_row(&store, row));
    let write_theirs =
        |threads| run_writers(threads, sizes.writing_time, rows, |number| group.write(row(number)));

    let before = store.stats().expect("figures of the store");
    let many = pair(sizes.rounds, || write_ours(64), || write_theirs(64));
    table.pair("64 durable writers / simplest group commit", many, Target::RatioAtLeast(0.8));
    let after = store.stats().expect("figures of the store");
    let group = (after.committed - before.committed) as f64 / (after.commits - before.commits) as f64;
    table.alone("transactions per commit of 64 writers", Figure::Count(group), Target::Information);
    let many = pair(sizes.rounds, || write_ours(64), || write_ours(1));
    table.pair("64 durable writers / our own single writer", many, Target::RatioAtLeast(8.0));
    let mut random = Random(5);
    let ceiling = || {
        let start = Instant::now();
        let mut written = 0;
        while start.elapsed() < sizes.writing_time {
            baseline::write(&redb, (0..64).map(|_| row(random.below(rows))));
            written += 64;
        }
        Figure::PerSecond(f64::from(written) / start.elapsed().as_secs_f64())
    };
    let many = pair(sizes.rounds, || write_ours(64), ceiling);
    table.pair("64 durable writers / one thread, 64 rows a commit of redb", many, Target::Information);
    let many = pair(sizes.rounds, || write_ours(512), || write_theirs(512));
    table.pair("512 durable writers / simplest group commit", many, Target::Information);
}

/// Returns the transactions per second of `threads` threads that each write rows one after the other for `time`.
fn run_writers(threads: usize, time: Duration, rows: usize, write: impl Fn(usize) + Sync) -> Figure {
    let begin = Barrier::new(threads + 1);
    let (begin, write) = (&begin, &write);
    thread::scope(|scope| {
        let writers: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let mut random = Random(thread as u64);
                    begin.wait();
                    let start = Instant::now();
                    let mut written = 0;
                    while start.elapsed() < time {
                        write(random.below(rows));
                        written += 1;
                    }
                    written
                })
            })
            .collect();
        begin.wait();
        let start = Instant::now();
        let written: u64 = writers.into_iter().map(|writer| writer.join().expect("a writer ends")).sum();
        Figure::PerSecond(written as f64 / start.elapsed().as_secs_f64())
    })
}

fn memory_rows(table: &mut Table, sizes: &Sizes, memory: &Store) {
    // Filled like the store, row by row in order: if it were collected at once, its nodes would be unusually full.
    let mut map: BTreeMap<Vec<u8>, Vec<u8>> = BTreeMap::new();
    (0..sizes.rows).for_each(|row| drop(map.insert(key(row), value(row))));
    let snapshot = memory.snapshot().expect("a snapshot");
    let keys = random_keys(sizes);
    let get = pair(
        sizes.rounds,
        || get_each(&snapshot, &keys),
        || cpu_each(keys.len(), |n| read_bytes(map.get(&keys[n]).expect("the row exists"))),
    );
    table.pair("get in memory / std BTreeMap (CPU)", get, Target::RatioAtMost(1.5));
    drop(snapshot);

    let fork = alone(sizes.rounds, || wall_each(1000, |_| drop(black_box(memory.fork()))));
    table.alone("fork in memory", fork, Target::Below(10e-6));
    let mut random = Random(3);
    let write = alone(sizes.rounds, || wall_each(sizes.reads, |_| put_row(memory, random.below(sizes.rows))));
    table.alone("transaction in memory, one put", write, Target::Information);
}

fn put_row(store: &Store, row: usize) {
    let (key, value) = (key(row), value(row));
    store.transact(move |txn| txn.put(&key, &value)).wait().expect("a row is written");
}

fn random_keys(sizes: &Sizes) -> Vec<Vec<u8>> {
    let mut random = Random(2);
    (0..sizes.reads).map(|_| key(random.below(sizes.rows))).collect()
}

fn get_each(snapshot: &Snapshot, keys: &[Vec<u8>]) -> Figure {
    cpu_each(keys.len(), |n| {
        let value = snapshot.get(&keys[n]).expect("a snapshot reads");
        read_bytes(&value.expect("the row exists"));
    })
}

/// Reads every byte of `value`.
fn read_bytes(value: &[u8]) {
    black_box(value.iter().fold(0, |sum: u8, byte| sum.wrapping_add(*byte)));
}

fn file_rows(table: &mut Table, sizes: &Sizes, folder: &Path, memory: &Store) {
    let (path, store, redb) = open_twins(folder, "read", memory);
    let about = fs::metadata(&path).expect("the file exists");
    let keys = random_keys(sizes);
    let snapshot = store.snapshot().expect("a snapshot");
    let rows = redb.begin_read().expect("redb reads").open_table(ROWS).expect("redb has the rows");
    let get = pair(
        sizes.rounds,
        || get_each(&snapshot, &keys),
        || {
            cpu_each(keys.len(), |n| {
                let value = rows.get(&*keys[n]).expect("redb reads");
                read_bytes(value.expect("the row exists").value());
            })
        },
    );
    table.pair("get in a file / redb (CPU)", get, Target::RatioAtMost(1.5));

    let starts = &keys[..keys.len() / 20];
    let range = pair(
        sizes.rounds,
        || {
            cpu_each(starts.len(), |n| {
                let range = KeyRange::from_bounds(&*starts[n]..);
                black_box(snapshot.range(&range, Direction::Ascending, 50).expect("a snapshot reads"));
            })
        },
        || {
            cpu_each(starts.len(), |n| {
                let range = rows.range(&*starts[n]..).expect("redb reads").take(50);
                let copied = range.map(|row| row.map(|(k, v)| (k.value().to_vec(), v.value().to_vec())));
                black_box(copied.collect::<Result<Vec<_>, _>>().expect("redb reads"));
            })
        },
    );
    table.pair("range of 50 rows in a file / redb, rows copied (CPU)", range, Target::Below(20e-6));
    drop((snapshot, rows));
    store.close().expect("the store closes");
    drop(redb);

    opening(table, sizes, &path);
    relaxed(table, sizes, &path);

    let saved = folder.join("saved");
    let save = alone(3, || {
        let _ = fs::remove_file(&saved);
        wall(|| memory.save_to(&saved, |_| {}).expect("rows are saved"))
    });
    table.alone("save_to, all rows", save, Target::Information);
    let store = Store::open(&path).expect("the store opens");
    let check = alone(3, || wall(|| _ = black_box(store.check().expect("the store is sound"))));
    table.alone("check, all rows", check, Target::Information);
    let compact = alone(3, || wall(|| store.compact(|_| {}).expect("the store is compacted")));
    table.alone("compact, all rows", compact, Target::Information);
    let per_row = |bytes: u64| Figure::Bytes(bytes as f64 / sizes.rows as f64);
    table.alone("space on disk per row of 250 bytes", per_row(about.blocks() * 512), Target::Information);
    table.alone("length of the file per row of 250 bytes", per_row(about.len()), Target::Information);
}

/// Checks stores that are verified before they are opened.
fn checks(table: &mut Table, sizes: &Sizes, folder: &Path) {
    for rows in [100, 5_000, 20_000] {
        let path = folder.join(format!("checked-{rows}"));
        filled_store(rows).save_to(&path, |_| {}).expect("rows are saved");
        let store = Store::open(&path).expect("the store opens");
        let kib = fs::metadata(&path).expect("the file exists").len() >> 10;
        let check =
            alone(sizes.rounds, || wall(|| _ = black_box(store.check().expect("the store is sound"))));
        table.alone(&format!("check of {rows} rows in a file of {kib} KiB"), check, Target::Information);
    }
}

/// Opens the store and reads a row; returns the time of both.
fn open(path: &Path, sizes: &Sizes) -> (Store, Figure) {
    let start = Instant::now();
    let store = Store::open(path).expect("the store opens");
    let found = store.snapshot().expect("a snapshot").get(&key(sizes.rows / 2)).expect("a snapshot reads");
    read_bytes(&found.expect("the row exists"));
    (store, Figure::Seconds(start.elapsed().as_secs_f64()))
}

fn opening(table: &mut Table, sizes: &Sizes, path: &Path) {
    // The write before the close leaves something for the close to write.
    let clean = alone(sizes.rounds, || {
        let (store, time) = open(path, sizes);
        write_row(&store, 0);
        time
    });
    table.alone("open until the first read, after a close", clean, Target::Below(50e-3));
    let killed = alone(sizes.rounds, || {
        kill_a_writer(path);
        open(path, sizes).1
    });
    table.alone("open until the first read, after SIGKILL while writing", killed, Target::Below(50e-3));
}

const WRITE_UNTIL_KILLED: &str = "--write-until-killed";

/// Starts a process that writes to the store at `path`, and kills it while it writes.
fn kill_a_writer(path: &Path) {
    let this = env::current_exe().expect("this program has a path");
    let mut child = Command::new(this)
        .arg(WRITE_UNTIL_KILLED)
        .arg(path)
        .stdout(Stdio::piped())
        .spawn()
        .expect("a writer starts");
    // The pipe stays open until the end: a writer with a closed pipe would close the store and end.
    let mut lines = BufReader::new(child.stdout.take().expect("the writer has an output")).lines();
    assert_eq!(lines.by_ref().take(5).count(), 5, "the writer must continue writing");
    child.kill().expect("the writer is killed");
    let status = child.wait().expect("the writer has ended");
    assert!(status.signal().is_some(), "the writer ended by itself");
}

fn write_until_killed(path: &Path) {
    let store = Store::open(path).expect("the store opens");
    let mut output = std::io::stdout();
    for row in 0.. {
        write_row(&store, row * 7);
        if writeln!(output, "{row}").and_then(|()| output.flush()).is_err() {
            return;
        }
    }
}

fn relaxed(table: &mut Table, sizes: &Sizes, path: &Path) {
    let options = OpenOptions::new().cache_bytes(CACHE).durable(false);
    let store = options.open(path).expect("the store opens");
    let mut random = Random(4);
    let write =
        alone(sizes.rounds, || wall_each(sizes.lone * 8, |_| write_row(&store, random.below(sizes.rows))));
    table.alone("relaxed transaction in a file", write, Target::Information);
    store.close().expect("the store closes");
}
