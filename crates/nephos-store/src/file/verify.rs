//! Verification of store files by the checksums of their pages.

use super::{
    File,
    failure::{catch_panic, redb_error},
    open::read_format,
    read_only::ReadOnlyDisk,
    rows::Redb,
};
use crate::{Direction, Error, ErrorKind, KeyRange, Result, View};
use redb::StorageBackend;
use std::{
    ops::ControlFlow,
    sync::{Arc, Weak},
    thread,
};

/// Maximum size of a file that is verified before it is opened. Larger files are verified while they are in use.
pub(super) const MAX_BYTES_BEFORE_OPENING: u64 = 8 << 20;

/// Size of the cache of a database that is only verified. Files that are verified before they are opened fit in.
const CACHE_BYTES: usize = 16 << 20;

const FAILED: &str = "the check failed";

/// Verifies all pages and rows of the database on `disk`. A damaged row can be in a page that matches its checksum, if
/// another row of the page was written after the damage.
pub(super) fn verify(disk: ReadOnlyDisk) -> Result<()> {
    let mut redb = open(disk, CACHE_BYTES)?;
    check_pages(&mut redb)?;
    let format = catch_panic(FAILED, || read_format(&redb))?;
    let rows = Redb::new(redb, format).snapshot()?;
    rows.scan(&KeyRange::all(), Direction::Ascending, &mut |_, _| ControlFlow::Continue(()))
}

/// Opens a database that is only read.
pub(super) fn open(disk: impl StorageBackend, cache_bytes: usize) -> Result<redb::Database> {
    catch_panic("cannot open the store", || {
        redb::Builder::new()
            .set_cache_size(cache_bytes)
            .create_with_backend(disk)
            .map_err(|cause| redb_error("cannot open the store", cause))
    })
}

/// Verifies all pages of `redb`, of which nothing else is in use.
pub(super) fn check_pages(redb: &mut redb::Database) -> Result<()> {
    catch_panic(FAILED, || match redb.check_integrity() {
        Ok(true) => Ok(()),
        Ok(false) => Err(Error::new(ErrorKind::Corrupt, format!("{FAILED}: the newest commit is damaged"))),
        Err(cause) => Err(redb_error(FAILED, cause)),
    })
}

/// True if `verified` found damage. Other failures, such as of reading, say nothing about the data.
pub(super) fn found_damage(verified: &Result<()>) -> bool {
    verified.as_ref().is_err_and(|error| error.kind() == ErrorKind::Corrupt)
}

/// Verifies `disk` on a new thread, and makes the store refuse reads and writes if it is damaged.
pub(super) fn verify_in_background(file: &Arc<File>, disk: ReadOnlyDisk) -> Result<()> {
    let file: Weak<File> = Arc::downgrade(file);
    let thread = thread::Builder::new().name("nephos-verify".to_owned()).spawn(move || {
        if verify(disk).is_err()
            && let Some(file) = file.upgrade()
        {
            // The result is in the store: it refuses reads and writes from now on.
            let _ = file.verify_again();
        }
    });
    thread.map(drop).map_err(|cause| Error::io("cannot start the thread that verifies the file", cause))
}
