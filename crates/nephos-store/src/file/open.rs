//! Opening and creating store files.

use super::{
    File, copy,
    disk::{SyncFailure, WatchedDisk},
    engine::{Database, ROWS, RedbEngine},
    failure::{catch_panic, redb_error},
    lock::{self, Lock, retry_while_locked},
    private_copy::PrivateCopy,
};
use crate::{Error, ErrorKind, Result, Snapshot, Store, backend::Progress, group};
use redb::{ReadableDatabase, StorageBackend, TableDefinition, backends::FileBackend};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

/// Version of the file format: its tables and their contents.
const FORMAT: u64 = 1;

/// Table with the metadata of the file.
const METADATA: TableDefinition<'static, &str, u64> = TableDefinition::new("nephos-store");

/// First bytes of every redb file.
const REDB_MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";

/// Options for opening a store.
///
/// ```no_run
/// let store = nephos_store::OpenOptions::new().owner("nephos serve").open("state/store")?;
/// # Ok::<(), nephos_store::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct OpenOptions {
    pub(super) durable: bool,
    pub(super) run_twice: bool,
    pub(super) queue: usize,
    cache_bytes: usize,
    owner: String,
    lock_wait: Duration,
}

impl Default for OpenOptions {
    fn default() -> Self {
        Self {
            durable: true,
            run_twice: false,
            queue: group::MAX_QUEUED,
            cache_bytes: 256 << 20,
            owner: String::new(),
            lock_wait: Duration::ZERO,
        }
    }
}

impl OpenOptions {
    /// Creates the default options: durable, a cache of 256 MiB, at most 1,024 waiting transactions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Acknowledges a transaction only when it is on disk (the default). If false, the end of the process may lose
    /// transactions acknowledged since the last [`Store::flush`], but never leaves a part of one.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// Runs every transaction's code twice on the same data and rejects it if the results differ. For tests of code
    /// that has to be a pure function of what it reads.
    #[must_use]
    pub fn run_twice(mut self, run_twice: bool) -> Self {
        self.run_twice = run_twice;
        self
    }

    /// Maximum number of waiting transactions before callers block; at least one.
    #[must_use]
    pub fn queue(mut self, transactions: usize) -> Self {
        self.queue = transactions.max(1);
        self
    }

    /// Maximum size of the cache in memory.
    #[must_use]
    pub fn cache_bytes(mut self, bytes: usize) -> Self {
        self.cache_bytes = bytes;
        self
    }

    /// Name of the process or program that opens the store, for the error that others get while it is open.
    #[must_use]
    pub fn owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = owner.into();
        self
    }

    /// Time to wait while another process has the store open; by default none.
    #[must_use]
    pub fn lock_wait(mut self, wait: Duration) -> Self {
        self.lock_wait = wait;
        self
    }

    /// Opens the store in the file at `path`, creating it if it does not exist.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Store> {
        retry_while_locked(self.lock_wait, || self.clone().open_or_create(path.as_ref(), true))
    }

    /// Opens the store in the existing file at `path` for reading. Any number of processes can read it at the same time; none
    /// can write meanwhile. Transactions work, but their writes stay in memory and are lost when the store is closed. No file
    /// is created or changed, so that a file that this process may only read can be opened too.
    pub fn open_shared(self, path: impl AsRef<Path>) -> Result<Store> {
        let path = path.as_ref();
        retry_while_locked(self.lock_wait, || {
            let lock = Lock::acquire_shared(path)?;
            if is_new(path)? {
                let missing =
                    || Error::new(ErrorKind::NotFound, format!("{} does not exist", path.display()));
                return Err(if path.exists() { foreign_error() } else { missing() });
            }
            let file = PrivateCopy::open(path)?;
            let location = Location::Disk(Box::new(move || Box::new(file.clone())));
            Opener::new(location, self.clone()).start(lock)
        })
    }

    /// Opens the store in the file at `path`; an empty file is not a store.
    pub(crate) fn open_existing(self, path: &Path) -> Result<Store> {
        self.open_or_create(path, false)
    }

    fn open_or_create(self, path: &Path, create_new: bool) -> Result<Store> {
        let lock = Lock::acquire(path, &self.owner)?;
        let new = is_new(path)?;
        if new && !create_new {
            return Err(foreign_error());
        }
        let temp_path = lock::sibling_path(path, lock::TEMP_EXTENSION);
        if temp_path.exists() {
            // It was being written when its process ended, and never replaced the store file.
            fs::remove_file(&temp_path)
                .map_err(|cause| Error::io(format_args!("cannot remove {}", temp_path.display()), cause))?;
        }
        if new {
            create(path, self.clone())?;
        }
        // The process that created the file may have been killed before the directory entry was durable.
        copy::sync_folder(path)
            .map_err(|cause| Error::io(format_args!("cannot sync {}", path.display()), cause))?;
        Opener::new(Location::Path(path.to_owned()), self).start(Some(lock))
    }

    /// Creates a store in memory.
    pub fn in_memory(self) -> Store {
        Store::from_backend(crate::store::BackendKind::Memory(Arc::new(crate::memory::Memory::new(
            self.run_twice,
        ))))
    }

    /// Opens the store on a simulated disk; `disk` returns it again when the store has to be reopened.
    #[cfg(feature = "testing")]
    pub fn open_disk<D: StorageBackend>(self, disk: impl Fn() -> D + Send + Sync + 'static) -> Result<Store> {
        let opener = Opener::new(Location::Disk(Box::new(move || Box::new(disk()))), self);
        let empty = opener.location.file_bytes()? == 0;
        if empty {
            initialise(&opener.open()?, |_| Ok(()))?;
        }
        opener.start(None)
    }
}

