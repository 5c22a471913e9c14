//! The public handle of a store.

use crate::{
    Direction, Error, KeyRange, OpenOptions, Pending, Result, Row, RowChange, Snapshot, Stats, Txn, View,
    backend::{Backend, FirstRead, Replacement},
    file::{self, File},
    memory::Memory,
    pending, txn,
};
use std::{ops::ControlFlow, path::Path, sync::Arc, time::Duration};

/// An ordered transactional key-value store. A clone is another handle of the same store.
///
/// ```
/// use nephos_store::{Direction, Error, KeyRange, Store, View};
///
/// let store = Store::in_memory();
/// store
///     .transact(|txn| {
///         txn.put(b"group/b", b"2")?;
///         txn.put(b"group/a", b"1")
///     })
///     .wait()?;
///
/// let snapshot = store.snapshot()?;
/// let rows = snapshot.range(&KeyRange::prefix(b"group/"), Direction::Ascending, 10)?;
/// assert_eq!(rows[0].key(), b"group/a");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone)]
pub struct Store {
    backend: BackendKind,
}

#[derive(Clone)]
pub(crate) enum BackendKind {
    Memory(Arc<Memory>),
    File(Arc<File>),
    Other(Arc<dyn Backend>),
}

/// Result of a check of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Every page matches its checksum.
    Sound,
    /// The file was damaged and has been repaired.
    Repaired,
}

impl Store {
    pub(crate) fn from_backend(backend: BackendKind) -> Self {
        Self { backend }
    }

    /// Creates a store on a backend of another crate.
    pub fn on(backend: impl Backend + 'static) -> Self {
        Self::from_backend(BackendKind::Other(Arc::new(backend)))
    }

    /// Creates a store in memory.
    pub fn in_memory() -> Self {
        OpenOptions::new().in_memory()
    }

