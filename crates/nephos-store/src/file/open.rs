//! Opening and creating store files.

use super::{
    File, copy,
    database::Database,
    disk::{OwnWrites, SyncFailure, WatchedDisk},
    engine::RedbEngine,
    failure::{catch_panic, redb_error},
    lock::{self, Lock, retry_while_locked},
    place::{self, OpenFile},
    read_only::{Images, ReadOnlyDisk, Stop},
    row_format::RowFormat,
    rows::{ROWS, Redb},
    verify,
};
use crate::{Error, ErrorKind, Result, Snapshot, Store, backend::Progress, group};
use redb::{ReadableDatabase, StorageBackend, TableDefinition, backends::FileBackend};
use std::{
    fs,
    io::{self, Read},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Version of the file format: its tables and their contents.
const FORMAT: u64 = 2;

/// Version of the file format before rows had checksums.
const FORMAT_WITHOUT_CHECKSUMS: u64 = 1;

/// Table with the metadata of the file.
const METADATA: TableDefinition<'static, &str, u64> = TableDefinition::new("nephos-store");

/// First bytes of every redb file.
const REDB_MAGIC: [u8; 9] = *b"redb\x1A\x0A\xA9\x0D\x0A";

/// Size of the cache for a file that is read once, in order.
const READ_CACHE_BYTES: usize = 16 << 20;

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

    /// True if every transaction's code is run twice.
    pub fn runs_twice(&self) -> bool {
        self.run_twice
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
    ///
    /// All pages of the file are verified: up to 8 MiB before this returns, larger files while the store is in use. If
    /// one is damaged, reads and writes fail.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Store> {
        retry_while_locked(self.lock_wait, || self.clone().open_or_create(path.as_ref()))
    }

    /// Opens the store in the existing file at `path` for reading. Any number of processes can read it at the same time; none
    /// can write meanwhile. Transactions work, but their writes stay in memory and are lost when the store is closed. No file
    /// is created or changed, so that a file that this process may only read can be opened too.
    ///
    /// Pages are verified as by [`open`](Self::open).
    pub fn open_shared(self, path: impl AsRef<Path>) -> Result<Store> {
        let path = &place::follow_links(path.as_ref());
        retry_while_locked(self.lock_wait, || {
            let mut file = place::open_to_read(path)?;
            let lock = Lock::acquire_shared(path)?;
            if is_empty(path, &mut file)? {
                return Err(foreign_error());
            }
            let disk = read_only_disk(file)?;
            let location = Location::Disk(Box::new(move || Box::new(disk.clone())));
            Opener::new(location, self.clone()).start_verified(lock)
        })
    }

    fn open_or_create(self, given: &Path) -> Result<Store> {
        let path = &place::follow_links(given);
        place::refuse_other_than_file(path)?;
        let lock = Lock::acquire(path, &self.owner)?;
        let new = is_new(path)?;
        place::remove_leftovers(path);
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
        place::sync_folder(path)
            .map_err(|cause| Error::io(format_args!("cannot sync {}", path.display()), cause))?;
        let location = Location::Path { path: path.to_owned(), given: given.to_owned() };
        let opener = Opener::new(location, self);
        if new { opener.start(Some(lock)) } else { opener.start_verified(Some(lock)) }
    }

    /// Creates a store in memory.
    pub fn in_memory(self) -> Store {
        Store::from_backend(crate::store::BackendKind::Memory(Arc::new(crate::memory::Memory::new(
            self.run_twice,
        ))))
    }

    /// Opens the store on a simulated disk; `disk` returns it again when the store has to be reopened.
    #[doc(hidden)]
    pub fn open_disk<D: StorageBackend>(self, disk: impl Fn() -> D + Send + Sync + 'static) -> Result<Store> {
        let opener = Opener::new(Location::Disk(Box::new(move || Box::new(disk()))), self);
        let empty = opener.location.file_bytes()? == 0;
        if empty {
            initialise(&opener.open_new()?, |_| Ok(()))?;
        }
        opener.start(None)
    }
}

/// Location of the bytes of a store.
pub(super) enum Location {
    /// A file, and the name that was given for it, which may be that of a link.
    Path {
        path: PathBuf,
        given: PathBuf,
    },
    Disk(Box<dyn Fn() -> Box<dyn StorageBackend> + Send + Sync>),
}