/// Location of the bytes of a store.
pub(super) enum Location {
    Path(PathBuf),
    Disk(Box<dyn Fn() -> Box<dyn StorageBackend> + Send + Sync>),
}

impl Location {
    fn disk(&self) -> Result<Box<dyn StorageBackend>> {
        match self {
            Self::Disk(disk) => Ok(disk()),
            Self::Path(path) => file_disk(path),
        }
    }

    pub(super) fn file_bytes(&self) -> Result<u64> {
        let len = match self {
            Self::Disk(disk) => disk().len(),
            Self::Path(path) => fs::metadata(path).map(|metadata| metadata.len()),
        };
        len.map_err(|cause| Error::io("cannot read the size of the store", cause))
    }
}

fn file_disk(path: &Path) -> Result<Box<dyn StorageBackend>> {
    let file = fs::File::options().read(true).write(true).open(path);
    let file = file.map_err(|cause| Error::io(format_args!("cannot open {}", path.display()), cause))?;
    let disk = FileBackend::new(file).map_err(|cause| redb_error("cannot open the store", cause))?;
    Ok(Box::new(disk))
}

/// Settings to open a store again.
pub(super) struct Opener {
    pub(super) location: Location,
    pub(super) options: OpenOptions,
    pub(super) failure: SyncFailure,
}

impl Opener {
    pub(super) fn new(location: Location, options: OpenOptions) -> Self {
        Self { location, options, failure: SyncFailure::default() }
    }

    pub(super) fn open(&self) -> Result<redb::Database> {
        self.open_disk(self.location.disk()?)
    }

    /// Opens the file at `path` with the same settings.
    pub(super) fn open_at(&self, path: &Path) -> Result<redb::Database> {
        self.open_disk(file_disk(path)?)
    }

    fn open_disk(&self, disk: Box<dyn StorageBackend>) -> Result<redb::Database> {
        catch_panic("cannot open the store", || {
            redb::Builder::new()
                .set_cache_size(self.options.cache_bytes)
                .create_with_backend(WatchedDisk { disk, failure: self.failure.clone() })
                .map_err(|cause| redb_error("cannot open the store", cause))
        })
    }

    fn start(self, lock: Option<Lock>) -> Result<Store> {
        let redb = self.open()?;
        catch_panic("cannot open the store", || check_format(&redb))?;
        let options = self.options.clone();
        let engine = RedbEngine::new(Arc::new(Database::new(self, redb, lock)));
        Ok(Store::from_backend(crate::store::BackendKind::File(Arc::new(File::start(engine, &options)?))))
    }
}

/// Creates an empty store at `path`: completely, or not at all.
fn create(path: &Path, options: OpenOptions) -> Result<()> {
    let nothing = Store::in_memory().snapshot()?;
    let temp_path = lock::sibling_path(path, lock::TEMP_EXTENSION);
    copy::write(&nothing, &temp_path, options, &mut |_| {})?;
    fs::rename(&temp_path, path)
        .map_err(|cause| Error::io(format_args!("cannot create {}", path.display()), cause))
}

