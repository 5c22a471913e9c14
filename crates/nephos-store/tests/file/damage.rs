//! Checks of sound and damaged files.

use crate::{count, fill, increment, run_with_timeout};
use nephos_store::{
    Error, ErrorKind, Health, Result, Store,
    conformance::{Rows, rows},
};
use std::{fs, path::Path};

#[test]
fn check_returns_busy_while_snapshots_are_held() -> Result<()> {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::open(folder.path().join("store"))?;
    let all = fill(&store)?;
    assert_eq!(store.check()?, Health::Sound);
    let snapshot = store.snapshot()?;
    assert_eq!(store.check().unwrap_err().kind(), ErrorKind::Busy);
    assert_eq!(rows(&snapshot)?, all);
    let fork = store.fork()?;
    drop(snapshot);
    assert_eq!(store.check().unwrap_err().kind(), ErrorKind::Busy);
    drop(fork);
    assert_eq!(store.check()?, Health::Sound);
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
