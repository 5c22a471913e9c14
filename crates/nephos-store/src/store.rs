//! The store that everybody holds.

use crate::{
    Direction, Error, KeyRange, OpenOptions, Pending, Result, RowChange, Snapshot, Stats, Txn, View,
    backend::Backend,
    file::{self, File},
    memory::Memory,
    pending, txn,
};
use std::{ops::ControlFlow, path::Path, sync::Arc};

/// An ordered transactional key-value store. Cloning gives another handle of the same store.
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
    backend: Kind,
}

#[derive(Clone)]
pub(crate) enum Kind {
    Memory(Arc<Memory>),
    File(Arc<File>),
}

/// What a check of a store found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Every page is as it was written.
    Sound,
    /// The file was damaged and could be repaired.
    Repaired,
}

impl Store {
    pub(crate) fn from_backend(backend: Kind) -> Self {
        Self { backend }
    }

    /// A new store in memory.
    pub fn in_memory() -> Self {
        OpenOptions::new().in_memory()
    }

    /// Opens the store in the file at `path`, making it if it does not exist. [`OpenOptions`] can say more.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        OpenOptions::new().open(path)
    }

    /// Prepares a transaction: `body` reads and writes through the [`Txn`]; what it writes is kept if it returns
    /// `Ok`, and forgotten if it returns an error or panics.
    ///
    /// Transactions are serializable: each one sees the store as if no other ran at the same time. `body` must be a
    /// pure function of what it reads, for it may be run again; a transaction within a transaction is refused.
    pub fn transact<T, E, F>(&self, body: F) -> Pending<T, E>
    where
        F: Fn(&mut Txn<'_>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<Error> + Send + 'static,
    {
        Pending::new(self.arc(), body)
    }

    /// Runs `body` on the newest state and throws its writes away; tells its answer and what it would change.
    pub fn preview<T, E: From<Error>>(
        &self,
        body: impl Fn(&mut Txn<'_>) -> Result<T, E>,
    ) -> Result<(T, Vec<RowChange>), E> {
        let snapshot = self.snapshot()?;
        let (outcome, writes) = pending::attempt(body, &snapshot);
        Ok((outcome?, txn::row_changes(&snapshot, writes)?))
    }

    /// The newest state, as it stays however much is written later.
    pub fn snapshot(&self) -> Result<Snapshot> {
        self.backend().snapshot()
    }

    /// A store in memory that begins as this one is now; neither sees what the other writes later. It costs the
    /// same however many rows there are. The fork of a file reads from the file, and ends when that is closed.
    pub fn fork(&self) -> Result<Self> {
        let fork = match &self.backend {
            Kind::Memory(memory) => memory.fork()?,
            Kind::File(file) => Memory::fork_of(file.snapshot()?, file.rehearses()),
        };
        Ok(Self::from_backend(Kind::Memory(Arc::new(fork))))
    }

    /// Writes the newest state into a new store file at `path`, while reading and writing go on. `progress` is told
    /// the number of rows written so far.
    pub fn save_to(&self, path: impl AsRef<Path>, mut progress: impl FnMut(u64)) -> Result<()> {
        file::save(&self.snapshot()?, path.as_ref(), &mut progress)
    }

    /// Puts the rows of the store file at `path` in place of all rows of this store: all at once, or, on an error,
    /// not at all.
    pub fn restore_from(&self, path: impl AsRef<Path>, mut progress: impl FnMut(u64)) -> Result<()> {
        let path = path.as_ref();
        if !path.exists() {
            let why = format!("{} does not exist", path.display());
            return Err(Error::new(crate::ErrorKind::NotFound, why));
        }
        let source = OpenOptions::new().open_existing(path)?;
        self.backend().rewrite(Some(source.snapshot()?), &mut progress)?;
        source.close()
    }

    /// Writes the store anew without the gaps that changes leave, so that its file takes no more of the disk than its
    /// rows need. Reading goes on meanwhile; writing waits.
    pub fn compact(&self, mut progress: impl FnMut(u64)) -> Result<()> {
        self.backend().rewrite(None, &mut progress)
    }

    /// Verifies every byte on disk. No snapshot may be held meanwhile.
    pub fn check(&self) -> Result<Health> {
        self.backend().check()
    }

    /// Makes everything acknowledged so far safe on disk; with the default durability it already is.
    pub fn flush(&self) -> Result<()> {
        self.backend().flush()
    }

    /// Figures of the store. Counting rows and bytes reads all of them.
    pub fn stats(&self) -> Result<Stats> {
        let mut stats = self.backend().stats()?;
        self.snapshot()?.scan(&KeyRange::all(), Direction::Ascending, &mut |key, value| {
            stats.rows += 1;
            stats.bytes += (key.len() + value.len()) as u64;
            ControlFlow::Continue(())
        })?;
        Ok(stats)
    }

    /// Finishes the transactions that were accepted, refuses later ones, and lets go of the file. Dropping the last
    /// handle does the same without telling of errors.
    pub fn close(&self) -> Result<()> {
        self.backend().close()
    }

    fn backend(&self) -> &dyn Backend {
        match &self.backend {
            Kind::Memory(memory) => &**memory,
            Kind::File(file) => &**file,
        }
    }

    fn arc(&self) -> Arc<dyn Backend> {
        match &self.backend {
            Kind::Memory(memory) => memory.clone(),
            Kind::File(file) => file.clone(),
        }
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match &self.backend {
            Kind::Memory(_) => "Store(memory)",
            Kind::File(_) => "Store(file)",
        })
    }
}
