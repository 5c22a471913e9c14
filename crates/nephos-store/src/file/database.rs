//! The open database of a store, shared by the writer thread and the callers that take snapshots.

use super::{
    lock::Lock,
    open::{Opened, Opener},
    place::{OpenFile, check_in_place, overwritten_error},
    read_only::{Images, ReadOnlyDisk, Stop},
    rows::{Damaged, Redb},
};
use crate::{Error, ErrorKind, Result, Snapshot};
use redb::StorageBackend;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The open database.
pub(super) struct Database {
    pub(super) opener: Opener,
    current: Mutex<Current>,
}

struct Current {
    redb: Arc<Redb>,
    /// File of the database; none for a simulated disk.
    file: Option<OpenFile>,
    /// Images of the disk that are being verified.
    images: Images,
    /// Number of commits, so that a snapshot begun before a commit is not cached as the newest after it.
    generation: u64,
    /// Newest snapshot, if one was taken since the last commit: cached because beginning a read transaction costs
    /// more than reading a row.
    newest: Option<Snapshot>,
    closed: bool,
    /// Lock that keeps other processes out while the store is open.
    lock: Option<Lock>,
}

impl Database {
    pub(super) fn new(opener: Opener, opened: Opened, lock: Option<Lock>) -> Self {
        let Opened { redb, format, file, images, disk } = opened;
        let redb = Redb::on_disk(redb, format, disk);
        let current = Current { redb, file, images, generation: 0, newest: None, closed: false, lock };
        Self { opener, current: Mutex::new(current) }
    }

    pub(super) fn redb(&self) -> Arc<Redb> {
        self.current().redb.clone()
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let (redb, generation) = {
            let current = self.current();
            if current.closed {
                return Err(Error::closed());
            }
            current.redb.check_undamaged()?;
            if let Some(newest) = &current.newest {
                return Ok(newest.clone());
            }
            (current.redb.clone(), current.generation)
        };
        let snapshot = redb.snapshot().map_err(|error| self.unavailable(error))?;
        let mut current = self.current();
        if current.generation == generation && !current.closed {
            current.newest = Some(snapshot.clone());
        }
        Ok(snapshot)
    }

    /// Returns a snapshot that can be read even if a check has found damage.
    pub(super) fn unverified_snapshot(&self) -> Result<Snapshot> {
        self.redb().snapshot_if(Damaged::Read).map_err(|error| self.unavailable(error))
    }

    pub(super) fn file_bytes(&self) -> Result<u64> {
        self.opener.location.file_bytes()
    }

    pub(super) fn close(&self) {
        // redb writes into the file when it is closed, unless the check finds out that it is no longer ours.
        let _ = self.check_unchanged();
        let redb = {
            let mut current = self.current();
            current.closed = true;
            current.newest = None;
            current.file = None;
            current.redb.clone()
        };
        redb.close();
        drop(self.current().lock.take());
    }

    fn current(&self) -> MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces a `Closed` error by `Unavailable` if the store is open: then a failure has closed the database.
    pub(super) fn unavailable(&self, error: Error) -> Error {
        match error.kind() {
            ErrorKind::Closed if !self.current().closed && self.opener.failure.has_happened() => {
                unavailable_error()
            }
            ErrorKind::Closed | ErrorKind::Unavailable if !self.current().closed => {
                let message = "a disk operation failed; the next transaction retries";
                Error::new(ErrorKind::Unavailable, message)
            }
            _ => error,
        }
    }

    /// Returns the reason why the store refuses reads or writes, if it does.
    pub(super) fn problem(&self) -> Option<Error> {
        if self.opener.failure.has_happened() {
            return Some(unavailable_error());
        }
        self.redb().check_undamaged().and_then(|()| self.check_unchanged()).err()
    }

    /// Fails if the path of the store no longer names the open file: what is written would be lost at the end.
    pub(super) fn check_in_place(&self) -> Result<()> {
        let identity = self.current().file.as_ref().map(OpenFile::identity);
        match (identity, self.opener.location.given_path()) {
            (Some((id, _)), Some(path)) => check_in_place(path, id),
            _ => Ok(()),
        }
    }

    /// Fails if the path no longer names the open file, or if another program has changed the file. In the second case
    /// nothing is read or written from then on.
    pub(super) fn check_unchanged(&self) -> Result<()> {
        self.check_in_place()?;
        let (redb, identity) = {
            let current = self.current();
            (current.redb.clone(), current.file.as_ref().map(OpenFile::identity))
        };
        match (identity, self.opener.location.given_path()) {
            (Some((_, own_writes)), Some(path)) if own_writes.are_overwritten() => {
                redb.set_damaged(true);
                Err(overwritten_error(path))
            }
            _ => Ok(()),
        }
    }

    /// Returns the disk of the database as it is now, for a check of its pages. No commit may run meanwhile.
    pub(super) fn frozen_disk(&self, stop: Stop) -> Result<ReadOnlyDisk> {
        let current = self.current();
        let disk: Box<dyn StorageBackend> = match &current.file {
            Some(file) => file.disk()?,
            None => self.opener.location.disk()?.0,
        };
        ReadOnlyDisk::frozen(disk, &current.images, stop)
            .map_err(|cause| Error::io("cannot read the store", cause))
    }

    /// Opens the database again at its last commit, unless another file has taken its place.
    pub(super) fn reopen(&self) -> Result<()> {
        self.check_unchanged()?;
        let opened = self.opener.open()?;
        self.replace(opened);
        Ok(())
    }

    /// Discards the cached snapshot.
    pub(super) fn discard_snapshot(&self) {
        let mut current = self.current();
        current.generation += 1;
        current.newest = None;
    }

    /// Makes `opened` the current database; snapshots of the previous one stay valid.
    pub(super) fn replace(&self, opened: Opened) {
        let mut current = self.current();
        current.generation += 1;
        current.newest = None;
        current.redb = Redb::on_disk(opened.redb, opened.format, opened.disk);
        current.file = opened.file;
        current.images = opened.images;
    }
}

pub(super) fn unavailable_error() -> Error {
    let message =
        "the state on disk is unknown after an earlier disk failure: close the store and open it again";
    Error::new(ErrorKind::Unavailable, message)
}
