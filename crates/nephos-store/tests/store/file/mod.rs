//! Behaviour specific to a store in a file: its format, its lock, and its contents when it is opened again.

mod copies;
mod damage;
mod opening;
mod place;
mod sharing;
mod waiting;

use nephos_store::{Pending, Result, Store, View};
use nephos_store_testing::conformance::{Rows, rows};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::mpsc,
    thread,
    time::Duration,
};

const METADATA: redb::TableDefinition<'_, &str, u64> = redb::TableDefinition::new("nephos-store");

/// Returns the result of `work`; fails if it hangs.
fn run_with_timeout<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (done, result) = mpsc::channel();
    let worker = thread::spawn(move || drop(done.send(work())));
    match result.recv_timeout(Duration::from_secs(600)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("timed out"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(()) => unreachable!("the worker ended without a result"),
        },
    }
}

fn increment(store: &Store) -> Pending<u64> {
    store.transact(|txn| {
        let count = txn.get(b"counter")?.map_or(0, |bytes| bytes[0]) + 1;
        txn.put(b"counter", &[count])?;
        Ok(u64::from(count))
    })
}

fn count(store: &Store) -> Result<u64> {
    Ok(store.snapshot()?.get(b"counter")?.map_or(0, |bytes| u64::from(bytes[0])))
}

/// Writes rows of all kinds, in several transactions.
fn fill(store: &Store) -> Result<Rows> {
    store.transact(|txn| (0..200u8).try_for_each(|n| txn.put(&[n], &[n; 100]))).wait()?;
    store.transact(|txn| (0..200u8).step_by(3).try_for_each(|n| txn.delete(&[n]))).wait()?;
    store
        .transact(|txn| {
            txn.put(b"", b"empty key")?;
            txn.put(b"empty value", b"")?;
            txn.put(b"large", &[7; 50_000])
        })
        .wait()?;
    rows(&store.snapshot()?)
}

fn sibling_path(path: &Path, extension: &str) -> PathBuf {
    path.with_file_name(format!("{}.{extension}", path.file_name().unwrap_or_default().to_string_lossy()))
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("the folder can be listed");
    let mut file_names: Vec<_> =
        entries.map(|entry| entry.expect("listed").file_name().to_string_lossy().into_owned()).collect();
    file_names.sort();
    file_names
}

/// Opens the redb file at `path` as a foreign program would, and changes it with `change`.
fn with_redb(path: &Path, change: impl FnOnce(&redb::WriteTransaction)) {
    let database = redb::Database::create(path).expect("redb opens it");
    let txn = database.begin_write().expect("redb begins");
    change(&txn);
    txn.commit().expect("redb commits");
}
