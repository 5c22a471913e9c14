//! redb as the storage engine of the writer thread.

use super::{
    copy,
    database::{Database, unavailable_error},
    disk::SyncFailure,
    failure::{catch_panic, redb_error},
    lock, place,
    read_only::{ReadOnlyDisk, Stop},
    rows::{ROWS, RedbTable},
    verify,
};
use crate::{
    Error, ErrorKind, Health, Result, Snapshot, View,
    backend::{Progress, Replacement},
    group::{Batch, Engine},
    txn::Writes,
};
use redb::Durability;
use std::{fs, sync::Arc};

/// Number of groups that are synced together with relaxed durability.
const RELAXED_GROUPS: u32 = 256;

/// Number of groups after which the place of the file is checked again with relaxed durability, where the check would cost
/// a noticeable part of each group.
const RELAXED_PLACE_CHECK: u32 = 16;

/// The writer thread's part of the database.
pub(super) struct RedbEngine {
    database: Arc<Database>,
    /// Groups committed but not synced.
    unsynced: u32,
}

impl RedbEngine {
    pub(super) fn new(database: Arc<Database>) -> Self {
        Self { database, unsynced: 0 }
    }

    pub(super) fn database(&self) -> Arc<Database> {
        self.database.clone()
    }

    fn failure(&self) -> &SyncFailure {
        &self.database.opener.failure
    }

    /// Reopens the database after a failed write, so that the store can continue. It stays closed after a failed sync,
    /// when the state on disk is unknown, and when reopening would lose acknowledged but unsynced transactions.
    fn recover(&mut self) -> Result<()> {
        self.database.redb().close();
        self.database.discard_snapshot();
        if self.unsynced > 0 {
            self.failure().record();
        }
        if self.failure().has_happened() {
            return Err(unavailable_error());
        }
        self.database.reopen()?;
        self.unsynced = 0;
        Ok(())
    }

