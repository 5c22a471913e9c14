//! Checks of sound and damaged files.

use super::{count, file_names, fill, increment, run_with_timeout};
use nephos_store::{Error, ErrorKind, Health, OpenOptions, Result, Store, View};
use nephos_store_testing::conformance::{Rows, rows};
use std::{fs, path::Path, thread};

#[test]
fn check_does_not_disturb_held_snapshots() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let all = fill(&store)?;
    assert_eq!(store.check()?, Health::Sound);
    let (snapshot, fork) = (store.snapshot()?, store.fork()?);
    assert_eq!(store.check()?, Health::Sound);
    assert_eq!(rows(&snapshot)?, all);
    assert_eq!(rows(&fork.snapshot()?)?, all);
    assert_eq!(increment(&store).wait()?, 1, "the store must continue to work");
    assert_eq!(store.check()?, Health::Sound);
    assert_eq!(count(&store)?, 1);
    Ok(())
}

/// Creates a small store; returns its file, byte for byte, and its rows.
fn small_store(path: &Path) -> Result<(Vec<u8>, Rows)> {
    let store = Store::open(path)?;
    let all = fill(&store)?;
    store.close()?;
    Ok((fs::read(path).map_err(|cause| Error::new(ErrorKind::Io, cause.to_string()))?, all))
}

/// Returns offsets all over the used pages, more of them at the beginning of each page, where the structure is.
fn damage_offsets(file: &[u8]) -> Vec<usize> {
    const PAGE: usize = 4096;
    let used = file.chunks(PAGE).enumerate().filter(|(_, page)| page.iter().any(|byte| *byte != 0));
    let within = [0, 1, 2, 4, 8, 24, 100, 1500, 3000, 4095];
    used.flat_map(|(page, _)| within.map(|at| page * PAGE + at)).filter(|at| *at < file.len()).collect()
}

#[test]
fn check_detects_damage_anywhere() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (whole, all) = small_store(&folder.path().join("store"))?;
    let damaged = folder.path().join("damaged");
    for at in damage_offsets(&whole) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x81;
        fs::write(&damaged, bytes).unwrap();
        let path = damaged.clone();
        let found = run_with_timeout(move || {
            let store = Store::open(path)?;
            let health = store.check()?;
            Ok::<_, Error>((health, rows(&store.snapshot()?)?))
        });
        if let Ok((health, found)) = found {
            assert_eq!(found, all, "{health:?} with byte {at} changed");
        }
    }
    Ok(())
}

#[test]
fn readers_never_get_a_part_of_the_rows_of_a_damaged_file() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, damaged) = (folder.path().join("store"), folder.path().join("damaged"));
    let store = Store::open(&path)?;
    // Long keys, so that the pages above the rows consist of keys.
    let key = |number: usize| format!("{number:0>200}");
    store.transact(move |txn| (0..100).try_for_each(|n| txn.put(key(n).as_bytes(), b"1"))).wait()?;
    store.close()?;
    let whole = fs::read(&path).unwrap();
    let used = (0..whole.len()).step_by(101).filter(|at| whole[*at] != 0);
    for at in used {
        let mut bytes = whole.clone();
        bytes[at] ^= 2;
        fs::write(&damaged, bytes).unwrap();
        let path = damaged.clone();
        let missing = run_with_timeout(move || {
            let snapshot = OpenOptions::new().open_shared(path)?.snapshot()?;
            let found = (0..100).map(|n| snapshot.get(key(n).as_bytes())).collect::<Result<Vec<_>>>()?;
            Ok::<_, Error>(found.iter().filter(|value| value.is_none()).count())
        });
        assert!(!matches!(missing, Ok(1..)), "{missing:?} with byte {at} changed");
    }
    Ok(())
}

#[test]
fn damage_returns_an_error_without_panic() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (whole, _) = small_store(&folder.path().join("store"))?;
    let damaged = folder.path().join("damaged");
    let mut panicked = Vec::new();
    for at in damage_offsets(&whole) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x81;
        fs::write(&damaged, bytes).unwrap();
        let path = damaged.clone();
        let read = move || {
            let read = || {
                let store = Store::open(path)?;
                rows(&store.snapshot()?)?;
                // A write also reads the pages that only redb itself uses; after it, the file is closed.
                let _ = increment(&store).wait();
                store.check()
            };
            std::panic::catch_unwind(read).is_err()
        };
        if run_with_timeout(read) {
            panicked.push(at);
        }
    }
    assert!(panicked.is_empty(), "{} offsets: {panicked:?}", panicked.len());
    Ok(())
}

/// Bytes of the value of one row, which are nowhere else in the file.
const MARK: &[u8] = b"the row that is damaged";

/// Writes the row whose value is [`MARK`].
fn put_mark(store: &Store) -> Result<()> {
    store.transact(|txn| txn.put(b"marked", MARK)).wait()
}

/// Changes one byte of every stored copy of [`MARK`] in the file at `path`, in place.
fn damage_mark(path: &Path) {
    use std::io::{Seek, SeekFrom, Write};
    let bytes = fs::read(path).expect("the file is read");
    let mut file = fs::File::options().write(true).open(path).expect("the file is opened");
    let found = (0..bytes.len() - MARK.len()).filter(|at| bytes[*at..].starts_with(MARK));
    for at in found {
        file.seek(SeekFrom::Start(at as u64)).and_then(|_| file.write_all(b"T")).expect("a byte is written");
    }
    assert!(fs::read(path).expect("the file is read") != bytes, "the row is not in the file");
}

fn assert_corrupt<T: std::fmt::Debug>(outcome: Result<T>) {
    let error = outcome.expect_err("the file is damaged");
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
}

