//! The lock file next to a store file: held while the store is open, and readable, so that an error can name the
//! holder.

use super::place::open_to_read;
use crate::{Error, ErrorKind, Result};
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
    time::Duration,
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
            // The lock file names the last process that wrote, and no readers.
            Err(TryLockError::WouldBlock) if file.try_lock_shared().is_ok() => {
                return Err(locked_error(path, "a process that reads it"));
            }
            Err(TryLockError::WouldBlock) => return Err(locked_error(path, &holder(&lock_path))),
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let note = match owner {
            "" => format!("process {}\n", std::process::id()),
            owner => format!("process {} ({owner})\n", std::process::id()),
        };
        file.set_len(0).and_then(|()| file.write_all(note.as_bytes())).map_err(failed)?;
        Ok(Self { file })
    }

    /// Acquires the lock of the store at `path` together with other readers, and writes nothing. Returns none if there is no
    /// lock file that this process can read; redb's own lock on the store file then keeps writers out.
    pub(super) fn acquire_shared(path: &Path) -> Result<Option<Self>> {
        let lock_path = sibling_path(path, LOCK_EXTENSION);
        let Ok(file) = open_to_read(&lock_path) else { return Ok(None) };
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Self { file })),
            Err(TryLockError::WouldBlock) => Err(locked_error(path, &holder(&lock_path))),
            Err(TryLockError::Error(cause)) => {
                Err(Error::io(format_args!("cannot lock {}", path.display()), cause))
            }
        }
    }
}

/// Returns the process that the lock file names.
fn holder(lock_path: &Path) -> String {
    match fs::read_to_string(lock_path).unwrap_or_default().trim() {
        "" => "another process".to_owned(),
        known => known.to_owned(),
    }
}

fn locked_error(path: &Path, holder: &str) -> Error {
    Error::new(ErrorKind::Locked, format!("{} is in use by {holder}", path.display()))
}

/// Shortest and longest pause between two attempts to lock a store.
const PAUSES: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(50)];

/// Repeats `open` while another process has the store open, for about `wait` altogether.
#[expect(
    clippy::disallowed_methods,
    reason = "a file lock has no event that could be awaited with a time limit"
)]
pub(super) fn retry_while_locked<T>(wait: Duration, mut open: impl FnMut() -> Result<T>) -> Result<T> {
    let [mut pause, longest] = PAUSES;
    let mut left = wait;
    loop {
        match open() {
            Err(error) if error.kind() == ErrorKind::Locked && !left.is_zero() => {
                pause = pause.min(left);
                std::thread::sleep(pause);
                left -= pause;
                pause = (pause * 2).min(longest);
            }
            opened => return opened,
        }
    }
}

/// Fails if the store at `path` is open; creates no lock file.
pub(super) fn check_unlocked(path: &Path) -> Result<()> {
    let lock_path = sibling_path(path, LOCK_EXTENSION);
    match open_to_read(&lock_path).map(|file| file.try_lock_shared()) {
        Ok(Err(TryLockError::WouldBlock)) => Err(locked_error(path, &holder(&lock_path))),
        // Without a lock file, or a readable one, the lock that redb takes decides.
        _ => Ok(()),
    }
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
