//! A process to be killed: it opens the store at the path given first and makes entries from several threads, saying
//! each one on its standard output once it is acknowledged. The second argument begins its stamps; the third says
//! what else it does meanwhile: `write` nothing, `compact` or `save` that, again and again, and `relaxed` nothing,
//! without durability.

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
    let mut argument = |what: &str| arguments.next().ok_or_else(|| format!("no {what} given"));
    let path = PathBuf::from(argument("path")?);
    let stamp: u64 = argument("first stamp")?.parse()?;
    let mode = argument("mode")?;
    say("opening")?;
    let store = OpenOptions::new().durable(mode != "relaxed").owner("crash_writer").open(&path)?;
    for writer in 0..WRITERS {
        let store = store.clone();
        thread::spawn(move || end_with(write(&store, writer, stamp)));
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
        let entry = store.transact(ledger::enter(writer, stamp)).wait()?;
        say(format_args!("{writer} {} {}", entry.number, entry.stamp))?;
    }
    Ok(())
}

fn save(store: &Store, path: &Path) -> Result<(), Error> {
    let copy = path.with_extension("copy");
    // The copy of the round before, or of a process before.
    let _ = fs::remove_file(&copy);
    store.save_to(copy, |_| {})
}

fn say(line: impl Display) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

/// A writer never ends by itself: if it does, the whole process is of no more use.
fn end_with(result: Result<(), Box<dyn Failure>>) {
    if let Err(error) = result {
        let _ = writeln!(io::stderr(), "{error}");
    }
    std::process::exit(1);
}
