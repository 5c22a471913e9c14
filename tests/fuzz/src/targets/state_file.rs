//! The state file with changed bytes: it does not open, or reading reports an error, or all rows are as they were.
//! An input is a list of changes, each of four bytes for the place and one to combine with the byte there.

use crate::targets::requests::{create_resources, options};
use nephos::{Cloud, CloudKey};
use std::{fs, sync::LazyLock};
use tempfile::TempDir;

/// All rows of a state.
type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// A state file, its rows, and the places of the bytes that are not zero: most of a small file is unused.
struct StateFile {
    bytes: Vec<u8>,
    rows: Rows,
    used: Vec<usize>,
}

static ORIGINAL: LazyLock<StateFile> = LazyLock::new(|| {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("state");
    let cloud = open(&path).expect("a new state opens");
    // Other services have key material, which does not depend on the seed.
    create_resources(&cloud, |service| matches!(service, "events" | "iam" | "logs"));
    cloud.close().expect("a state closes");
    drop(cloud);
    let bytes = fs::read(&path).expect("the state can be read");
    let rows = open(&path).and_then(|cloud| cloud.rows()).expect("the state opens");
    let used = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0).map(|(place, _)| place).collect();
    StateFile { bytes, rows, used }
});

fn open(path: &std::path::Path) -> nephos::Result<Cloud> {
    options().key(CloudKey::new([7; 32])).durable(false).open(path)
}

pub(crate) fn check(data: &[u8]) {
    let StateFile { bytes, rows, used } = &*ORIGINAL;
    let mut changed = bytes.clone();
    for change in data.chunks_exact(5) {
        let place = u32::from_le_bytes([change[0], change[1], change[2], change[3]]);
        changed[used[place as usize % used.len()]] ^= change[4];
    }
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("state");
    fs::write(&path, &changed).expect("the state can be written");
    let Ok(cloud) = open(&path) else { return };
    let Ok(found) = cloud.rows() else { return };
    assert!(without_open_count(&found) == without_open_count(rows), "other rows than before");
}

/// Removes the row that counts how often a state with a seed was opened.
fn without_open_count(rows: &Rows) -> Vec<&(Vec<u8>, Vec<u8>)> {
    let counts = |key: &[u8]| key.windows(6).any(|window| window == b"opened");
    rows.iter().filter(|(key, _)| !(key.starts_with(b"cloud") && counts(key))).collect()
}
