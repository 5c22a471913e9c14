//! Files after saving, restoring, compacting and forking.

use super::{file_names, fill, with_redb};
use nephos_store::{ErrorKind, Health, OpenOptions, Result, Store, View};
use nephos_store_testing::conformance::{rows, run_on_threads};
use std::fs;

#[test]
fn save_never_replaces_a_file() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    fill(&store)?;
    let target = folder.path().join("notes");
    fs::write(&target, "remember the milk").unwrap();
    for path in [&target, &folder.path().join("store"), folder.path()] {
        let error = store.save_to(path, |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Exists, "{error}");
    }
    assert_eq!(fs::read_to_string(&target).unwrap(), "remember the milk");
    let error = store.save_to(folder.path().join("no such folder/saved"), |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotFound, "{error}");
    assert_eq!(file_names(folder.path()), ["notes", "store", "store.nephos-lock"]);
    store.save_to(folder.path().join("saved"), |_| {})?;
    assert_eq!(file_names(folder.path()), ["notes", "saved", "store", "store.nephos-lock"]);
    Ok(())
}

#[test]
fn save_does_not_touch_other_files() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("backup.nephos-new"))?;
    let all = fill(&store)?;
    fs::write(folder.path().join("notes.nephos-new"), "remember the milk").unwrap();
    store.save_to(folder.path().join("notes"), |_| {})?;
    store.save_to(folder.path().join("backup"), |_| {})?;
    assert_eq!(fs::read_to_string(folder.path().join("notes.nephos-new")).unwrap(), "remember the milk");
    store.transact(|txn| txn.put(b"later", b"1")).wait()?;
    store.close()?;
    let store = Store::open(folder.path().join("backup.nephos-new"))?;
    assert_eq!(rows(&store.snapshot()?)?.len(), all.len() + 1);
    Ok(())
}

#[test]
fn one_of_several_concurrent_saves_to_a_path_succeeds() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let all = fill(&store)?;
    for round in 0..20 {
        let path = folder.path().join(format!("saved-{round}"));
        let saved = run_on_threads(4, |_| store.save_to(&path, |_| {}));
        let won = saved.iter().filter(|saved| saved.is_ok()).count();
        assert_eq!(won, 1, "round {round}: {saved:?}");
        let copy = Store::open(&path)?;
        assert_eq!(copy.check()?, Health::Sound);
        assert_eq!(rows(&copy.snapshot()?)?, all);
    }
    Ok(())
}

#[test]
fn failed_restore_keeps_the_rows() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    let file = |name: &str| folder.path().join(name);
    fs::write(file("notes"), "remember the milk").unwrap();
    fs::write(file("nothing"), "").unwrap();
    with_redb(&file("foreign"), |_| {});
    let foreign = fs::read(file("foreign")).unwrap();
    let cases = [
        (file("missing"), ErrorKind::NotFound),
        (file("notes"), ErrorKind::Foreign),
        (file("foreign"), ErrorKind::Foreign),
        (file("nothing"), ErrorKind::Foreign),
        (path.clone(), ErrorKind::Locked),
    ];
    for (source, kind) in cases {
        let name = source.display();
        let error = store.restore_from(&source, |_| {}).expect_err(&name.to_string());
        assert_eq!(error.kind(), kind, "{name}: {error}");
        assert_eq!(rows(&store.snapshot()?)?, all, "{name}");
    }
    assert!(!file("missing").exists());
    assert_eq!(fs::read_to_string(file("notes")).unwrap(), "remember the milk");
    assert_eq!(fs::read_to_string(file("nothing")).unwrap(), "");
    assert!(fs::read(file("foreign")).unwrap() == foreign);
    store.transact(|txn| txn.put(b"later", b"1")).wait()?;
    store.close()?;
    assert_eq!(rows(&Store::open(&path)?.snapshot()?)?.len(), all.len() + 1);
    Ok(())
}

#[test]
fn compact_shrinks_the_file_and_keeps_earlier_snapshots_readable() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    let store = Store::open(&path)?;
    store
        .transact(|txn| (0..4000u32).try_for_each(|n| txn.put(&n.to_be_bytes(), &[n as u8; 1000])))
        .wait()?;
    let before = store.snapshot()?;
    let fork = store.fork()?;
    store.transact(|txn| (10..4000u32).try_for_each(|n| txn.delete(&n.to_be_bytes()))).wait()?;
    let left = rows(&store.snapshot()?)?;
    let large = store.stats()?.file_bytes.unwrap();
    store.compact(|_| {})?;
    let small = store.stats()?.file_bytes.unwrap();
    assert!(small * 3 < large, "{large} bytes became {small}");
    assert_eq!(fs::metadata(&path).unwrap().len(), small);
    assert_eq!(rows(&before)?.len(), 4000);
    assert_eq!(before.get(&77u32.to_be_bytes())?.as_deref(), Some([77u8; 1000].as_slice()));
    assert_eq!(rows(&fork.snapshot()?)?.len(), 4000);

    store.transact(|txn| txn.put(b"later", b"1")).wait()?;
    assert_eq!(rows(&before)?.len(), 4000);
    drop((before, fork));
    store.close()?;
    let store = Store::open(&path)?;
    assert_eq!(store.check()?, Health::Sound);
    let mut expected = left;
    expected.insert(b"later".to_vec(), b"1".to_vec());
    assert_eq!(rows(&store.snapshot()?)?, expected);
    Ok(())
}

#[test]
fn snapshots_and_forks_of_a_closed_file_are_correct_or_return_closed() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    for (name, cache_bytes) in [("cached", 1 << 20), ("uncached", 0)] {
        let path = folder.path().join(name);
        let store = OpenOptions::new().cache_bytes(cache_bytes).open(&path)?;
        let all = fill(&store)?;
        let snapshot = store.snapshot()?;
        let fork = store.fork()?;
        fork.transact(|txn| txn.put(b"of the fork", b"1")).wait()?;
        store.close()?;

        let forked = fork.snapshot()?;
        assert_eq!(forked.get(b"of the fork")?.as_deref(), Some(b"1".as_slice()));
        let mut of_fork = all.clone();
        of_fork.insert(b"of the fork".to_vec(), b"1".to_vec());
        let large = |view: &dyn View| view.get(b"large").map(|value| value.map(|value| value.len()));
        let outcomes = [
            ("get", large(&snapshot).map(|len| len == Some(50_000))),
            ("scan", rows(&snapshot).map(|found| found == all)),
            ("get from the fork", large(&forked).map(|len| len == Some(50_000))),
            ("scan of the fork", rows(&forked).map(|found| found == of_fork)),
            ("transaction of the fork", fork.transact(|txn| Ok(rows(txn)?.len() == 137)).wait()),
            ("preview of the fork", fork.preview(|txn| Ok(rows(txn)?.len() == 137)).map(|(right, _)| right)),
            ("stats of the fork", fork.stats().map(|stats| stats.rows == 137)),
        ];
        for (what, outcome) in outcomes {
            match outcome {
                Ok(right) => assert!(right && cache_bytes > 0, "{what} after the file was closed"),
                Err(error) => assert_eq!(error.kind(), ErrorKind::Closed, "{what}: {error}"),
            }
        }
        let again = Store::open(&path)?;
        assert_eq!(again.check()?, Health::Sound, "held snapshots of the closed store must not block it");
    }
    Ok(())
}

#[test]
fn compacted_fork_is_independent_of_its_origin() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let all = fill(&store)?;
    let fork = store.fork()?;
    fork.compact(|_| {})?;
    store.close()?;
    assert_eq!(rows(&fork.snapshot()?)?, all);
    Ok(())
}
