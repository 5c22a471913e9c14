//! The process of the kill tests: it opens a store and adds entries from several threads, reporting each one on standard output once it
//! is acknowledged.

use nephos_store::{Error, OpenOptions, Store};
use nephos_store_testing::faults::ledger;
use std::{
    env,
    error::Error as Failure,
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
};

/// Path of the store.
pub(crate) const PATH: &str = "NEPHOS_VICTIM_PATH";

/// First stamp of the entries.
pub(crate) const FIRST_STAMP: &str = "NEPHOS_VICTIM_FIRST_STAMP";

/// `write`, `compact` or `save` (also compacts or saves in a loop), or `relaxed` (without durability).
pub(crate) const MODE: &str = "NEPHOS_VICTIM_MODE";

/// Prefix of each report.
pub(crate) const REPORT: &str = "report ";

const WRITERS: u64 = 3;

#[test]
#[ignore = "process of the kill tests"]
#[expect(clippy::disallowed_methods, reason = "the parent passes its choices in the environment")]
fn write_until_killed() {
    let path = PathBuf::from(env::var(PATH).unwrap());
    let stamp: u64 = env::var(FIRST_STAMP).unwrap().parse().unwrap();
    run(&path, stamp, &env::var(MODE).unwrap()).unwrap();
}

fn run(path: &Path, stamp: u64, mode: &str) -> Result<(), Box<dyn Failure>> {
    print_line("opening")?;
    let store = OpenOptions::new().durable(mode != "relaxed").owner("victim").open(path)?;
    for writer in 0..WRITERS {
        let store = store.clone();
        thread::spawn(move || exit_with(write(&store, writer, stamp)));
    }
    match mode {
        "compact" => loop {
            store.compact(|_| {})?;
        },
        "save" => loop {
            save(&store, path)?;
        },
        _ => loop {
            thread::park();
        },
    }
}

fn write(store: &Store, writer: u64, first: u64) -> Result<(), Box<dyn Failure>> {
    for stamp in (first + writer..).step_by(WRITERS as usize) {
        let entry = store.transact(ledger::add_entry(writer, stamp)).wait()?;
        print_line(format_args!("{writer} {} {}", entry.number, entry.stamp))?;
    }
    Ok(())
}

fn save(store: &Store, path: &Path) -> Result<(), Error> {
    let copy = path.with_extension("copy");
    // Left by the previous round or a previous process.
    let _ = fs::remove_file(&copy);
    store.save_to(copy, |_| {})
}

fn print_line(line: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{REPORT}{line}")?;
    out.flush()
}

/// Ends the process with an error, because a writer never ends by itself.
fn exit_with(result: Result<(), Box<dyn Failure>>) {
    if let Err(error) = result {
        let _ = writeln!(io::stderr(), "{error}");
    }
    std::process::exit(1);
}