impl Location {
    /// Opens the disk; if it is a file, also returns the file.
    pub(super) fn disk(&self) -> Result<(Box<dyn StorageBackend>, Option<OpenFile>)> {
        match self {
            Self::Disk(disk) => Ok((disk(), None)),
            Self::Path { path, .. } => file_disk(path),
        }
    }

    /// Path of the file; none for a simulated disk.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Disk(_) => None,
            Self::Path { path, .. } => Some(path),
        }
    }

    /// Path that was given for the file; none for a simulated disk.
    pub(super) fn given_path(&self) -> Option<&Path> {
        match self {
            Self::Disk(_) => None,
            Self::Path { given, .. } => Some(given),
        }
    }

    pub(super) fn file_bytes(&self) -> Result<u64> {
        let len = match self {
            Self::Disk(disk) => disk().len(),
            Self::Path { path, .. } => fs::metadata(path).map(|metadata| metadata.len()),
        };
        len.map_err(|cause| Error::io("cannot read the size of the store", cause))
    }
}

fn file_disk(path: &Path) -> Result<(Box<dyn StorageBackend>, Option<OpenFile>)> {
    let failed = |cause| Error::io(format_args!("cannot open {}", path.display()), cause);
    let file = fs::File::options().read(true).write(true).open(path).map_err(failed)?;
    let open_file = OpenFile::new(file.try_clone().map_err(failed)?)?;
    let disk = FileBackend::new(file).map_err(|cause| redb_error("cannot open the store", cause))?;
    Ok((Box::new(disk), Some(open_file)))
}

/// An open database, its file, and the images of it that are verified.
pub(super) struct Opened {
    pub(super) redb: redb::Database,
    pub(super) format: RowFormat,
    pub(super) file: Option<OpenFile>,
    pub(super) images: Images,
    /// The disk below `redb`.
    pub(super) disk: Arc<dyn StorageBackend>,
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

    pub(super) fn open(&self) -> Result<Opened> {
        self.open_disk(self.location.disk()?)
    }

    /// Opens the file at `path` with the same settings.
    pub(super) fn open_at(&self, path: &Path) -> Result<Opened> {
        self.open_disk(file_disk(path)?)
    }

    fn open_disk(&self, (disk, file): (Box<dyn StorageBackend>, Option<OpenFile>)) -> Result<Opened> {
        let images = Images::default();
        let own_writes = file.as_ref().map(|file| file.own_writes.clone());
        let disk: Arc<dyn StorageBackend> = disk.into();
        let redb = self.open_redb(disk.clone(), images.clone(), own_writes)?;
        let format = catch_panic("cannot open the store", || read_format(&redb))?;
        Ok(Opened { redb, format, file, images, disk })
    }

    /// Opens the database of a new store, which has no format yet.
    pub(super) fn open_new(&self) -> Result<redb::Database> {
        self.open_redb(self.location.disk()?.0.into(), Images::default(), None)
    }

    fn open_redb(
        &self,
        disk: Arc<dyn StorageBackend>,
        images: Images,
        own_writes: Option<Arc<OwnWrites>>,
    ) -> Result<redb::Database> {
        let disk = WatchedDisk { disk, failure: self.failure.clone(), images, own_writes };
        verify::open(disk, self.options.cache_bytes)
    }

    fn start(self, lock: Option<Lock>) -> Result<Store> {
        let opened = self.open()?;
        let engine = RedbEngine::new(Arc::new(Database::new(self, opened, lock)));
        Ok(store(Arc::new(File::start(engine, Stop::default())?)))
    }

    /// Opens the store, and verifies it before it returns or in the background.
    fn start_verified(self, lock: Option<Lock>) -> Result<Store> {
        let opened = self.open()?;
        let database = Arc::new(Database::new(self, opened, lock));
        let mut engine = RedbEngine::new(database.clone());
        if database.file_bytes()? <= verify::MAX_BYTES_BEFORE_OPENING {
            // Damage is reported by every read and write. Opening succeeds, so that the store can be restored.
            let _ = engine.verify();
            return Ok(store(Arc::new(File::start(engine, Stop::default())?)));
        }
        let stop = Stop::default();
        let disk = database.frozen_disk(stop.clone())?;
        let file = Arc::new(File::start(engine, stop)?);
        verify::verify_in_background(&file, disk)?;
        Ok(store(file))
    }
}

fn store(file: Arc<File>) -> Store {
    Store::from_backend(crate::store::BackendKind::File(file))
}

