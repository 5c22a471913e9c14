//! The file of a cloud's key: beside the state, or where the user says; for its owner alone.

use crate::seal::CloudKey;
use nephos_core::{Error, ErrorKind, Ids, Result};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};
use zeroize::Zeroizing;

/// The ending of the key file beside a state.
const ENDING: &str = "nephos-key";

/// The key file of the state at `path`, unless another is named.
pub(crate) fn beside(path: &Path) -> PathBuf {
    with_ending(path, ENDING)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

/// The key in the file at `path`; none if there is no such file.
pub(crate) fn read(path: &Path) -> Result<Option<CloudKey>> {
    let failed = |error| failed("cannot read the key file", path, error);
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    check_owner(path, &file.metadata().map_err(failed)?)?;
    let mut text = Zeroizing::new(String::new());
    file.read_to_string(&mut text).map_err(failed)?;
    CloudKey::parse(&text)
        .map(Some)
        .map_err(|_| Error::new(ErrorKind::Invalid, format!("{} is not a key file", path.display())))
}

/// Refuses a file that not only its owner can read.
#[cfg(unix)]
fn check_owner(path: &Path, found: &fs::Metadata) -> Result<()> {
    let mode = std::os::unix::fs::PermissionsExt::mode(&found.permissions());
    if mode & 0o077 == 0 {
        return Ok(());
    }
    let (path, mode) = (path.display(), mode & 0o777);
    let why = format!("{path} can be read by others (mode {mode:o}); make it yours alone: chmod 600 {path}");
    Err(Error::new(ErrorKind::Denied, why))
}

#[cfg(not(unix))]
fn check_owner(_path: &Path, _found: &fs::Metadata) -> Result<()> {
    Ok(())
}

/// The state needs its key, and it is not there.
pub(crate) fn missing(path: &Path) -> Error {
    let why = format!(
        "there is no key file {}, and something in this state is sealed: put the file back, or name it",
        path.display()
    );
    Error::new(ErrorKind::Denied, why)
}

/// Makes a key and its file at `path`: all of it or none, and never in place of another file.
pub(crate) fn make(path: &Path, ids: &Ids) -> Result<CloudKey> {
    let key = CloudKey::made(ids);
    // Its name is nobody else's, even if two make a key at once.
    let new = with_ending(path, &format!("nephos-new-{}", Ids::system().hex(16)));
    let written = write(&new, key.to_text().as_bytes()).and_then(|()| put_in_place(&new, path));
    let _ = fs::remove_file(&new);
    match written {
        Ok(()) => Ok(key),
        // Somebody else was quicker: theirs counts.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            read(path)?.ok_or_else(|| missing(path))
        }
        Err(error) => Err(failed("cannot write the key file", path, error)),
    }
}

/// Writes a new file that only its owner may read.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Gives the file its name. A second name, unlike another name, is refused where there is a file already.
fn put_in_place(new: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(new, path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists || path.exists() => return Err(error),
        // Not every disk has second names.
        Err(_) => fs::rename(new, path)?,
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    // Only Unix lets a folder be opened and synced.
    if cfg!(unix) { File::open(folder.unwrap_or(Path::new(".")))?.sync_all() } else { Ok(()) }
}

fn failed(what: &str, path: &Path, error: io::Error) -> Error {
    Error::new(ErrorKind::Internal, format!("{what} {}: {error}", path.display())).with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_file_is_made_once_for_its_owner_and_never_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let path = beside(&folder.path().join("cloud"));
        assert!(read(&path).unwrap().is_none());
        let made = make(&path, &Ids::system()).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(*made.to_text(), text);
        assert_eq!(*make(&path, &Ids::system()).unwrap().to_text(), text, "the file that is there counts");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(*read(&path).unwrap().unwrap().to_text(), text);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing else is left");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            let error = read(&path).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Denied);
            assert!(error.message().contains("chmod 600"), "{error}");
        }
    }

    #[test]
    fn a_file_that_holds_no_key_is_told_of_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write(&path, b"something else").unwrap();
        assert_eq!(read(&path).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(make(&path, &Ids::system()).unwrap_err().kind(), ErrorKind::Invalid);
        assert_eq!(fs::read_to_string(&path).unwrap(), "something else");
        let nowhere = folder.path().join("no/such/folder/key");
        let error = make(&nowhere, &Ids::system()).unwrap_err();
        assert!(error.message().contains("no/such/folder/key"), "{error}");
    }
}
