//! The source of the key that encrypts a cloud's secrets, and the keys of its state.

use crate::{
    CloudKey, from_store_error, key_file,
    seal::{self, Seals},
};
use nephos_core::{Error, ErrorKind, Ids, Result, Secret};
use nephos_store::{Store, View};
use std::path::{Path, PathBuf};

/// The source of the key that encrypts a cloud's secrets.
#[derive(Clone, Debug, Default)]
pub(crate) enum KeySource {
    /// The key file next to the state.
    #[default]
    DefaultFile,
    /// A key file that the user names.
    File(PathBuf),
    /// A key that the user keeps.
    Key(CloudKey),
}

/// Use that is made of the key file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeyFile {
    /// It is created, if there is none.
    Written,
    /// It is left as it is.
    OnlyRead,
}

impl KeySource {
    /// Returns the path of the key file of the state at `path`; none if the key is given.
    pub(crate) fn file(&self, path: &Path) -> Option<PathBuf> {
        match self {
            Self::Key(_) => None,
            Self::File(file) => Some(file.clone()),
            Self::DefaultFile => Some(key_file::default_path(path)),
        }
    }

    /// Returns the keys of the state `view` in a database. The first server notes which key it has, so that all have the same.
    pub(crate) fn load_of_database(
        &self,
        store: &Store,
        view: &dyn View,
        passphrase: Option<&Secret>,
        ids: &Ids,
    ) -> Result<Seals> {
        if matches!(self, Self::DefaultFile) {
            if seal::needs_key(view)? {
                let message = "the data in this database is sealed: its key or key file must be given";
                return Err(Error::new(ErrorKind::Denied, message));
            }
            return Ok(Seals::missing());
        }
        let seals = self.load(Some(Path::new("")), view, passphrase, KeyFile::Written, ids)?;
        if !seal::needs_key(view)? {
            let row = seals.check_row(ids)?;
            let noted = store.transact(move |txn| match txn.get(seal::check_key().as_bytes())? {
                Some(_) => Ok(()),
                None => txn.put(seal::check_key().as_bytes(), &row),
            });
            noted.wait().map_err(from_store_error)?;
            // Another server may have been first, with another key.
            seals.check(&store.snapshot().map_err(from_store_error)?)?;
        }
        Ok(seals)
    }

    /// Returns the keys of the state `view` at `path`. If nothing was sealed yet, the key is made.
    pub(crate) fn load(
        &self,
        path: Option<&Path>,
        view: &dyn View,
        passphrase: Option<&Secret>,
        access: KeyFile,
        ids: &Ids,
    ) -> Result<Seals> {
        if let Self::Key(key) = self {
            return Seals::read(key.clone(), view);
        }
        let Some(file) = path.and_then(|path| self.file(path)) else {
            return Ok(Seals::new(CloudKey::generate(ids)));
        };
        let read = |file: &Path| {
            let key = key_file::read(file, passphrase)?;
            key.map(|key| Seals::read(key, view)).transpose()
        };
        match (read(&file), access) {
            (Ok(Some(seals)), _) => Ok(seals),
            (Ok(None), _) if seal::needs_key(view)? => Err(key_file::missing_key_file(&file)),
            (Ok(None), KeyFile::Written) => key_file::create(&file, ids, passphrase).map(Seals::new),
            (Ok(None), KeyFile::OnlyRead) => Ok(Seals::new(CloudKey::generate(ids))),
            // A process may have been killed after it replaced the key in the state, and before it replaced the file.
            (Err(wrong), access) => match (read(&key_file::next_path(&file)), access) {
                (Ok(Some(seals)), KeyFile::Written) => key_file::take_next(&file).map(|()| seals),
                (Ok(Some(seals)), KeyFile::OnlyRead) => Ok(seals),
                _ => Err(wrong),
            },
        }
    }
}