/// Creates an empty store at `path`: completely, or not at all.
fn create(path: &Path, options: OpenOptions) -> Result<()> {
    let nothing = Store::in_memory().snapshot()?;
    let temp_path = lock::sibling_path(path, lock::TEMP_EXTENSION);
    copy::write(&nothing, &temp_path, options, &mut |_| {})?;
    fs::rename(&temp_path, path)
        .map_err(|cause| Error::io(format_args!("cannot create {}", path.display()), cause))
}

/// Creates a disk that keeps all changes of `file` in memory.
fn read_only_disk(file: fs::File) -> Result<ReadOnlyDisk> {
    let failed = "cannot open the store";
    let disk = FileBackend::new(file).map_err(|cause| redb_error(failed, cause))?;
    ReadOnlyDisk::locking(Box::new(disk)).map_err(|cause| Error::io(failed, cause))
}

/// Verifies the store file at `path`, and returns its rows. Neither the file nor its folder is changed.
pub(crate) fn read_file(path: &Path) -> Result<Snapshot> {
    let mut file = place::open_to_read(path)?;
    if is_empty(path, &mut file)? {
        return Err(foreign_error());
    }
    lock::check_unlocked(path)?;
    let failed = "cannot open the store";
    let mut redb = verify::open(read_only_disk(file)?, READ_CACHE_BYTES)?;
    let format = catch_panic(failed, || read_format(&redb))?;
    verify::check_pages(&mut redb).map_err(|error| {
        Error::new(error.kind(), format!("{} cannot be read: {error}", path.display())).with_source(error)
    })?;
    Redb::new(redb, format).snapshot()
}

/// Writes the rows that `source` returns into a new store file at `path`, which must not exist.
pub(crate) fn save(
    source: impl FnOnce() -> Result<Snapshot>,
    path: &Path,
    progress: &mut Progress<'_>,
) -> Result<()> {
    let exists = || Error::new(ErrorKind::Exists, format!("{} already exists", path.display()));
    if path.exists() {
        return Err(exists());
    }
    place::remove_leftovers(path);
    let temp_path = lock::sibling_path(path, &place::new_temp_extension());
    copy::write(&source()?, &temp_path, OpenOptions::default(), progress)?;
    // A hard link never replaces a file that was created meanwhile.
    let linked = fs::hard_link(&temp_path, path).and_then(|()| place::sync_folder(path));
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
    let mut file = match place::open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(error),
    };
    if is_empty(path, &mut file)? {
        return Ok(true);
    }
    // Opening a file for writing changes it, even if the file is then rejected.
    catch_panic("cannot open the store", || match redb::Builder::new().open_read_only(path) {
        Ok(redb) => read_format(&redb).map(drop),
        // It was not closed; its format is checked after the repair.
        Err(redb::DatabaseError::RepairAborted) => Ok(()),
        Err(cause) => Err(redb_error("cannot open the store", cause)),
    })?;
    Ok(false)
}

/// True if `file` is empty; rejects one that is no redb file.
fn is_empty(path: &Path, file: &mut fs::File) -> Result<bool> {
    let mut start = Vec::new();
    let read = file.take(REDB_MAGIC.len() as u64).read_to_end(&mut start);
    read.map_err(|cause| Error::io(format_args!("cannot read {}", path.display()), cause))?;
    match start.as_slice() {
        [] => Ok(true),
        start if start == REDB_MAGIC => Ok(false),
        _ => Err(foreign_error()),
    }
}

fn foreign_error() -> Error {
    Error::new(ErrorKind::Foreign, "the file is not a nephos store; it was not changed")
}

/// Returns the format of a store; an error if there is none, or a newer one.
pub(super) fn read_format(redb: &impl ReadableDatabase) -> Result<RowFormat> {
    let failed = "cannot read the metadata of the store";
    let txn = redb.begin_read().map_err(|cause| redb_error(failed, cause))?;
    let metadata = match txn.open_table(METADATA) {
        Ok(metadata) => metadata,
        Err(redb::TableError::Storage(cause)) => return Err(redb_error(failed, cause)),
        Err(_) => return Err(foreign_error()),
    };
    let format = metadata.get("format").map_err(|cause| redb_error(failed, cause))?;
    match format.map(|format| format.value()) {
        Some(FORMAT) => Ok(RowFormat::Checked),
        Some(FORMAT_WITHOUT_CHECKSUMS) => Ok(RowFormat::Plain),
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