/// Writes the rows of `source` into a new store file at `path`, which must not exist.
pub(crate) fn save(source: &Snapshot, path: &Path, progress: &mut Progress<'_>) -> Result<()> {
    let exists = || Error::new(ErrorKind::Exists, format!("{} already exists", path.display()));
    if path.exists() {
        return Err(exists());
    }
    // The name must not collide with another save or with an existing file.
    static SAVED: AtomicU64 = AtomicU64::new(0);
    let number = SAVED.fetch_add(1, Ordering::Relaxed);
    let temp_path =
        lock::sibling_path(path, &format!("{}-{number}.{}", std::process::id(), lock::TEMP_EXTENSION));
    copy::write(source, &temp_path, OpenOptions::default(), progress)?;
    // A hard link never replaces a file that was created meanwhile.
    let linked = fs::hard_link(&temp_path, path).and_then(|()| copy::sync_folder(path));
    let _ = fs::remove_file(&temp_path);
    linked.map_err(|cause| match cause.kind() {
        io::ErrorKind::AlreadyExists => exists(),
        _ => Error::io(format_args!("cannot write {}", path.display()), cause),
    })
}

/// Writes the metadata of a store file, and what `more` adds, in one synced commit.
pub(super) fn initialise(
    redb: &redb::Database,
    more: impl FnOnce(&redb::WriteTransaction) -> Result<()>,
) -> Result<()> {
    let failed = "cannot create the store";
    let mut txn = redb.begin_write().map_err(|cause| redb_error(failed, cause))?;
    txn.set_quick_repair(true);
    {
        let mut metadata = txn.open_table(METADATA).map_err(|cause| redb_error(failed, cause))?;
        metadata.insert("format", FORMAT).map_err(|cause| redb_error(failed, cause))?;
        txn.open_table(ROWS).map_err(|cause| redb_error(failed, cause))?;
    }
    more(&txn)?;
    txn.commit().map_err(|cause| redb_error(failed, cause))
}

/// True if there is no store at `path` yet; rejects a file that is not a store before anything changes it.
fn is_new(path: &Path) -> Result<bool> {
    let mut file = match fs::File::open(path) {
        Ok(file) => file,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok(true),
        Err(cause) => return Err(Error::io(format_args!("cannot open {}", path.display()), cause)),
    };
    let mut start = Vec::new();
    let read = file.by_ref().take(REDB_MAGIC.len() as u64).read_to_end(&mut start);
    read.map_err(|cause| Error::io(format_args!("cannot read {}", path.display()), cause))?;
    if start.is_empty() {
        return Ok(true);
    }
    if start != REDB_MAGIC {
        return Err(foreign_error());
    }
    // Opening a file for writing changes it, even if the file is then rejected.
    catch_panic("cannot open the store", || match redb::Builder::new().open_read_only(path) {
        Ok(redb) => check_format(&redb),
        // It was not closed; its format is checked after the repair.
        Err(redb::DatabaseError::RepairAborted) => Ok(()),
        Err(cause) => Err(redb_error("cannot open the store", cause)),
    })?;
    Ok(false)
}

fn foreign_error() -> Error {
    Error::new(ErrorKind::Foreign, "the file is not a nephos store; it was not changed")
}

fn check_format(redb: &impl ReadableDatabase) -> Result<()> {
    let failed = "cannot read the metadata of the store";
    let txn = redb.begin_read().map_err(|cause| redb_error(failed, cause))?;
    let metadata = match txn.open_table(METADATA) {
        Ok(metadata) => metadata,
        Err(redb::TableError::Storage(cause)) => return Err(redb_error(failed, cause)),
        Err(_) => return Err(foreign_error()),
    };
    let format = metadata.get("format").map_err(|cause| redb_error(failed, cause))?;
    match format.map(|format| format.value()) {
        Some(FORMAT) => Ok(()),
        Some(newer) if newer > FORMAT => {
            let message = format!(
                "the store has format {newer}, and this version supports formats up to {FORMAT}: \
                 open it with the version that wrote it, or a newer one"
            );
            Err(Error::new(ErrorKind::Newer, message))
        }
        _ => Err(foreign_error()),
    }
}
