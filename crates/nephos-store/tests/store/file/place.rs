//! The place of a store file: sources that are only read, files that are moved away, and leftovers.

use super::{count, file_names, fill, increment, run_with_timeout, with_redb};
use nephos_store::{ErrorKind, Result, Store};
use nephos_store_testing::conformance::rows;
use std::{fs, path::Path, process::Command};

#[test]
fn source_of_a_restore_and_its_folder_stay_unchanged() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, sources) = (folder.path().join("store"), folder.path().join("sources"));
    fs::create_dir(&sources).unwrap();
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    store.save_to(sources.join("saved"), |_| {})?;
    // As a killed process leaves it.
    fs::copy(&path, sources.join("unclosed")).unwrap();
    with_redb(&sources.join("foreign"), |_| {});
    fs::write(sources.join("notes"), "remember the milk").unwrap();
    fs::write(sources.join("nothing"), "").unwrap();
    let names = file_names(&sources);
    let contents = || names.iter().map(|name| fs::read(sources.join(name)).unwrap()).collect::<Vec<_>>();
    let before = contents();
    for name in &names {
        let other = Store::open(folder.path().join(format!("restored-{name}")))?;
        match other.restore_from(sources.join(name), |_| {}) {
            Ok(()) => assert_eq!(rows(&other.snapshot()?)?, all, "{name}"),
            Err(error) => assert_eq!(error.kind(), ErrorKind::Foreign, "{name}: {error}"),
        }
    }
    assert_eq!(file_names(&sources), names);
    assert!(contents() == before, "a source was changed");
    let error = Store::in_memory().restore_from(&path, |_| {}).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Locked, "{error}");
    assert!(error.message().contains(&format!("in use by process {}", std::process::id())), "{error}");
    Ok(())
}

#[test]
fn folders_devices_and_pipes_are_refused_without_waiting() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let store = Store::open(folder.path().join("store"))?;
    let all = fill(&store)?;
    for path in [pipe.as_path(), Path::new("/dev/zero"), folder.path()] {
        let (restored, source) = (store.clone(), path.to_owned());
        let error = run_with_timeout(move || restored.restore_from(source, |_| {})).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::NotAFile, "{error}");
        assert!(error.message().contains(&path.display().to_string()), "{error}");
    }
    let error = run_with_timeout(move || Store::open(pipe)).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::NotAFile, "{error}");
    assert_eq!(rows(&store.snapshot()?)?, all);
    assert_eq!(file_names(folder.path()), ["pipe", "store", "store.nephos-lock"]);
    Ok(())
}

#[test]
fn removed_file_is_not_written() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, aside) = (folder.path().join("store"), folder.path().join("aside"));
    let store = Store::open(&path)?;
    fill(&store)?;
    assert_eq!(increment(&store).wait()?, 1);
    let all = rows(&store.snapshot()?)?;
    assert!(store.problem().is_none());
    let source = folder.path().join("source");
    store.save_to(&source, |_| {})?;
    fs::rename(&path, &aside).unwrap();
    let outcomes = [
        increment(&store).wait().map(drop),
        store.transact(|txn| txn.put(b"other", b"1")).wait(),
        store.compact(|_| {}),
        store.restore_from(&source, |_| {}),
    ];
    for (n, outcome) in outcomes.into_iter().enumerate() {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Moved, "{n}: {error}");
        assert!(error.message().contains("was removed"), "{error}");
    }
    assert_eq!(store.problem().map(|problem| problem.kind()), Some(ErrorKind::Moved));
    assert_eq!(rows(&store.snapshot()?)?, all, "reads must continue");
    let saved = folder.path().join("saved");
    store.save_to(&saved, |_| {})?;
    assert_eq!(rows(&Store::read_file(&saved)?)?, all);
    assert!(!path.exists(), "no new file may take its place");

    fs::rename(&aside, &path).unwrap();
    assert!(store.problem().is_none());
    assert_eq!(increment(&store).wait()?, 2);
    store.close()?;
    assert_eq!(count(&Store::open(&path)?)?, 2);
    Ok(())
}

#[test]
fn replaced_file_is_not_written() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    let store = Store::open(&path)?;
    fill(&store)?;
    store.save_to(&saved, |_| {})?;
    let source = folder.path().join("source");
    fs::copy(&saved, &source).unwrap();
    fs::rename(&saved, &path).unwrap();
    let replaced = fs::read(&path).unwrap();
    let outcomes =
        [increment(&store).wait().map(drop), store.compact(|_| {}), store.restore_from(&source, |_| {})];
    for (n, outcome) in outcomes.into_iter().enumerate() {
        let error = outcome.unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Moved, "{n}: {error}");
        assert!(error.message().contains("was replaced"), "{error}");
    }
    assert_eq!(count(&store)?, 0);
    store.close()?;
    assert!(fs::read(&path).unwrap() == replaced, "the other file was changed");
    Ok(())
}

