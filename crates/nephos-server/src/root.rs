//! The root key: the access key that whoever runs a server has from its first start on.

use nephos::{DEFAULT_ACCOUNT, Error, ErrorKind, Ids, Result, Text, Value};
use nephos_core::{
    Secret,
    json::{self, Writing},
};
use nephos_wire::sigv4::Key;
use std::{
    fs::{self, File, OpenOptions},
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

/// What the id of a key that does not run out begins with.
const PREFIX: &str = "AKIA";

/// The access key of the default account's owner, who may use the control endpoint, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootKey {
    /// The public part.
    pub access_key_id: Text,
    /// The secret part.
    pub secret_access_key: Secret,
}

impl RootKey {
    /// A new key.
    pub fn new(ids: &Ids) -> Self {
        let id = ids.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
        let secret = ids.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 40);
        Self {
            access_key_id: format!("{PREFIX}{id}").into(),
            secret_access_key: Secret::from(secret.as_str()),
        }
    }

    /// The key as signatures are checked with it.
    pub(crate) fn key(&self) -> Key {
        Key {
            secret: self.secret_access_key.clone(),
            session_token: None,
            account: Text::const_new(DEFAULT_ACCOUNT),
        }
    }
}

/// The file of a root key. It stands beside the state, not in it, and only its owner can read it: a copy of the state
/// gives nobody the key.
#[derive(Clone, Debug)]
pub struct RootKeyFile(PathBuf);

impl RootKeyFile {
    /// The file for the state at `state`.
    pub fn beside(state: &Path) -> Self {
        let mut path = state.as_os_str().to_owned();
        path.push(".root-key");
        Self(path.into())
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The key in the file, if there is one.
    pub fn load(&self) -> Result<Option<RootKey>> {
        let mut file = match File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(self.failed("read", error)),
        };
        self.check_owner(&file)?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(|error| self.failed("read", error))?;
        let parsed = json::parse(&text).ok();
        let part = |name: &str| match &parsed {
            Some(Value::Map(fields)) => fields.get(name).and_then(Value::as_text),
            _ => None,
        };
        match (part("accessKeyId"), part("secretAccessKey")) {
            (Some(id), Some(secret)) if !id.is_empty() && !secret.is_empty() => {
                Ok(Some(RootKey { access_key_id: id.into(), secret_access_key: secret.into() }))
            }
            _ => {
                let why = format!("{} holds no root key; remove it to have a new one made", self.0.display());
                Err(Error::new(ErrorKind::Corrupt, why))
            }
        }
    }

    /// Puts `key` into the file: whole, or not at all.
    pub fn save(&self, key: &RootKey) -> Result<()> {
        let fields = [
            ("accessKeyId", key.access_key_id.as_str()),
            ("secretAccessKey", key.secret_access_key.expose()),
        ];
        let fields = fields.map(|(name, value)| (Text::from(name), Value::from(value)));
        let text = json::write(Value::Map(fields.into_iter().collect()).view(), Writing::EXPOSED);
        let mut unfinished = self.0.clone().into_os_string();
        unfinished.push(".new");
        let unfinished = PathBuf::from(unfinished);
        let write = || {
            // What is left of an earlier attempt may be open to others; a file of ours is not.
            match fs::remove_file(&unfinished) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            let mut file = own_file(&unfinished)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&unfinished, &self.0)?;
            let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty());
            File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
        };
        write().map_err(|error| self.failed("write", error))
    }

    #[cfg(unix)]
    fn check_owner(&self, file: &File) -> Result<()> {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = file.metadata().map_err(|error| self.failed("read", error))?.permissions().mode();
        if mode & 0o077 == 0 {
            return Ok(());
        }
        let path = self.0.display();
        let why = format!(
            "{path} can be read by others (mode {:o}); make it yours alone: chmod 600 {path}",
            mode & 0o777
        );
        Err(Error::new(ErrorKind::Denied, why))
    }

    #[cfg(not(unix))]
    fn check_owner(&self, _file: &File) -> Result<()> {
        Ok(())
    }

    fn failed(&self, what: &str, error: io::Error) -> Error {
        let why = format!("cannot {what} the root key {}: {error}", self.0.display());
        Error::new(ErrorKind::Internal, why).with_source(error)
    }
}

/// A new file that nobody but its owner can open.
fn own_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_looks_like_one_and_is_not_printed() {
        let key = RootKey::new(&Ids::system());
        assert_eq!((key.access_key_id.len(), key.secret_access_key.expose().len()), (20, 40));
        assert!(key.access_key_id.starts_with("AKIA"));
        assert!(!format!("{key:?}").contains(key.secret_access_key.expose()));
        assert_ne!(RootKey::new(&Ids::system()), key);
    }

    #[test]
    fn a_file_keeps_the_key_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = RootKeyFile::beside(&folder.path().join("state.redb"));
        assert_eq!(file.load().unwrap(), None);
        let key = RootKey::new(&Ids::system());
        fs::write(format!("{}.new", file.path().display()), "half of an earlier one").unwrap();
        file.save(&key).unwrap();
        assert_eq!(file.load().unwrap(), Some(key));
        assert_eq!(file.path().file_name().unwrap(), "state.redb.root-key");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = |mode| fs::set_permissions(file.path(), fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(fs::metadata(file.path()).unwrap().permissions().mode() & 0o777, 0o600);
            mode(0o640);
            assert_eq!(file.load().unwrap_err().kind(), ErrorKind::Denied);
            mode(0o600);
        }
        fs::write(file.path(), "{\"accessKeyId\":\"AKIA\"}").unwrap();
        let error = file.load().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Corrupt);
        assert!(error.message().contains("remove it"), "{error}");
    }
}