    fn try_group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        let sync = self.database.opener.options.durable || self.unsynced >= RELAXED_GROUPS;
        let current = self.database.redb();
        let wrote = current.with(|redb| {
            catch_panic("cannot commit", || {
                let mut txn =
                    redb.begin_write().map_err(|cause| redb_error("cannot begin to write", cause))?;
                txn.set_quick_repair(true);
                if !sync {
                    txn.set_durability(Durability::None)
                        .map_err(|cause| redb_error("cannot begin to write", cause))?;
                }
                let wrote = {
                    let table =
                        txn.open_table(ROWS).map_err(|cause| redb_error("cannot write the rows", cause))?;
                    let mut batch =
                        RedbBatch { view: RedbTable { table, format: current.format }, wrote: false };
                    fill(&mut batch)?;
                    batch.wrote
                };
                if wrote {
                    if sync || self.unsynced.is_multiple_of(RELAXED_PLACE_CHECK) {
                        self.database.check_unchanged()?;
                    }
                    txn.commit().map_err(|cause| redb_error("cannot commit", cause))?;
                } else {
                    // Without writes every answer is valid, also that of a failed read.
                    let _ = txn.abort();
                }
                Ok(wrote)
            })
        })?;
        if wrote {
            self.database.discard_snapshot();
            self.unsynced = if sync { 0 } else { self.unsynced + 1 };
        }
        Ok(())
    }

    /// Writes the rows of `with`, or of the database itself, into a new file that replaces the current one.
    pub(super) fn rewrite(&mut self, with: Option<Replacement>, progress: &mut Progress<'_>) -> Result<()> {
        let database = self.database.clone();
        let Some(path) = database.opener.location.path() else {
            return Err(Error::new(ErrorKind::Unsupported, "only a store with a path can be rewritten"));
        };
        let source = match with {
            Some(replacement) => {
                database.check_in_place()?;
                replacement.merge(&database.unverified_snapshot()?)?
            }
            None => {
                database.check_unchanged()?;
                self.verify()?;
                database.snapshot()?
            }
        };
        let temp_path = lock::sibling_path(path, lock::TEMP_EXTENSION);
        // An earlier rewrite may have failed before the rename.
        let _ = fs::remove_file(&temp_path);
        copy::write(&source, &temp_path, database.opener.options.clone(), progress)?;
        let opened = database.opener.open_at(&temp_path)?;
        let failed = |cause| Error::io(format_args!("cannot replace {}", path.display()), cause);
        fs::rename(&temp_path, path).map_err(failed)?;
        // The path now names the new file; writes to the old one would be lost.
        database.replace(opened);
        self.unsynced = 0;
        place::sync_folder(path).map_err(|cause| {
            // After a power loss the old file may be back.
            self.failure().record();
            let _ = self.recover();
            failed(cause)
        })
    }

    /// Verifies all pages. If one is damaged, the store refuses reads and writes from now on.
    pub(super) fn verify(&mut self) -> Result<()> {
        self.flush()?;
        let verified = verify::verify(self.database.frozen_disk(Stop::default())?);
        self.database.redb().set_damaged(verify::found_damage(&verified));
        verified
    }

    /// Returns a snapshot of the newest state and the disk that it is on.
    pub(super) fn freeze(&mut self, stop: Stop) -> Result<(Snapshot, ReadOnlyDisk)> {
        self.flush()?;
        Ok((self.database.snapshot()?, self.database.frozen_disk(stop)?))
    }

    /// Verifies all pages, and repairs the file if it is damaged and can be repaired.
    pub(super) fn check(&mut self) -> Result<Health> {
        let Err(error) = self.verify() else { return Ok(Health::Sound) };
        if error.kind() != ErrorKind::Corrupt {
            return Err(error);
        }
        self.database.discard_snapshot();
        let redb = self.database.redb();
        // It also fails while snapshots are held, and does not change a file whose pages are right and whose rows are not.
        let repaired = catch_panic("the check failed", || {
            let mut redb = redb.exclusive();
            let redb = redb.as_mut().ok_or_else(unavailable_error)?;
            redb.check_integrity().map_err(|cause| redb_error("the check failed", cause))
        });
        match repaired {
            Ok(false) => self.verify().map(|()| Health::Repaired),
            _ => Err(error),
        }
    }

    /// Syncs commits that are not yet synced.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.unsynced == 0 {
            return Ok(());
        }
        let flushed = self.database.redb().with(|redb| {
            let mut txn = redb.begin_write().map_err(|cause| redb_error("cannot flush", cause))?;
            txn.set_quick_repair(true);
            txn.commit().map_err(|cause| redb_error("cannot flush", cause))
        });
        match &flushed {
            Ok(()) => self.unsynced = 0,
            Err(_) => drop(self.recover()),
        }
        flushed.map_err(|error| self.database.unavailable(error))
    }
}

impl Engine for RedbEngine {
    fn group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        self.database.redb().check_undamaged()?;
        let mut ran = false;
        let mut committed = self.try_group(&mut |batch| {
            ran = true;
            fill(batch)
        });
        if committed.is_err() && !ran {
            // If the database failed outside of a commit, or could not be reopened after one, retry once before any
            // transaction runs.
            self.recover()?;
            committed = self.try_group(fill);
        }
        committed.inspect_err(|error| {
            // The group gets this error; the next group finds out whether the store can continue.
            if error.kind() != ErrorKind::Moved {
                let _ = self.recover();
            }
        })
    }
}

/// The open rows table of a write transaction.
struct RedbBatch<'t> {
    view: RedbTable<redb::Table<'t, &'static [u8], &'static [u8]>>,
    wrote: bool,
}

impl Batch for RedbBatch<'_> {
    fn view(&self) -> &dyn View {
        &self.view
    }

    fn apply(&mut self, writes: Writes) -> Result<()> {
        let RedbTable { table, format } = &mut self.view;
        for (key, change) in writes {
            match change {
                Some(value) => table.insert(&*key, &*format.encode(&key, &value)).map(drop),
                None => table.remove(&*key).map(drop),
            }
            .map_err(|cause| redb_error("cannot write a row", cause))?;
        }
        self.wrote = true;
        Ok(())
    }
}
