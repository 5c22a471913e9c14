//! A process for the kill tests: it opens the store at the path in the first argument and adds entries from several
//! threads, printing each one on standard output once it is acknowledged. The second argument is the first stamp; the
//! third is the mode: `write`, `compact` or `save` (also compacts or saves in a loop), or `relaxed` (without
//! durability).

use nephos_store::{Error, OpenOptions, Store, faults::ledger};
use std::{
    env,
    error::Error as Failure,
    fmt::Display,
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    thread,
};

const WRITERS: u64 = 3;

fn main() -> Result<(), Box<dyn Failure>> {
    let mut arguments = env::args().skip(1);
    let mut argument = |name: &str| arguments.next().ok_or_else(|| format!("missing argument: {name}"));
    let path = PathBuf::from(argument("path")?);
    let stamp: u64 = argument("first stamp")?.parse()?;
    let mode = argument("mode")?;
    print_line("opening")?;
    let store = OpenOptions::new().durable(mode != "relaxed").owner("crash_writer").open(&path)?;
    for writer in 0..WRITERS {
        let store = store.clone();
        thread::spawn(move || exit_with(write(&store, writer, stamp)));
    }
    match mode.as_str() {
        "compact" => loop {
            store.compact(|_| {})?;
        },
        "save" => loop {
            save(&store, &path)?;
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
    writeln!(out, "{line}")?;
    out.flush()
}

/// Ends the process with an error, because a writer never ends by itself.
fn exit_with(result: Result<(), Box<dyn Failure>>) {
    if let Err(error) = result {
        let _ = writeln!(io::stderr(), "{error}");
    }
    std::process::exit(1);
}
