//! Opening files: own, foreign, newer, and damaged ones.

use super::{METADATA, count, file_names, fill, increment, sibling_path, with_redb};
use nephos_store::{ErrorKind, Health, OpenOptions, Result, Store, View};
use nephos_store_testing::conformance::rows;
use std::fs;

#[test]
fn reopened_file_has_all_rows() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    store.close()?;
    let store = Store::open(&path)?;
    assert_eq!(rows(&store.snapshot()?)?, all);
    store.transact(|txn| txn.delete(b"large")).wait()?;
    drop(store);
    let store = Store::open(&path)?;
    assert_eq!(store.snapshot()?.get(b"large")?, None);
    assert_eq!(rows(&store.snapshot()?)?.len(), all.len() - 1);
    assert_eq!(store.check()?, Health::Sound);
    Ok(())
}

#[test]
#[cfg(unix)]
fn only_the_owner_can_read_a_store_and_its_copies() -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    let store = Store::open(&path)?;
    fill(&store)?;
    store.save_to(&saved, |_| {})?;
    store.compact(|_| {})?;
    for path in [sibling_path(&path, "nephos-lock"), path, saved] {
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600, "{path:?}");
    }
    Ok(())
}

#[test]
fn copy_of_an_open_file_has_all_acknowledged_rows() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, copied) = (folder.path().join("store"), folder.path().join("copied"));
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    // A process killed now would leave the file as it is now.
    fs::copy(&path, &copied).unwrap();
    let copy = Store::open(&copied)?;
    assert_eq!(rows(&copy.snapshot()?)?, all);
    assert_eq!(copy.check()?, Health::Sound);
    Ok(())
}

#[test]
fn foreign_file_is_rejected_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes");
    let texts: [&[u8]; 5] = [b"x", b"redb", b"remember the milk\n", &[0; 8192], &[b'a'; 100_000]];
    for text in texts {
        fs::write(&path, text).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign, "{error}");
        assert_eq!(fs::read(&path).unwrap(), text);
    }
}

#[test]
fn truncated_redb_file_is_rejected_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cut off");
    Store::open(&path).unwrap().close().unwrap();
    let whole = fs::read(&path).unwrap();
    for len in [9, 10, 64, 319, 320, 1000, 4096, whole.len() - 1] {
        fs::write(&path, &whole[..len]).unwrap();
        let error = Store::open(&path).map(drop).expect_err("most of the file is missing");
        assert!(matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Io), "{len}: {error:?}");
        assert!(fs::read(&path).unwrap() == whole[..len], "{len}");
    }
}

#[test]
fn foreign_redb_file_is_rejected_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    let changes: [fn(&redb::WriteTransaction); 4] = [
        |_| {},
        |txn| {
            let mine: redb::TableDefinition<'_, u64, &str> = redb::TableDefinition::new("mine");
            txn.open_table(mine).unwrap().insert(1, "one").unwrap();
        },
        |txn| {
            let same_name: redb::TableDefinition<'_, u64, u64> = redb::TableDefinition::new("nephos-store");
            txn.open_table(same_name).unwrap().insert(1, 1).unwrap();
        },
        |txn| drop(txn.open_table(METADATA).unwrap()),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let path = folder.path().join(format!("foreign-{n}"));
        with_redb(&path, change);
        let before = fs::read(&path).unwrap();
        let error = Store::open(&path).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Foreign, "{n}: {error}");
        assert!(fs::read(&path).unwrap() == before, "file {n} was changed");
    }
}

#[test]
fn newer_format_is_rejected_unchanged() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    fill(&store)?;
    store.close()?;
    with_redb(&path, |txn| {
        txn.open_table(METADATA).unwrap().insert("format", 3).unwrap();
    });
    let before = fs::read(&path).unwrap();
    let error = Store::open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Newer, "{error}");
    assert!(error.message().contains("format 3") && error.message().contains("up to 2"), "{error}");
    assert!(fs::read(&path).unwrap() == before, "the file was changed");
    Ok(())
}

#[test]
fn locked_store_error_names_the_owner() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = OpenOptions::new().owner("the night shift").open(&path)?;
    let error = Store::open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    let holder = format!("process {} (the night shift)", std::process::id());
    assert!(error.message().ends_with(&holder), "{error}");
    assert!(error.message().contains(&path.display().to_string()), "{error}");
    assert_eq!(increment(&store).wait()?, 1, "a rejected open must not affect the store");
    store.close()?;

    let store = OpenOptions::new().owner("a").open(&path)?;
    let error = Store::open(&path).unwrap_err();
    let holder = format!("process {} (a)", std::process::id());
    assert!(error.message().ends_with(&holder), "nothing of the longer name may be left: {error}");
    store.close()?;

    let _unnamed = Store::open(&path)?;
    let error = Store::open(&path).unwrap_err();
    assert!(error.message().ends_with(&format!("process {}", std::process::id())), "{error}");
    Ok(())
}

