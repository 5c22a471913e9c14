//! The folder of blobs next to the file of a state.

use super::{BlobDigest, failed};
use nephos_core::{Ids, Result};
use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    path::{Path, PathBuf},
};

/// Suffix of the folder next to a state.
const SUFFIX: &str = ".nephos-blobs";

/// Folder of the blobs that are being written.
const INCOMING: &str = "incoming";

/// Files of blobs: those that start with the digits `ab` are in the folder `ab`. A file with the name of a digest is complete.
#[derive(Clone, Debug)]
pub(super) struct Folder {
    path: PathBuf,
    /// True if a blob is on disk before it is acknowledged.
    is_durable: bool,
}

impl Folder {
    /// The folder of the state at `path`, which may not exist yet.
    pub(super) fn of_state(path: &Path, is_durable: bool) -> Self {
        Self { path: folder_of_state(path), is_durable }
    }

    /// The durable folder at `path`.
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path, is_durable: true }
    }

    pub(super) fn path_of(&self, digest: &BlobDigest) -> PathBuf {
        let digits = digest.digits();
        self.path.join(&digits[..2]).join(digits)
    }

    /// Creates the file of a blob that is being written.
    pub(super) fn create_incoming(&self) -> Result<(File, PathBuf)> {
        let folder = self.path.join(INCOMING);
        // The name is unique, even in a cloud that derives its IDs from a seed.
        let path = folder.join(Ids::system().hex(32));
        let create = || {
            create_folder(&folder)?;
            OpenOptions::new().write(true).create_new(true).open(&path)
        };
        let file = create().map_err(|error| failed("cannot write the blob", &path, &error))?;
        Ok((file, path))
    }

    /// True if what is written must be on disk.
    pub(super) fn is_durable(&self) -> bool {
        self.is_durable
    }

    /// Brings a complete file to disk.
    pub(super) fn sync(&self, file: &File) -> io::Result<()> {
        if self.is_durable { file.sync_all() } else { Ok(()) }
    }

    /// Gives the complete file at `path`, which was synced, the name of its digest.
    pub(super) fn adopt(&self, path: &Path, digest: &BlobDigest) -> Result<()> {
        let target = self.path_of(digest);
        let adopt = || {
            if target.exists() {
                return fs::remove_file(path);
            }
            self.create_folder_of(&target)?;
            fs::rename(path, &target)?;
            self.sync_folder_of(&target)
        };
        adopt().map_err(|error| failed("cannot write the blob", &target, &error))
    }

    /// Adds a blob of another folder: as a link to the same file, or as a copy if that folder is on another disk.
    pub(super) fn link(&self, from: &Self, digest: &BlobDigest) -> Result<()> {
        let (source, target) = (from.path_of(digest), self.path_of(digest));
        let link = || {
            self.create_folder_of(&target)?;
            match fs::hard_link(&source, &target) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error),
                Err(_) => copy(&source, &target)?,
                Ok(()) => {}
            }
            self.sync_folder_of(&target)
        };
        link().map_err(|error| failed("cannot copy the blob", &source, &error))
    }

    fn create_folder_of(&self, target: &Path) -> io::Result<()> {
        let Some(folder) = target.parent().filter(|folder| !folder.exists()) else { return Ok(()) };
        create_folder(folder)?;
        if !self.is_durable {
            return Ok(());
        }
        sync_folder(&self.path)?;
        self.path.parent().map_or(Ok(()), sync_folder)
    }

    fn sync_folder_of(&self, target: &Path) -> io::Result<()> {
        let folder = target.parent().filter(|_| self.is_durable);
        folder.map_or(Ok(()), sync_folder)
    }

    /// Removes the file of a blob, if there is one.
    pub(super) fn remove(&self, digest: &BlobDigest) -> Result<()> {
        let path = self.path_of(digest);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(failed("cannot remove the blob", &path, &error))
            }
            _ => Ok(()),
        }
    }

    /// Removes what processes left that were killed while they wrote. Failures are ignored: the files are in no one's way.
    pub(super) fn remove_leftovers(&self) {
        for entry in fs::read_dir(self.path.join(INCOMING)).into_iter().flatten().flatten() {
            let _ = fs::remove_file(entry.path());
        }
    }

    /// Digests of all blobs.
    pub(super) fn digests(&self) -> Vec<BlobDigest> {
        let folders = fs::read_dir(&self.path).into_iter().flatten().flatten();
        let files = folders.flat_map(|folder| fs::read_dir(folder.path()).into_iter().flatten().flatten());
        files.filter_map(|file| BlobDigest::from_digits(file.file_name().to_str()?)).collect()
    }
}

/// Path of the folder with the blobs of the state at `path`.
pub fn folder_of_state(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(SUFFIX);
    name.into()
}

/// Creates a folder that only its owner can read, with those above it.
fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    // A folder is a file that can be synced on Unix only.
    if cfg!(unix) && !path.as_os_str().is_empty() { File::open(path)?.sync_all() } else { Ok(()) }
}

/// Copies a file so that the name never stands for a part of it.
fn copy(source: &Path, target: &Path) -> io::Result<()> {
    let new = target.with_extension(Ids::system().hex(16));
    let copied = fs::copy(source, &new)
        .and_then(|_| File::open(&new)?.sync_all())
        .and_then(|()| fs::rename(&new, target));
    if copied.is_err() {
        let _ = fs::remove_file(&new);
    }
    copied
}