#[test]
fn damaged_file_is_not_copied() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    type Copy<'c> = &'c dyn Fn(&Store) -> Result<()>;
    let copies: [Copy<'_>; 2] =
        [&|store| store.save_to(file("saved"), |_| {}), &|store| store.compact(|_| {})];
    for copy in copies {
        let _ = fs::remove_file(file("store"));
        let store = Store::open(file("store"))?;
        fill(&store)?;
        put_mark(&store)?;
        assert_eq!(store.check()?, Health::Sound);
        // The damage is below the caches of the open store.
        damage_mark(&file("store"));
        let damaged = fs::read(file("store")).unwrap();
        assert_corrupt(copy(&store));
        assert!(fs::read(file("store")).unwrap() == damaged, "the file was changed");
        assert_corrupt(store.check());
        store.close()?;
        assert_eq!(file_names(folder.path()), ["store", "store.nephos-lock"]);
    }

    let damaged = fs::read(file("store")).unwrap();
    let other = Store::open(file("other"))?;
    let all = fill(&other)?;
    let error = other.restore_from(file("store"), |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Corrupt, "{error}");
    assert!(error.message().contains(&file("store").display().to_string()), "{error}");
    assert_eq!(rows(&other.snapshot()?)?, all);
    assert_corrupt(Store::in_memory().restore_from(file("store"), |_| {}));
    assert!(fs::read(file("store")).unwrap() == damaged, "the source was changed");
    Ok(())
}

#[test]
fn damaged_file_is_neither_read_nor_written_until_it_is_restored() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    let store = Store::open(&path)?;
    fill(&store)?;
    put_mark(&store)?;
    let all = rows(&store.snapshot()?)?;
    store.save_to(&saved, |_| {})?;
    store.close()?;
    damage_mark(&path);
    let store = Store::open(&path)?;
    assert_eq!(store.problem().map(|problem| problem.kind()), Some(ErrorKind::Corrupt));
    assert_corrupt(store.snapshot());
    assert_corrupt(store.fork());
    assert_corrupt(increment(&store).wait());
    assert_corrupt(store.stats());
    store.restore_from(&saved, |_| {})?;
    assert_eq!(store.problem().map(|problem| problem.kind()), None);
    assert_eq!(rows(&store.snapshot()?)?, all);
    assert_eq!(increment(&store).wait()?, 1);
    assert_eq!(store.check()?, Health::Sound);
    Ok(())
}

/// Creates a store that is too large to be verified before it is opened.
fn large_store(path: &Path) -> Result<()> {
    let store = Store::open(path)?;
    for part in 0..6u8 {
        store.transact(move |txn| (0..200u8).try_for_each(|n| txn.put(&[part, n], &[n; 10_000]))).wait()?;
    }
    put_mark(&store)?;
    store.close()?;
    assert!(fs::metadata(path).is_ok_and(|metadata| metadata.len() > 8 << 20));
    Ok(())
}

#[test]
fn damage_of_a_large_file_is_found_after_opening() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    large_store(&path)?;
    damage_mark(&path);
    let store = Store::open(&path)?;
    // A snapshot from before the damage was found fails as well afterwards.
    let early = store.snapshot().ok();
    let handle = store.clone();
    run_with_timeout(move || {
        while handle.problem().is_none() {
            thread::yield_now();
        }
    });
    assert_corrupt(store.snapshot());
    assert_corrupt(increment(&store).wait());
    if let Some(early) = early {
        assert_corrupt(early.get(b"marked"));
    }
    Ok(())
}

#[test]
fn sound_file_is_never_reported_as_damaged_while_it_is_written() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    large_store(&path)?;
    for round in 0..5u8 {
        let store = Store::open(&path)?;
        let writer = thread::spawn({
            let store = store.clone();
            move || {
                (0..40u8).try_for_each(|n| {
                    store
                        .transact(move |txn| {
                            (0..20).try_for_each(|at| txn.put(&[n % 6, at * 7], &[n ^ round; 9_000]))
                        })
                        .wait()
                })
            }
        });
        for n in 0..3 {
            let saved = folder.path().join(format!("saved-{round}-{n}"));
            store.save_to(&saved, |_| {})?;
            assert_eq!(rows(&Store::read_file(&saved)?)?.len(), 1201);
        }
        writer.join().unwrap()?;
        assert!(store.problem().is_none());
        assert_eq!(store.check()?, Health::Sound);
        store.close()?;
    }
    Ok(())
}

#[test]
fn row_that_was_damaged_on_disk_is_not_returned() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    // Without a cache, rows are read from the disk, where they are damaged after the file was verified.
    let store = OpenOptions::new().cache_bytes(0).open(&path)?;
    fill(&store)?;
    put_mark(&store)?;
    damage_mark(&path);
    let snapshot = store.snapshot()?;
    assert_corrupt(snapshot.get(b"marked"));
    assert_corrupt(rows(&snapshot));
    assert_corrupt(store.transact(|txn| txn.get(b"marked").map(drop)).wait());
    assert!(snapshot.get(b"empty value")?.is_some(), "other rows are read");
    Ok(())
}

#[test]
fn write_beside_a_damaged_row_does_not_hide_the_damage() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    let store = OpenOptions::new().cache_bytes(0).open(&path)?;
    put_mark(&store)?;
    damage_mark(&path);
    // The page is written anew, with the damaged row and the right checksum of the page.
    store.transact(|txn| txn.put(b"neighbour", b"1")).wait()?;
    assert_corrupt(store.check());
    store.close()?;
    let store = Store::open(&path)?;
    assert_corrupt(store.compact(|_| {}));
    assert_corrupt(store.save_to(&saved, |_| {}));
    store.close()?;
    assert_corrupt(Store::in_memory().restore_from(&path, |_| {}));
    Ok(())
}
