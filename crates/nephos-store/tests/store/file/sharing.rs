//! Several processes and one file: waiting for the lock, and reading together.

use super::{count, file_names, fill, increment, run_with_timeout, sibling_path};
use nephos_store::{ErrorKind, Health, OpenOptions, Result, Store};
use nephos_store_testing::conformance::rows;
use std::{fs, time::Duration};

#[test]
fn opening_waits_for_the_lock() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    for shared in [false, true] {
        let (store, path) = (Store::open(&path)?, path.clone());
        let counted = increment(&store).wait()?;
        let opened = run_with_timeout(move || {
            let options = OpenOptions::new().lock_wait(Duration::from_secs(600));
            let open = move || if shared { options.open_shared(path) } else { options.open(path) };
            let other = std::thread::spawn(open);
            store.close().unwrap();
            other.join().unwrap()
        })?;
        assert_eq!(count(&opened)?, counted);
    }
    Ok(())
}

#[test]
fn wait_for_the_lock_ends() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let _store = Store::open(&path)?;
    let options = OpenOptions::new().lock_wait(Duration::from_millis(5));
    assert_eq!(options.clone().open(&path).unwrap_err().kind(), ErrorKind::Locked);
    assert_eq!(options.open_shared(&path).unwrap_err().kind(), ErrorKind::Locked);
    Ok(())
}

#[test]
fn readers_share_a_store_and_keep_writers_out() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let shared = || OpenOptions::new().open_shared(&path);
    let writer = OpenOptions::new().owner("a writer").open(&path)?;
    let all = fill(&writer)?;
    let error = shared().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.message().ends_with("(a writer)"), "{error}");
    writer.close()?;
    let (one, two) = (shared()?, shared()?);
    for reader in [&one, &two] {
        assert_eq!(rows(&reader.snapshot()?)?, all);
    }
    let error = Store::open(&path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked);
    assert!(error.message().ends_with("in use by a process that reads it"), "{error}");
    one.close()?;
    assert_eq!(Store::open(&path).unwrap_err().kind(), ErrorKind::Locked);
    two.close()?;
    Store::open(&path)?.close()
}

#[test]
fn readers_without_a_lock_file_keep_writers_out() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let writer = Store::open(&path)?;
    fs::remove_file(sibling_path(&path, "nephos-lock")).unwrap();
    assert_eq!(OpenOptions::new().open_shared(&path).unwrap_err().kind(), ErrorKind::Locked);
    writer.close()?;
    let reader = OpenOptions::new().open_shared(&path)?;
    assert_eq!(file_names(folder.path()), ["store"]);
    assert_eq!(Store::open(&path).unwrap_err().kind(), ErrorKind::Locked);
    reader.close()?;
    Store::open(&path)?.close()
}

#[test]
fn writes_to_a_shared_store_stay_in_memory() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (closed, unclosed) = (folder.path().join("closed"), folder.path().join("unclosed"));
    let store = Store::open(&closed)?;
    let all = fill(&store)?;
    // A process killed now would leave the file as it is now.
    fs::copy(&closed, &unclosed).unwrap();
    store.close()?;
    fs::remove_file(sibling_path(&closed, "nephos-lock")).unwrap();
    for path in [&closed, &unclosed] {
        let before = fs::read(path).unwrap();
        let store = OpenOptions::new().open_shared(path)?;
        assert_eq!(rows(&store.snapshot()?)?, all);
        assert_eq!(store.stats()?.file_bytes, Some(before.len() as u64));
        for n in 1..=50u8 {
            store.transact(move |txn| (0..50).try_for_each(|key| txn.put(&[n, key], &[n; 3000]))).wait()?;
        }
        assert_eq!(rows(&store.snapshot()?)?.len(), all.len() + 2500);
        assert_eq!(store.check()?, Health::Sound);
        assert_eq!(store.compact(|_| {}).unwrap_err().kind(), ErrorKind::Unsupported);
        store.close()?;
        assert!(fs::read(path).unwrap() == before, "{path:?} was changed");
        assert_eq!(rows(&OpenOptions::new().open_shared(path)?.snapshot()?)?, all);
    }
    assert_eq!(file_names(folder.path()), ["closed", "unclosed"]);
    Ok(())
}

#[test]
fn missing_and_foreign_files_are_not_opened_for_reading() {
    let folder = tempfile::tempdir().unwrap();
    let open =
        |name: &str| OpenOptions::new().open_shared(folder.path().join(name)).map(drop).unwrap_err().kind();
    assert_eq!(open("missing"), ErrorKind::NotFound);
    for (name, text) in [("empty", ""), ("notes", "remember the milk")] {
        fs::write(folder.path().join(name), text).unwrap();
        assert_eq!(open(name), ErrorKind::Foreign);
    }
    assert_eq!(file_names(folder.path()), ["empty", "notes"]);
}
