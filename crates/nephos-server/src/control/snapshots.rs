//! Files of snapshots on the machine of the server.

use crate::forks::check_name;
use nephos::{Code, Error, ErrorKind, Result};
use std::{
    fs::{self, DirBuilder},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
};

/// Part of the names of files that are made beside a state or snapshot, and are removed when they are left over.
const OWN_FILES: &str = ".nephos-";

/// Error code for a source of a restore that is not a state.
static NOT_A_STATE: Code = Code {
    code: "InvalidSnapshot",
    status: 400,
    kind: ErrorKind::Invalid,
    meaning: "The file is not a state, or is damaged.",
    texts: &[],
};

/// Creates the error for a source of a restore that cannot be read. Nothing is wrong with the state of the server.
pub(crate) fn unusable_source(path: &Path, error: Error) -> Error {
    match error.kind() {
        ErrorKind::Corrupt => NOT_A_STATE.with_message(format!("{}: {}", path.display(), error.message())),
        _ => error,
    }
}

/// Place of the snapshots that clients save and restore.
#[derive(Debug, Default)]
pub(crate) struct Snapshots {
    /// Folder of the snapshots that have a name; without one there are none.
    pub(crate) folder: Option<PathBuf>,
    /// True if clients can also give any path.
    pub(crate) any_path: bool,
}

impl Snapshots {
    /// Returns the path of a snapshot to save; creates the folder.
    pub(crate) fn path_to_save(&self, name: &str) -> Result<PathBuf> {
        let path = self.path_of(name)?;
        if let Some(folder) = self.folder.as_ref().filter(|folder| path.starts_with(folder)) {
            let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            created.map_err(|error| file_error(folder, &error))?;
        }
        Ok(path)
    }

    /// Returns the path of a snapshot to restore, which is a regular file. Opening a FIFO or a device could wait for ever.
    pub(crate) fn path_to_restore(&self, name: &str) -> Result<PathBuf> {
        let path = self.path_of(name)?;
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => Ok(path),
            Ok(_) => Err(Error::invalid("path", format!("{} is not a regular file", path.display()))),
            Err(error) => Err(file_error(&path, &error)),
        }
    }

    /// Returns the path of a snapshot: a name is in the folder, and text with a slash is a path.
    fn path_of(&self, name: &str) -> Result<PathBuf> {
        if name.contains('/') {
            return match self.any_path {
                true => Ok(name.into()),
                false => {
                    let message = format!(
                        "{name:?} is a path, and this server accepts names only; start it with --allow-snapshot-paths to \
                         allow paths"
                    );
                    Err(Error::new(ErrorKind::Denied, message))
                }
            };
        }
        check_name(name)?;
        if name.to_ascii_lowercase().contains(OWN_FILES) {
            let message = format!(
                "{name:?} is not a valid name: files with {OWN_FILES:?} in their names are temporary"
            );
            return Err(Error::invalid("name", message));
        }
        let folder = self.folder.as_ref();
        let missing = || Error::new(ErrorKind::Unsupported, "this server has no folder for snapshots");
        Ok(folder.ok_or_else(missing)?.join(name))
    }
}

fn file_error(path: &Path, error: &io::Error) -> Error {
    let kind = match error.kind() {
        // The parent of the path is a file.
        io::ErrorKind::NotADirectory => {
            return Error::invalid("path", format!("{}: {error}", path.display()));
        }
        io::ErrorKind::NotFound => ErrorKind::NotFound,
        io::ErrorKind::PermissionDenied => ErrorKind::Denied,
        _ => ErrorKind::Internal,
    };
    Error::new(kind, format!("{}: {error}", path.display()))
}
