//! The key file of a cloud: next to the state, or at a path of the user. Only its owner can read it.

use crate::{passphrase, seal::CloudKey};
use nephos_core::{Error, ErrorKind, Ids, Result, Secret};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// Suffix of the key file next to a state.
const SUFFIX: &str = "nephos-key";

/// Suffix of the file of a key that replaces the one in the key file.
const NEXT_SUFFIX: &str = "nephos-next";

/// Suffix of a key file that is being written; a number of hexadecimal digits follows.
const TEMP_SUFFIX: &str = "nephos-new-";

/// Number of digits after [`TEMP_SUFFIX`].
const TEMP_DIGITS: usize = 16;

/// Default path of the key file of the state at `path`.
pub(crate) fn default_path(path: &Path) -> PathBuf {
    with_suffix(path, SUFFIX)
}

fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(suffix);
    name.into()
}

/// Removes the temporary files of processes that were killed while they created or replaced the key file at `path`, whose key is
/// that of the state. Failures are ignored: the files are in no one's way.
pub(crate) fn remove_leftovers(path: &Path) {
    let _ = fs::remove_file(next_path(path));
    let (Some(name), Ok(entries)) = (path.file_name(), fs::read_dir(folder_path(path))) else { return };
    let prefix = with_suffix(Path::new(name), TEMP_SUFFIX).into_os_string();
    for entry in entries.flatten() {
        let hex = entry.file_name();
        let hex = hex.to_str().zip(prefix.to_str()).and_then(|(name, prefix)| name.strip_prefix(prefix));
        if hex.is_some_and(|hex| hex.len() == TEMP_DIGITS && hex.bytes().all(|byte| byte.is_ascii_hexdigit()))
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// Path of the file of a key that replaces the one at `path`.
pub(crate) fn next_path(path: &Path) -> PathBuf {
    with_suffix(path, NEXT_SUFFIX)
}

/// True if the file at `path` is protected by a passphrase.
pub(crate) fn is_protected(path: &Path) -> bool {
    fs::read_to_string(path).is_ok_and(|text| passphrase::is_protected(&Zeroizing::new(text)))
}

/// Reads the key in the file at `path`; `None` if there is no such file.
pub(crate) fn read(path: &Path, passphrase: Option<&Secret>) -> Result<Option<CloudKey>> {
    let failed = |error| failed("cannot read the key file", path, error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    check_permissions(path, &file.metadata().map_err(failed)?)?;
    let mut text = Zeroizing::new(String::new());
    file.read_to_string(&mut text).map_err(failed)?;
    let no_key_file = || Error::new(ErrorKind::Invalid, format!("{} is not a key file", path.display()));
    let key = match (passphrase::is_protected(&text), passphrase) {
        (false, _) => CloudKey::parse(&text),
        (true, Some(passphrase)) => passphrase::open(&text, passphrase),
        (true, None) => return Err(missing_passphrase(path)),
    };
    key.map(Some).map_err(|error| if error.kind() == ErrorKind::Invalid { no_key_file() } else { error })
}

/// Error for a key file whose passphrase was not given.
fn missing_passphrase(path: &Path) -> Error {
    let message =
        format!("the key file {} is protected by a passphrase, which was not given", path.display());
    Error::new(ErrorKind::Denied, message)
}

/// Returns the text of a key file with `key`.
fn to_text(key: &CloudKey, passphrase: Option<&Secret>) -> Result<Zeroizing<String>> {
    passphrase.map_or_else(|| Ok(key.to_text()), |passphrase| passphrase::protect(key, passphrase))
}

/// Writes the file of a key that will replace the one at `path`.
pub(crate) fn write_next(path: &Path, key: &CloudKey, passphrase: Option<&Secret>) -> Result<()> {
    let (next, text) = (next_path(path), to_text(key, passphrase)?);
    let _ = fs::remove_file(&next);
    let written = write(&next, text.as_bytes()).and_then(|()| sync_folder(&next));
    written.map_err(|error| failed("cannot write the key file", &next, error))
}

/// Replaces the file at `path` with that of the next key.
pub(crate) fn take_next(path: &Path) -> Result<()> {
    let replaced = fs::rename(next_path(path), path).and_then(|()| sync_folder(path));
    replaced.map_err(|error| failed("cannot replace the key file", path, error))
}

/// Refuses a file that others than its owner can read.
#[cfg(unix)]
fn check_permissions(path: &Path, metadata: &fs::Metadata) -> Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let (path, mode) = (path.display(), mode & 0o777);
    let message = format!(
        "the key file {path} must be readable by its owner only, got mode {mode:o}; run chmod 600 {path}"
    );
    Err(Error::new(ErrorKind::Denied, message))
}

#[cfg(not(unix))]
fn check_permissions(_path: &Path, _metadata: &fs::Metadata) -> Result<()> {
    Ok(())
}

/// Error for a state with sealed data whose key file does not exist.
pub(crate) fn missing_key_file(path: &Path) -> Error {
    let message = format!(
        "the key file {} does not exist, and this state contains sealed data: restore the key file, or set its path",
        path.display()
    );
    Error::new(ErrorKind::Denied, message)
}

/// Generates a key and creates its file at `path`, atomically and without replacing an existing file.
pub(crate) fn create(path: &Path, ids: &Ids, passphrase: Option<&Secret>) -> Result<CloudKey> {
    let key = CloudKey::generate(ids);
    let text = to_text(&key, passphrase)?;
    // The name is unique, even if two processes create a key at once.
    let new = with_suffix(path, &format!("{TEMP_SUFFIX}{}", Ids::system().hex(TEMP_DIGITS)));
    let written = write(&new, text.as_bytes()).and_then(|()| move_to(&new, path));
    let _ = fs::remove_file(&new);
    match written {
        Ok(()) => Ok(key),
        // Another process created the file first: its key is used.
        Err(_) if path.exists() => read(path, passphrase)?.ok_or_else(|| missing_key_file(path)),
        Err(error) => Err(failed("cannot write the key file", path, error)),
    }
}

/// Writes a new file that only its owner can read.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Moves the file `new` to `path`. A hard link, unlike a rename, fails if there is a file already.
fn move_to(new: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(new, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || path.exists() => return Err(error),
        // Some file systems have no hard links.
        Err(_) => fs::rename(new, path)?,
    }
    sync_folder(path)
}

/// Makes the names of files beside `path` durable. Directories can only be opened and synced on Unix.
fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder_path(path))?.sync_all() } else { Ok(()) }
}

fn folder_path(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn failed(what: &str, path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("{what} {}: {error}", path.display())).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_file_is_created_once_with_mode_600_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = default_path(&folder.path().join("cloud"));
        assert!(read(&path, None).unwrap().is_none());
        let created = create(&path, &Ids::system(), None).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(*created.to_text(), text);
        assert_eq!(
            *create(&path, &Ids::system(), None).unwrap().to_text(),
            text,
            "the existing file is used"
        );
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(*read(&path, None).unwrap().unwrap().to_text(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let error = read(&path, None).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Denied);
            assert!(error.message().contains("chmod 600"), "{error}");
        }
    }

    #[test]
    fn file_without_a_key_is_invalid_and_stays_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write(&path, b"something else").unwrap();
        assert_eq!(read(&path, None).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(create(&path, &Ids::system(), None).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(fs::read_to_string(&path).unwrap(), "something else");
        let missing = folder.path().join("no/such/folder/key");
        let error = create(&missing, &Ids::system(), None).unwrap_err();
        assert!(error.message().contains("no/such/folder/key"), "{error}");
    }
}
