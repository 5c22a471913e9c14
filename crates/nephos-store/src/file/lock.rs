//! The lock beside a store file: held while the store is open, and readable, so that whoever is refused learns by
//! whom.

use crate::{Error, ErrorKind, Result};
use std::{
    fs::{self, File, TryLockError},
    io::Write,
    path::{Path, PathBuf},
};

/// The ending of the lock beside a store file.
const LOCK: &str = "nephos-lock";

/// The ending of a file that is being written to take the place of another.
pub(super) const NEW: &str = "nephos-new";

/// The held lock; dropping it lets the next one in.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock of the store at `path`, and writes into it who `owner` is.
    pub(super) fn take(path: &Path, owner: &str) -> Result<Self> {
        let beside = beside(path, LOCK);
        let failed = |cause| Error::io(format_args!("cannot lock {}", path.display()), cause);
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&beside)
            .map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let holder = fs::read_to_string(&beside).unwrap_or_default();
                let holder = match holder.trim() {
                    "" => "another process",
                    known => known,
                };
                let why = format!("{} is in use by {holder}", path.display());
                return Err(Error::new(ErrorKind::Locked, why));
            }
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

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing alone would not do: a process that another thread is just starting holds the file open as well.
        let _ = self.file.unlock();
    }
}

/// The file named like `path` with one more ending.
pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}
