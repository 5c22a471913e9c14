//! redb as the storage engine of the writer thread, and as the source of snapshots.

use super::{
    copy,
    disk::SyncFailure,
    failure::{catch_panic, damage_error, redb_error},
    lock::{self, Lock},
    open::{Location, Opener},
};
use crate::{
    Direction, Error, ErrorKind, Health, KeyRange, Result, Snapshot, Value, View,
    backend::Progress,
    group::{Batch, Engine},
    txn::Writes,
    view::Visitor,
};
use redb::{Durability, ReadableDatabase, ReadableTable, TableDefinition};
use std::{
    cell::Cell,
    fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// The table of all rows.
pub(super) const ROWS: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("rows");

/// Number of groups that are synced together with relaxed durability.
const RELAXED_GROUPS: u32 = 256;

/// The open database, shared by the writer thread and the callers that take snapshots.
pub(super) struct Database {
    opener: Opener,
    current: Mutex<Current>,
}

struct Current {
    redb: Arc<Redb>,
    /// Number of commits, so that a snapshot begun before a commit is not cached as the newest after it.
    generation: u64,
    /// Newest snapshot, if one was taken since the last commit: cached because beginning a read transaction costs
    /// more than reading a row.
    newest: Option<Snapshot>,
    closed: bool,
    /// Lock that keeps other processes out while the store is open.
    lock: Option<Lock>,
}

/// A redb database that can be closed while snapshots of it are still held.
struct Redb(RwLock<Option<redb::Database>>);

impl Redb {
    fn new(database: redb::Database) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Some(database))))
    }

    fn with<T>(&self, use_it: impl FnOnce(&redb::Database) -> Result<T>) -> Result<T> {
        let database = self.0.read().unwrap_or_else(PoisonError::into_inner);
        use_it(database.as_ref().ok_or_else(Error::closed)?)
    }

    /// Closes the database; reads of its snapshots fail from now on.
    fn close(&self) {
        drop(self.0.write().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Database {
    pub(super) fn new(opener: Opener, redb: redb::Database, lock: Option<Lock>) -> Self {
        let current = Current { redb: Redb::new(redb), generation: 0, newest: None, closed: false, lock };
        Self { opener, current: Mutex::new(current) }
    }

    pub(super) fn snapshot(&self) -> Result<Snapshot> {
        let (redb, generation) = {
            let current = self.current();
            if let Some(newest) = &current.newest {
                return Ok(newest.clone());
            }
            if current.closed {
                return Err(Error::closed());
            }
            (current.redb.clone(), current.generation)
        };
        let table = redb.with(|redb| {
            catch_panic("cannot begin to read", || {
                let txn = redb.begin_read().map_err(|cause| redb_error("cannot begin to read", cause))?;
                txn.open_table(ROWS).map_err(|cause| redb_error("cannot read the rows", cause))
            })
        });
        let table = table.map_err(|error| self.unavailable(error))?;
        let snapshot = Snapshot::new(Arc::new(RedbSnapshot { table, _open: redb }));
        let mut current = self.current();
        if current.generation == generation && !current.closed {
            current.newest = Some(snapshot.clone());
        }
        Ok(snapshot)
    }

    pub(super) fn file_bytes(&self) -> Result<u64> {
        self.opener.location.file_bytes()
    }

    pub(super) fn close(&self) {
        let redb = {
            let mut current = self.current();
            current.closed = true;
            current.newest = None;
            current.redb.clone()
        };
        redb.close();
        drop(self.current().lock.take());
    }

    fn current(&self) -> std::sync::MutexGuard<'_, Current> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces a `Closed` error by `Unavailable` if the store is open: then a failure has closed the database.
    fn unavailable(&self, error: Error) -> Error {
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

    /// Discards the cached snapshot.
    fn discard_snapshot(&self) {
        let mut current = self.current();
        current.generation += 1;
        current.newest = None;
    }

    /// Makes `redb` the current database; snapshots of the previous one stay valid.
    fn replace(&self, redb: redb::Database) {
        let mut current = self.current();
        current.generation += 1;
        current.newest = None;
        current.redb = Redb::new(redb);
    }
}

fn unavailable_error() -> Error {
    let message =
        "the state on disk is unknown after an earlier disk failure: close the store and open it again";
    Error::new(ErrorKind::Unavailable, message)
}

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

    fn redb(&self) -> Arc<Redb> {
        self.database.current().redb.clone()
    }

    fn failure(&self) -> &SyncFailure {
        &self.database.opener.failure
    }

    /// Reopens the database after a failed write, so that the store can continue. It stays closed after a failed sync,
    /// when the state on disk is unknown, and when reopening would lose acknowledged but unsynced transactions.
    fn recover(&mut self) -> Result<()> {
        self.redb().close();
        self.database.discard_snapshot();
        if self.unsynced > 0 {
            self.failure().record();
        }
        if self.failure().has_happened() {
            return Err(unavailable_error());
        }
        let redb = self.database.opener.open()?;
        self.database.replace(redb);
        self.unsynced = 0;
        Ok(())
    }

    fn try_group(&mut self, fill: &mut dyn FnMut(&mut dyn Batch) -> Result<()>) -> Result<()> {
        let sync = self.database.opener.options.durable || self.unsynced >= RELAXED_GROUPS;
        let wrote = self.redb().with(|redb| {
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
                    let mut batch = RedbBatch { view: RedbTable(table), wrote: false };
                    fill(&mut batch)?;
                    batch.wrote
                };
                if wrote {
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
    pub(super) fn rewrite(&mut self, with: Option<Snapshot>, progress: &mut Progress<'_>) -> Result<()> {
        let database = self.database.clone();
        let Location::Path(path) = &database.opener.location else {
            return Err(Error::new(ErrorKind::Unsupported, "only a store with a path can be rewritten"));
        };
        let source = match with {
            Some(source) => source,
            None => database.snapshot()?,
        };
        let temp_path = lock::sibling_path(path, lock::TEMP_EXTENSION);
        // An earlier rewrite may have failed before the rename.
        let _ = fs::remove_file(&temp_path);
        copy::write(&source, &temp_path, database.opener.options.clone(), progress)?;
        let redb = database.opener.open_at(&temp_path)?;
        let failed = |cause| Error::io(format_args!("cannot replace {}", path.display()), cause);
        fs::rename(&temp_path, path).map_err(failed)?;
        // The path now names the new file; writes to the old one would be lost.
        database.replace(redb);
        self.unsynced = 0;
        copy::sync_folder(path).map_err(|cause| {
            // After a power loss the old file may be back.
            self.failure().record();
            let _ = self.recover();
            failed(cause)
        })
    }

    /// Verifies all pages.
    pub(super) fn check(&mut self) -> Result<Health> {
        self.database.discard_snapshot();
        let redb = self.redb();
        let mut redb = redb.0.write().unwrap_or_else(PoisonError::into_inner);
        let redb = redb.as_mut().ok_or_else(unavailable_error)?;
        catch_panic("the check failed", || match redb.check_integrity() {
            Ok(true) => Ok(Health::Sound),
            Ok(false) => Ok(Health::Repaired),
            Err(redb::DatabaseError::TransactionInProgress) => {
                Err(Error::new(ErrorKind::Busy, "a snapshot is still held; drop it and check again"))
            }
            Err(cause) => Err(redb_error("the check failed", cause)),
        })
    }

    /// Syncs commits that are not yet synced.
    pub(super) fn flush(&mut self) -> Result<()> {
        if self.unsynced == 0 {
            return Ok(());
        }
        let flushed = self.redb().with(|redb| {
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
        committed.inspect_err(|_| {
            // The group gets this error; the next group finds out whether the store can continue.
            let _ = self.recover();
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
        let table = &mut self.view.0;
        for (key, change) in writes {
            match change {
                Some(value) => table.insert(&*key, &*value).map(drop),
                None => table.remove(&*key).map(drop),
            }
            .map_err(|cause| redb_error("cannot write a row", cause))?;
        }
        self.wrote = true;
        Ok(())
    }
}

/// A committed state. It keeps its database open, because another may have replaced it.
struct RedbSnapshot {
    table: redb::ReadOnlyTable<&'static [u8], &'static [u8]>,
    _open: Arc<Redb>,
}

impl View for RedbSnapshot {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        get(&self.table, key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        scan(&self.table, range, direction, visit)
    }
}

/// A redb table as a [`View`].
struct RedbTable<T>(T);

impl<T: ReadableTable<&'static [u8], &'static [u8]>> View for RedbTable<T> {
    fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        get(&self.0, key)
    }

    fn scan(&self, range: &KeyRange, direction: Direction, visit: &mut Visitor<'_>) -> Result<()> {
        scan(&self.0, range, direction, visit)
    }
}

fn get(table: &impl ReadableTable<&'static [u8], &'static [u8]>, key: &[u8]) -> Result<Option<Value>> {
    catch_panic("cannot read a row", || {
        let found = table.get(key).map_err(|cause| redb_error("cannot read a row", cause))?;
        Ok(found.map(|value| value.value().into()))
    })
}

fn scan(
    table: &impl ReadableTable<&'static [u8], &'static [u8]>,
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
            visiting.set(true);
            if visit(key.value(), value.value()).is_break() {
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
