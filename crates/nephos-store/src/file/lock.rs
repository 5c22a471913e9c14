//! The lock file next to a store file: held while the store is open, and readable, so that an error can name the
//! holder.

use super::place::open_to_read;
use crate::{Error, ErrorKind, Result};
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
};

/// Extension of the lock file of a store.
const LOCK_EXTENSION: &str = "nephos-lock";

/// Extension of a temporary file that is to replace another.
pub(super) const TEMP_EXTENSION: &str = "nephos-new";

/// A held lock; dropping it releases the lock.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Acquires the lock of the store at `path`, and writes the process ID and `owner` into the lock file.
    pub(super) fn acquire(path: &Path, owner: &str) -> Result<Self> {
        let lock_path = sibling_path(path, LOCK_EXTENSION);
        let failed = |cause| Error::io(format_args!("cannot lock {}", path.display()), cause);
        let mut private = File::options();
        private.read(true).write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut private, 0o600);
        let mut file = private.open(&lock_path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(locked_error(path, &lock_path)),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let note = match owner {
            "" => format!("process {}\n", std::process::id()),
            owner => format!("process {} ({owner})\n", std::process::id()),
        };
        file.set_len(0).and_then(|()| file.write_all(note.as_bytes())).map_err(failed)?;
        Ok(Self { file })
    }
}

/// Fails if the store at `path` is open; creates no lock file.
pub(super) fn check_unlocked(path: &Path) -> Result<()> {
    let lock_path = sibling_path(path, LOCK_EXTENSION);
    match open_to_read(&lock_path).map(|file| file.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => Err(locked_error(path, &lock_path)),
        // Without a lock file, or a readable one, the lock that redb takes decides.
        _ => Ok(()),
    }
}

fn locked_error(path: &Path, lock_path: &Path) -> Error {
    let holder = fs::read_to_string(lock_path).unwrap_or_default();
    let holder = match holder.trim() {
        "" => "another process",
        known => known,
    };
    Error::new(ErrorKind::Locked, format!("{} is in use by {holder}", path.display()))
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child process that another thread is just starting also holds the file open.
        let _ = self.file.unlock();
    }
}

/// Returns `path` with `extension` appended.
pub(super) fn sibling_path(path: &Path, extension: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}