    /// Opens the store in the file at `path`, creating it if it does not exist. [`OpenOptions`] has more settings.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        OpenOptions::new().open(path)
    }

    /// Prepares a transaction: `body` reads and writes through the [`Txn`]. Its writes are committed if it returns
    /// `Ok`, and rolled back if it returns an error or panics.
    ///
    /// Transactions are serializable: each one sees the store as if no other ran at the same time. `body` must be a
    /// pure function of what it reads, because it may be run again. A nested transaction is rejected.
    pub fn transact<T, E, F>(&self, body: F) -> Pending<T, E>
    where
        F: Fn(&mut Txn<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        Pending::new(self.shared_backend(), body)
    }

    /// Runs `body` on the newest state and rolls back; returns its answer and the rows it would change.
    pub fn preview<T, E: From<Error>>(
        &self,
        body: impl Fn(&mut Txn<'_>) -> Result<T, E>,
    ) -> Result<(T, Vec<RowChange>), E> {
        let snapshot = self.lazy_snapshot()?;
        let (outcome, writes) = pending::attempt(body, &snapshot);
        Ok((outcome?, txn::row_changes(&snapshot, writes)?))
    }

    /// Returns a snapshot of the newest state.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.backend().snapshot()
    }

    /// Returns a snapshot of a state that is at least as new as that of this moment, for a caller that reads it at once. On a
    /// network this saves a round trip.
    pub fn lazy_snapshot(&self) -> Result<Snapshot> {
        self.backend().lazy_snapshot()
    }

    /// True if other processes write the same rows.
    pub fn is_shared(&self) -> bool {
        self.backend().is_shared()
    }

    /// Returns the time since 1970 by the clock of the machine that keeps the rows, if that is a database.
    pub fn time(&self) -> Result<Option<Duration>> {
        self.backend().time()
    }

    /// Sets the reads that all transactions and snapshots begin with. They change no result; on a network they save round trips.
    pub fn set_first_reads(&self, reads: Vec<FirstRead>) {
        self.backend().set_first_reads(reads);
    }

    /// Creates a store in memory that starts with the rows of this one; neither sees later writes of the other. The
    /// cost does not depend on the number of rows. The fork of a file reads from the file, and ends when the file is
    /// closed. The fork of a shared store is a copy: all rows are read.
    pub fn fork(&self) -> Result<Self> {
        let fork = match &self.backend {
            BackendKind::Memory(memory) => memory.fork()?,
            BackendKind::File(file) => Memory::fork_from(file.snapshot()?, file.runs_twice()),
            BackendKind::Other(backend) => Memory::copy_of(&backend.snapshot()?)?,
        };
        Ok(Self::from_backend(BackendKind::Memory(Arc::new(fork))))
    }

    /// Verifies the newest state and writes it into a new store file at `path`, concurrently with reads and writes.
    /// `progress` receives the number of rows written so far.
    pub fn save_to(&self, path: impl AsRef<Path>, progress: impl FnMut(u64)) -> Result<()> {
        self.save_with(path, |_| Ok(()), progress)
    }

    /// Like [`save_to`](Self::save_to), but calls `prepare` with the state before it is written. If that fails, nothing is
    /// written.
    pub fn save_with(
        &self,
        path: impl AsRef<Path>,
        prepare: impl FnOnce(&Snapshot) -> Result<()>,
        mut progress: impl FnMut(u64),
    ) -> Result<()> {
        let verified = || {
            let snapshot = self.backend().verified_snapshot()?;
            prepare(&snapshot)?;
            Ok(snapshot)
        };
        file::save(verified, path.as_ref(), &mut progress)
    }

    /// Verifies the store file at `path` and returns a snapshot of it. Neither the file nor its folder is changed; another
    /// process can open the store only when the snapshot has been dropped.
    pub fn read_file(path: impl AsRef<Path>) -> Result<Snapshot> {
        file::read_file(path.as_ref())
    }

    /// Replaces all rows of this store by those of the store file at `path`: all of them, or, on an error, none.
    pub fn restore_from(&self, path: impl AsRef<Path>, mut progress: impl FnMut(u64)) -> Result<()> {
        self.replace_with(Self::read_file(path)?, |_| Ok(Vec::new()), &mut progress)
    }

    /// Replaces all rows of this store by those of `source`, together with the rows that `keep` picks from those of this
    /// store: all of them, or, on an error, none.
    pub fn replace_with(
        &self,
        source: Snapshot,
        keep: impl FnOnce(&dyn View) -> Result<Vec<Row>> + Send + 'static,
        mut progress: impl FnMut(u64),
    ) -> Result<()> {
        self.backend().rewrite(Some(Replacement { source, keep: Box::new(keep) }), &mut progress)
    }

    /// Verifies the store and rewrites it without the unused space that changes leave behind. Reads continue meanwhile; writes wait.
    pub fn compact(&self, mut progress: impl FnMut(u64)) -> Result<()> {
        self.backend().rewrite(None, &mut progress)
    }

    /// Verifies every page on disk, and repairs the file if it is damaged and no snapshot is held. Reads continue
    /// meanwhile; writes wait.
    pub fn check(&self) -> Result<Health> {
        self.backend().check()
    }

    /// Returns the reason why the store refuses reads or writes, if it does: the file is damaged, was removed or replaced
    /// while it was open, or is in an unknown state after a failure of the disk.
    pub fn problem(&self) -> Option<Error> {
        self.backend().problem()
    }

    /// Syncs all acknowledged writes to disk; with the default durability they already are.
    pub fn flush(&self) -> Result<()> {
        self.backend().flush()
    }

    /// Returns statistics of the store, without the number of rows and bytes.
    pub fn counters(&self) -> Result<Stats> {
        self.backend().stats()
    }

    /// Returns statistics of the store. Counting rows and bytes reads all of them.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.backend().stats()?;
        self.snapshot()?.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            stats.rows += 1;
            stats.bytes += (key.len() + value.len()) as u64;
            ControlFlow::Continue(())
        })?;
        Ok(stats)
    }

    /// Finishes the accepted transactions, rejects later ones, and closes the file. Dropping the last handle does the
    /// same, but ignores errors.
    pub fn close(&self) -> Result<()> {
        self.backend().close()
    }

    fn backend(&self) -> &dyn Backend {
        match &self.backend {
            BackendKind::Memory(memory) => &**memory,
            BackendKind::File(file) => &**file,
            BackendKind::Other(backend) => &**backend,
        }
    }

    fn shared_backend(&self) -> Arc<dyn Backend> {
        match &self.backend {
            BackendKind::Memory(memory) => memory.clone(),
            BackendKind::File(file) => file.clone(),
            BackendKind::Other(backend) => backend.clone(),
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.backend {
            BackendKind::Memory(_) => "Store(memory)",
            BackendKind::File(_) => "Store(file)",
            BackendKind::Other(_) => "Store(shared)",
        })
    }
}
