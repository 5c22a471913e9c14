//! The place of a store file: its identity, its folder, and the files that killed processes left there.

use super::{disk::OwnWrites, failure::redb_error, lock};
use crate::{Error, ErrorKind, Result};
use redb::{StorageBackend, backends::FileBackend};
use std::{
    fs::{self, File, Metadata},
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

/// Identity of a file, whatever its name; `None` where the system has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FileId(Option<(u64, u64)>);

impl FileId {
    #[cfg(unix)]
    pub(super) fn from_metadata(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt;
        Self(Some((metadata.dev(), metadata.ino())))
    }

    #[cfg(not(unix))]
    pub(super) fn from_metadata(_metadata: &Metadata) -> Self {
        Self(None)
    }
}

/// The open file of a store, beside the handle that redb has.
pub(super) struct OpenFile {
    file: File,
    id: FileId,
    pub(super) own_writes: Arc<OwnWrites>,
}

impl OpenFile {
    pub(super) fn new(file: File) -> Result<Self> {
        let failed = |cause| Error::io("cannot read the store", cause);
        let id = FileId::from_metadata(&file.metadata().map_err(failed)?);
        let own_writes = Arc::new(OwnWrites::new(to_disk(&file)?).map_err(failed)?);
        Ok(Self { file, id, own_writes })
    }

    /// Returns a disk that reads the file, also if its path names another file by now.
    pub(super) fn disk(&self) -> Result<Box<dyn StorageBackend>> {
        to_disk(&self.file)
    }

    /// Returns the parts that tell whether the file is in its place and unchanged.
    pub(super) fn identity(&self) -> (FileId, Arc<OwnWrites>) {
        (self.id, self.own_writes.clone())
    }
}

fn to_disk(file: &File) -> Result<Box<dyn StorageBackend>> {
    let file = file.try_clone().map_err(|cause| Error::io("cannot read the store", cause))?;
    let disk = FileBackend::new(file).map_err(|cause| redb_error("cannot read the store", cause))?;
    Ok(Box::new(disk))
}

/// Follows symbolic links at the end of `path`: a file that replaces another is renamed to the name of that file, not to
/// the name of a link to it.
pub(super) fn follow_links(path: &Path) -> PathBuf {
    /// Number of links that systems follow at most.
    const MAX_LINKS: usize = 40;
    let mut followed = path.to_owned();
    for _ in 0..MAX_LINKS {
        match fs::read_link(&followed) {
            Ok(target) => followed = folder_path(&followed).join(target),
            Err(_) => break,
        }
    }
    followed
}

/// Opens the file at `path` for reading. A path that is no regular file is refused without opening it, because opening a
/// FIFO waits for its other end.
pub(super) fn open_to_read(path: &Path) -> Result<File> {
    let failed = |cause: io::Error| match cause.kind() {
        io::ErrorKind::NotFound => {
            Error::new(ErrorKind::NotFound, format!("{} does not exist", path.display()))
        }
        _ => Error::io(format_args!("cannot open {}", path.display()), cause),
    };
    check_regular(path, &fs::metadata(path).map_err(failed)?)?;
    let file = File::open(path).map_err(failed)?;
    check_regular(path, &file.metadata().map_err(failed)?)?;
    Ok(file)
}

/// Refuses a path that exists and is no regular file.
pub(super) fn refuse_other_than_file(path: &Path) -> Result<()> {
    fs::metadata(path).map_or(Ok(()), |metadata| check_regular(path, &metadata))
}

fn check_regular(path: &Path, metadata: &Metadata) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let found = if metadata.is_dir() { "a folder" } else { "a device, pipe or socket" };
    let message = format!("{} must be a regular file, and is {found}", path.display());
    Err(Error::new(ErrorKind::NotAFile, message))
}

/// Checks that the file at `path` is still the one with this identity.
pub(super) fn check_in_place(path: &Path, id: FileId) -> Result<()> {
    let happened = match fs::metadata(path) {
        Ok(metadata) if FileId::from_metadata(&metadata) == id => return Ok(()),
        Ok(_) => "replaced",
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => "removed",
        // The path cannot be examined, which is no evidence of another file.
        Err(_) => return Ok(()),
    };
    let message = format!(
        "{} was {happened} while it was open, so that nothing can be written: save a snapshot to keep its rows, or put \
         the file back",
        path.display()
    );
    Err(Error::new(ErrorKind::Moved, message))
}

/// Returns the error for a file that another program has changed.
pub(super) fn overwritten_error(path: &Path) -> Error {
    let message = format!(
        "another program has changed {} while it was open, so that its rows may be wrong: restore a snapshot, or replace \
         the file by a sound copy",
        path.display()
    );
    Error::new(ErrorKind::Moved, message)
}

/// Makes the directory entry of `path` durable.
pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
    // Only Unix can open and sync a directory; on other systems a rename is as durable as it gets.
    if cfg!(unix) { File::open(folder_path(path))?.sync_all() } else { Ok(()) }
}

fn folder_path(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Number of temporary names that this process has used.
static NAMED: AtomicU64 = AtomicU64::new(0);

/// Returns the extension of a new temporary file. It collides neither with another save nor with an existing file.
pub(super) fn new_temp_extension() -> String {
    let number = NAMED.fetch_add(1, Ordering::Relaxed);
    format!("{}-{number}.{}", std::process::id(), lock::TEMP_EXTENSION)
}

/// Removes the temporary files of killed processes from the folder of `path`.
pub(super) fn remove_leftovers(path: &Path) {
    remove_leftovers_in(folder_path(path));
}

/// Removes the files in `folder` that killed processes have left while they wrote copies of a store. Failures are ignored:
/// the files are in no one's way.
pub fn remove_leftovers_in(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_leftover) && !is_locked(&entry.path()) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// True if `name` is that of a temporary file whose process has ended.
fn is_leftover(name: &str) -> bool {
    let Some(name) = name.strip_suffix(lock::TEMP_EXTENSION).and_then(|name| name.strip_suffix('.')) else {
        return false;
    };
    let numbers = name.rsplit_once('.').and_then(|(_, numbers)| numbers.split_once('-'));
    let numbers = numbers.and_then(|(process, number)| Some((process.parse().ok()?, number.parse().ok()?)));
    let Some((process, number)): Option<(u32, u64)> = numbers else { return false };
    if process == std::process::id() {
        // In a container, the process after a restart often has the ID of the one before.
        return number >= NAMED.load(Ordering::Relaxed);
    }
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// True if a process that is not visible here, as in another container, has the file open.
fn is_locked(path: &Path) -> bool {
    open_to_read(path).is_ok_and(|file| file.try_lock().is_err())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn only_names_of_ended_processes_are_leftovers() {
        let (own, ended) = (std::process::id(), u32::MAX);
        let used = NAMED.fetch_add(1, Ordering::Relaxed);
        for name in [
            format!("a.{ended}-0.nephos-new"),
            format!("a.b.{ended}-7.nephos-new"),
            format!("a.{own}-{}.nephos-new", u64::MAX),
        ] {
            assert!(is_leftover(&name), "{name}");
        }
        for name in [
            "a.nephos-new".to_owned(),
            "nephos-new".to_owned(),
            format!("{ended}-0.nephos-new"),
            format!("a.{ended}-0.nephos-new.txt"),
            format!("a.{ended}-x.nephos-new"),
            format!("a.{own}-{used}.nephos-new"),
            "a.1-0.nephos-new".to_owned(),
        ] {
            assert!(!is_leftover(&name), "{name}");
        }
    }
}
