//! An open redb database and its rows, as snapshots and transactions read them.

use super::{
    failure::{catch_panic, damage_error, redb_error},
    row_format::RowFormat,
};
use crate::{Direction, Error, ErrorKind, KeyRange, Result, Snapshot, Value, View, view::Visitor};
use redb::{ReadableDatabase, ReadableTable, StorageBackend, TableDefinition};
use std::{
    cell::Cell,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, PoisonError, RwLock, RwLockWriteGuard,
        atomic::{AtomicBool, Ordering},
    },
};

/// The table of all rows.
pub(super) const ROWS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("rows");

/// A redb database that can be closed while snapshots of it are still held.
pub(super) struct Redb {
    database: RwLock<Option<redb::Database>>,
    pub(super) format: RowFormat,
    /// True if a check has found damage: then nothing is read from the database any more.
    damaged: AtomicBool,
    /// The disk below the database, if it can be written.
    disk: Option<Arc<dyn StorageBackend>>,
}

impl Drop for Redb {
    fn drop(&mut self) {
        self.close();
    }
}

impl Redb {
    pub(super) fn new(database: redb::Database, format: RowFormat) -> Arc<Self> {
        Self::with_disk(database, format, None)
    }

    /// Creates the database on a disk that can be written.
    pub(super) fn on_disk(
        database: redb::Database,
        format: RowFormat,
        disk: Arc<dyn StorageBackend>,
    ) -> Arc<Self> {
        Self::with_disk(database, format, Some(disk))
    }

    fn with_disk(
        database: redb::Database,
        format: RowFormat,
        disk: Option<Arc<dyn StorageBackend>>,
    ) -> Arc<Self> {
        let database = RwLock::new(Some(database));
        Arc::new(Self { database, format, damaged: AtomicBool::new(false), disk })
    }

    pub(super) fn with<T>(&self, use_it: impl FnOnce(&redb::Database) -> Result<T>) -> Result<T> {
        let database = self.database.read().unwrap_or_else(PoisonError::into_inner);
        use_it(database.as_ref().ok_or_else(Error::closed)?)
    }

    /// Returns the database for exclusive use; `None` once it is closed.
    pub(super) fn exclusive(&self) -> RwLockWriteGuard<'_, Option<redb::Database>> {
        self.database.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Closes the database; reads of its snapshots fail from now on.
    pub(super) fn close(&self) {
        // Held until the file is closed: another caller that closes it returns after that, too.
        let mut database = self.exclusive();
        if let (true, Some(disk)) = (self.damaged.load(Ordering::Acquire), &self.disk) {
            // redb commits when it is dropped, and damaged pages can make it panic again while it cleans up after a panic, which ends
            // the program. Its memory is not freed instead; closing the disk unlocks the file.
            std::mem::forget(database.take());
            let _ = disk.close();
            return;
        }
        // redb panics here if it has panicked on a damaged page before. Commits are already on disk.
        let _ = catch_panic("cannot close the file", || {
            drop(database.take());
            Ok(())
        });
    }

    pub(super) fn set_damaged(&self, damaged: bool) {
        self.damaged.store(damaged, Ordering::Release);
    }

    /// Fails if a check has found damage.
    pub(super) fn check_undamaged(&self) -> Result<()> {
        if !self.damaged.load(Ordering::Acquire) {
            return Ok(());
        }
        let message = "the store file is damaged, so that its rows may be wrong: restore a snapshot, or replace the file \
                       by a sound copy";
        Err(Error::new(ErrorKind::Corrupt, message))
    }

    /// Returns a snapshot of the newest commit.
    pub(super) fn snapshot(self: &Arc<Self>) -> Result<Snapshot> {
        self.snapshot_if(Damaged::Refuse)
    }

    pub(super) fn snapshot_if(self: &Arc<Self>, damaged: Damaged) -> Result<Snapshot> {
        let table = self.with(|redb| {
            catch_panic("cannot begin to read", || {
                let txn = redb.begin_read().map_err(|cause| redb_error("cannot begin to read", cause))?;
                txn.open_table(ROWS).map_err(|cause| redb_error("cannot read the rows", cause))
            })
        })?;
        Ok(Snapshot::new(Arc::new(RedbSnapshot { table, redb: self.clone(), damaged })))
    }
}

/// Behaviour of a snapshot once a check has found damage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Damaged {
    /// Reads fail.
    Refuse,
    /// Reads continue, for rows that prove by themselves to be right, such as sealed ones.
    Read,
}

/// A committed state. It keeps its database open, because another may have replaced it.
struct RedbSnapshot {
    table: redb::ReadOnlyTable<&'static [u8], &'static [u8]>,
    redb: Arc<Redb>,
    damaged: Damaged,
}

impl RedbSnapshot {
    fn check(&self) -> Result<()> {
        match self.damaged {
            Damaged::Refuse => self.redb.check_undamaged(),
            Damaged::Read => Ok(()),
        }
    }
}

impl View for RedbSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        self.check()?;
        get(&self.table, self.redb.format, key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        self.check()?;
        scan(&self.table, self.redb.format, range, direction, visit)
    }
}

/// A redb table as a [`View`].
pub(super) struct RedbTable<T> {
    pub(super) table: T,
    pub(super) format: RowFormat,
}

impl<T: ReadableTable<&'static [u8], &'static [u8]>> View for RedbTable<T> {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        get(&self.table, self.format, key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        scan(&self.table, self.format, range, direction, visit)
    }
}

fn get(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    format: RowFormat,
    key: &[u8],
) -> Result<Option<Value>> {
    catch_panic("cannot read a row", || {
        let found = table.get(key).map_err(|cause| redb_error("cannot read a row", cause))?;
        found.map(|value| format.decode(key, value.value()).map(Into::into)).transpose()
    })
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
    format: RowFormat,
    range: &KeyRange,
    direction: Direction,
    visit: &mut Visitor<'_>,
) -> Result<()> {
    if range.is_empty() {
        return Ok(());
    }
    let failed = "cannot read a range";
    // A panic of the visitor is the caller's, and is passed on.
    let visiting = Cell::new(false);
    let scanned = catch_unwind(AssertUnwindSafe(|| {
        let mut rows = table.range::<&[u8]>(range.bounds()).map_err(|cause| redb_error(failed, cause))?;
        loop {
            let row = match direction {
                Direction::Ascending => rows.next(),
                Direction::Descending => rows.next_back(),
            };
            let Some(row) = row else { return Ok(()) };
            let (key, value) = row.map_err(|cause| redb_error(failed, cause))?;
            let value = format.decode(key.value(), value.value())?;
            visiting.set(true);
            if visit(key.value(), value).is_break() {
                return Ok(());
            }
            visiting.set(false);
        }
    }));
    match scanned {
        Err(panic) if visiting.get() => resume_unwind(panic),
        Err(_) => Err(damage_error(failed)),
        Ok(scanned) => scanned,
    }
}
