//! Saving, restoring and compacting.

use super::{Rows, Subject, delete, put, rows, rows_of};
use nephos_store::{ErrorKind, Result, Store, View};

/// Writes rows with keys and values of all sizes, so many that a file needs more than one tree level.
fn put_many_rows(store: &Store) -> Result<Rows> {
    store
        .transact(|txn| {
            txn.put(b"", b"the empty key")?;
            txn.put(b"empty value", b"")?;
            txn.put(b"large value", &[7; 100_000])?;
            txn.put(&[0xFF; 1000], b"a long key")?;
            (0..300u32).try_for_each(|n| txn.put(&n.to_be_bytes(), &[n as u8; 40]))
        })
        .wait()?;
    rows(&store.snapshot()?)
}

/// A saved store opens as an independent store, with the rows of the moment it was saved.
pub fn save_excludes_later_writes(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let saved = put_many_rows(&store)?;
    let path = subject.scratch("saved");
    let mut reports = Vec::new();
    store.save_to(&path, |rows| reports.push(rows))?;
    assert_eq!(reports.last(), Some(&(saved.len() as u64)));
    assert!(reports.is_sorted());
    put(&store, &[("later", "1")])?;

    let copy = Store::open(&path)?;
    assert_eq!(rows(&copy.snapshot()?)?, saved);
    put(&copy, &[("in the copy", "1")])?;
    assert_eq!(store.snapshot()?.get(b"in the copy")?, None);
    copy.close()?;

    let again = store.save_to(&path, |_| {}).expect_err("the file exists");
    assert_eq!(again.kind(), ErrorKind::Exists);
    Ok(())
}

/// Restoring replaces all rows by the saved ones, in the store they came from and in any other.
pub fn restore_replaces_all_rows(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let saved = put_many_rows(&store)?;
    let path = subject.scratch("restored");
    store.save_to(&path, |_| {})?;
    put(&store, &[("later", "1"), ("empty value", "no longer")])?;
    delete(&store, "large value")?;
    let before = store.snapshot()?;
    let changed = rows(&before)?;

    let mut reports = Vec::new();
    store.restore_from(&path, |rows| reports.push(rows))?;
    assert_eq!(reports.last(), Some(&(saved.len() as u64)));
    assert_eq!(rows(&store.snapshot()?)?, saved);
    assert_eq!(rows(&before)?, changed, "a snapshot must not change");

    let other = subject.store();
    put(&other, &[("of the other", "1")])?;
    let fork = other.fork()?;
    other.restore_from(&path, |_| {})?;
    assert_eq!(rows(&other.snapshot()?)?, saved);
    assert_eq!(rows(&fork.snapshot()?)?, rows_of(&[("of the other", "1")]), "a fork must not change");
    put(&other, &[("afterwards", "1")])?;
    assert_eq!(rows(&other.snapshot()?)?.len(), saved.len() + 1);

    let missing = other.restore_from(subject.scratch("missing"), |_| {}).expect_err("there is no such file");
    assert_eq!(missing.kind(), ErrorKind::NotFound);
    assert_eq!(rows(&other.snapshot()?)?.len(), saved.len() + 1);
    Ok(())
}

/// Compacting changes neither the rows nor earlier snapshots and forks, and the store continues to work.
pub fn compact_keeps_rows_snapshots_and_forks(subject: &Subject) -> Result<()> {
    let store = subject.store();
    let all = put_many_rows(&store)?;
    let before = store.snapshot()?;
    let fork = store.fork()?;
    delete(&store, "large value")?;
    let left = rows(&store.snapshot()?)?;

    let mut reports = Vec::new();
    store.compact(|rows| reports.push(rows))?;
    assert_eq!(reports.last(), Some(&(left.len() as u64)));
    assert_eq!(rows(&store.snapshot()?)?, left);
    assert_eq!(rows(&before)?, all);
    assert_eq!(rows(&fork.snapshot()?)?, all);

    put(&store, &[("afterwards", "1")])?;
    store.compact(|_| {})?;
    assert_eq!(rows(&store.snapshot()?)?.len(), left.len() + 1);
    assert_eq!(rows(&before)?, all);
    assert_eq!(rows(&fork.snapshot()?)?, all);
    Ok(())
}