#[test]
fn file_that_another_program_changes_is_neither_written_nor_read() -> Result<()> {
    type Change = fn(&Path, &Path);
    let changes: [(&str, Change); 4] = [
        ("emptied", |path, _| fs::write(path, "").unwrap()),
        ("cut", |path, _| fs::File::options().write(true).open(path).unwrap().set_len(8192).unwrap()),
        ("copied over", |path, other| {
            fs::copy(other, path).unwrap();
        }),
        ("overwritten", |path, _| {
            let mut bytes = fs::read(path).unwrap();
            bytes.fill(7);
            fs::write(path, bytes).unwrap();
        }),
    ];
    for (name, change) in changes {
        let folder = tempfile::tempdir().unwrap();
        let (path, other) = (folder.path().join("store"), folder.path().join("other"));
        let store = Store::open(&path)?;
        fill(&store)?;
        store.save_to(&other, |_| {})?;
        assert_eq!(increment(&store).wait()?, 1);
        assert!(store.problem().is_none(), "{name}");
        change(&path, &other);
        let changed = fs::read(&path).unwrap();
        let error = increment(&store).wait().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Moved, "{name}: {error}");
        assert!(error.message().contains("another program has changed"), "{name}: {error}");
        for outcome in [increment(&store).wait().map(drop), count(&store).map(drop), store.compact(|_| {})] {
            let error = outcome.unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::Corrupt | ErrorKind::Moved), "{name}: {error}");
        }
        assert!(store.problem().is_some(), "{name}");
        store.close()?;
        assert!(fs::read(&path).unwrap() == changed, "{name}: the file of the other program was written");
    }
    Ok(())
}

#[test]
fn file_that_is_copied_over_an_idle_store_stays_as_it_is() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let (path, saved) = (folder.path().join("store"), folder.path().join("saved"));
    let store = Store::open(&path)?;
    let all = fill(&store)?;
    store.save_to(&saved, |_| {})?;
    increment(&store).wait()?;
    fs::copy(&saved, &path).unwrap();
    store.close()?;
    assert_eq!(rows(&Store::open(&path)?.snapshot()?)?, all);
    Ok(())
}

#[test]
#[cfg(unix)]
fn link_to_a_store_stays_a_link() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let [path, links, saved] = ["store", "links", "saved"].map(|name| folder.path().join(name));
    fs::create_dir(&links).unwrap();
    let (one, two) = (links.join("one"), links.join("two"));
    std::os::unix::fs::symlink("../store", &one).unwrap();
    std::os::unix::fs::symlink("one", &two).unwrap();
    for link in [&one, &two] {
        let store = Store::open(link)?;
        let error = Store::open(&path).map(drop).unwrap_err();
        assert!(error.message().contains("in use by process"), "the lock is that of the file: {error}");
        let before = count(&store)?;
        store.save_to(&saved, |_| {})?;
        increment(&store).wait()?;
        store.compact(|_| {})?;
        assert_eq!(count(&store)?, before + 1);
        store.restore_from(&saved, |_| {})?;
        increment(&store).wait()?;
        store.close()?;
        assert_eq!(count(&Store::open(&path)?)?, before + 1);
        fs::remove_file(&saved).unwrap();
    }
    assert!(one.is_symlink() && two.is_symlink());
    assert_eq!(file_names(&links), ["one", "two"]);
    assert_eq!(file_names(folder.path()), ["links", "store", "store.nephos-lock"]);
    Ok(())
}

#[test]
#[cfg(target_os = "linux")]
fn leftovers_of_ended_processes_are_removed() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store");
    // No process has the highest number.
    let left = ["store.4294967295-0.nephos-new", "saved.4294967295-3.nephos-new"];
    let leave = || left.map(|name| fs::write(folder.path().join(name), "half a store").unwrap());
    let other = format!("saved.{}-0.nephos-new", std::os::unix::process::parent_id());
    fs::write(folder.path().join(&other), "of a running process").unwrap();
    leave();
    let store = Store::open(&path)?;
    assert_eq!(file_names(folder.path()), [other.as_str(), "store", "store.nephos-lock"]);
    leave();
    store.save_to(folder.path().join("saved"), |_| {})?;
    assert_eq!(file_names(folder.path()), ["saved", other.as_str(), "store", "store.nephos-lock"]);
    Ok(())
}

#[test]
fn rows_that_stay_are_in_the_replacement_itself() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("saved");
    let store = Store::open(folder.path().join("store"))?;
    fill(&store)?;
    store.save_to(&saved, |_| {})?;
    for store in [store, Store::in_memory()] {
        store.transact(|txn| txn.put(b"kept", b"1").and_then(|()| txn.put(b"dropped", b"1"))).wait()?;
        let source = Store::read_file(&saved)?;
        let mut expected = rows(&source)?;
        expected.insert(b"kept".to_vec(), b"1".to_vec());
        let keep = |current: &dyn nephos_store::View| {
            let row = current.get(b"kept")?.map(|value| nephos_store::Row::new(b"kept", &value));
            Ok(row.into_iter().collect())
        };
        store.replace_with(source, keep, |_| {})?;
        assert_eq!(rows(&store.snapshot()?)?, expected);
        let refuse = |_: &dyn nephos_store::View| Err(nephos_store::Error::new(ErrorKind::Busy, "not now"));
        let error = store.replace_with(Store::in_memory().snapshot()?, refuse, |_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Busy);
        assert_eq!(rows(&store.snapshot()?)?, expected);
    }
    Ok(())
}