#[test]
fn leftover_of_an_interrupted_rewrite_is_removed() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let left = sibling_path(&path, "nephos-new");
    fs::write(&left, "half a store").unwrap();
    let store = Store::open(&path)?;
    assert!(!left.exists());
    let all = fill(&store)?;
    store.close()?;
    fs::write(&left, "half a store").unwrap();
    let store = Store::open(&path)?;
    assert!(!left.exists());
    assert_eq!(rows(&store.snapshot()?)?, all);
    store.compact(|_| {})?;
    assert_eq!(file_names(folder.path()), ["store", "store.nephos-lock"]);
    Ok(())
}

#[test]
fn empty_file_becomes_a_store() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    fs::write(&path, "").unwrap();
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    store.close()?;
    assert_eq!(rows(&Store::open(&path)?.snapshot()?)?, all);
    Ok(())
}

#[test]
fn flush_and_close_persist_relaxed_transactions() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, copied) = (folder.path().join("store"), folder.path().join("copied"));
    let store = OpenOptions::new().durable(false).open(&path)?;
    for _ in 0..10 {
        increment(&store).wait()?;
    }
    store.flush()?;
    // A process killed now would leave the file as it is now.
    fs::copy(&path, &copied).unwrap();
    assert_eq!(count(&Store::open(&copied)?)?, 10);
    for _ in 0..10 {
        increment(&store).wait()?;
    }
    assert_eq!(count(&store)?, 20);
    store.close()?;
    fs::copy(&path, &copied).unwrap();
    assert_eq!(count(&Store::open(&copied)?)?, 20);

    let store = OpenOptions::new().durable(false).open(&path)?;
    increment(&store).wait()?;
    drop(store);
    assert_eq!(count(&Store::open(&path)?)?, 21);
    Ok(())
}

#[test]
fn relaxed_durability_loses_only_the_latest_transactions() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, copied) = (folder.path().join("store"), folder.path().join("copied"));
    let store = OpenOptions::new().durable(false).open(&path)?;
    for n in 1..=100u8 {
        store.transact(move |txn| (0..20).try_for_each(|key| txn.put(&[key], &[n; 200]))).wait()?;
        if n % 10 == 0 {
            fs::copy(&path, &copied).unwrap();
            let copy = Store::open(&copied)?;
            let found = rows(&copy.snapshot()?)?;
            let Some(first) = found.get([0].as_slice()) else { continue };
            assert!(first[0] <= n && found.len() == 20 && found.values().all(|value| value == first));
        }
    }
    Ok(())
}

/// Creates a file of format 1, whose rows have no checksums.
fn create_format_1(path: &std::path::Path) {
    const ROWS: redb::TableDefinition<'_, &[u8], &[u8]> = redb::TableDefinition::new("rows");
    with_redb(path, |txn| {
        let mut metadata = txn.open_table(METADATA).expect("redb opens a table");
        metadata.insert("format", 1).expect("redb writes");
        let mut rows = txn.open_table(ROWS).expect("redb opens a table");
        rows.insert(b"old".as_slice(), b"value".as_slice()).expect("redb writes");
    });
}

#[test]
fn file_without_row_checksums_is_read_and_gets_them_when_it_is_rewritten() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    create_format_1(&path);
    let format = |path: &std::path::Path| {
        use redb::ReadableDatabase;
        let redb = redb::ReadOnlyDatabase::open(path).unwrap();
        let metadata = redb.begin_read().unwrap().open_table(METADATA).unwrap();
        metadata.get("format").unwrap().unwrap().value()
    };
    let store = Store::open(&path)?;
    assert_eq!(increment(&store).wait()?, 1);
    assert_eq!(store.snapshot()?.get(b"old")?.as_deref(), Some(b"value".as_slice()));
    let all = rows(&store.snapshot()?)?;
    store.save_to(&saved, |_| {})?;
    assert_eq!(rows(&Store::read_file(&saved)?)?, all);
    store.close()?;
    assert_eq!((format(&path), format(&saved)), (1, 2));

    let store = Store::open(&path)?;
    let early = store.snapshot()?;
    store.compact(|_| {})?;
    assert_eq!(rows(&early)?, all, "a snapshot from before is read as it was written");
    assert_eq!(rows(&store.snapshot()?)?, all);
    assert_eq!(increment(&store).wait()?, 2);
    drop(early);
    store.close()?;
    assert_eq!(format(&path), 2);
    let restored = Store::open(folder.path().join("restored"))?;
    create_format_1(&folder.path().join("old"));
    restored.restore_from(folder.path().join("old"), |_| {})?;
    assert_eq!(rows(&restored.snapshot()?)?.len(), 1);
    Ok(())
}
