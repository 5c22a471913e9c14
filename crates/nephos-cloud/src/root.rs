//! The root key: the access key that whoever runs a server has from its first start on.

use crate::{Kernel, Key, Scope, Tx, corrupt, kernel::OWN};
use nephos_core::{Blob, DEFAULT_ACCOUNT, Ids, Result, Secret, Text};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// What the id of a key that does not run out begins with.
const PREFIX: &str = "AKIA";

/// What the sealed key belongs to.
const BELONGS: &[&str] = &["root-key"];

/// The access key of the default account's owner, who may use a server's control endpoint, too.
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
        let id = ids.from_alphabet(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
        let secret =
            ids.from_alphabet(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", 40);
        Self {
            access_key_id: format!("{PREFIX}{id}").into(),
            secret_access_key: Secret::from(secret.as_str()),
        }
    }

    /// The key that is kept, if there is one.
    fn kept(cx: &Tx<'_>) -> Result<Option<Self>> {
        let Some(row) = cx.row(&row_key())? else { return Ok(None) };
        let opened = cx.open(BELONGS, &Blob(row.to_vec()))?;
        let text = std::str::from_utf8(&opened).ok().and_then(|text| text.split_once(' '));
        let (id, secret) = text.ok_or_else(|| corrupt("the root key cannot be read"))?;
        Ok(Some(Self { access_key_id: id.into(), secret_access_key: secret.into() }))
    }

    fn keep(&self, cx: &mut Tx<'_>) -> Result<()> {
        let text = Secret::from(format!("{} {}", self.access_key_id, self.secret_access_key.expose()));
        let sealed = cx.seal(BELONGS, text.expose().as_bytes())?;
        cx.put_row(&row_key(), &sealed.0)
    }
}

/// The row of the root key. It is there once a server asked for it.
pub(crate) fn row_key() -> Key {
    Key::table(OWN).text("root-key")
}

fn scope() -> Scope {
    Scope::new(DEFAULT_ACCOUNT, "")
}

impl Kernel {
    /// The root key of this cloud, and whether it is new: it is made when it is first asked for, and kept sealed.
    pub fn root_key(&self) -> Result<(RootKey, bool)> {
        let made = Arc::new(AtomicBool::new(false));
        let note = made.clone();
        self.arrange(scope(), move |cx| {
            let new = RootKey::kept(cx)?.is_none();
            note.store(new, Ordering::Relaxed);
            if new { RootKey::new(cx.ids()).keep(cx) } else { Ok(()) }
        })?;
        let key = self.kept_root_key()?.ok_or_else(|| corrupt("the root key is gone"))?;
        Ok((key, made.load(Ordering::Relaxed)))
    }

    pub(crate) fn kept_root_key(&self) -> Result<Option<RootKey>> {
        self.look(scope(), self.0.time.now(), |_, cx| RootKey::kept(cx)).map(|(key, _)| key)
    }

    /// Keeps `key` in place of what there is.
    pub(crate) fn keep_root_key(&self, key: RootKey) -> Result<()> {
        self.arrange(scope(), move |cx| key.keep(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CloudKey;

    #[test]
    fn a_key_looks_like_one_and_is_not_printed() {
        let key = RootKey::new(&Ids::system());
        assert_eq!((key.access_key_id.len(), key.secret_access_key.expose().len()), (20, 40));
        assert!(key.access_key_id.starts_with("AKIA"));
        assert!(!format!("{key:?}").contains(key.secret_access_key.expose()));
        assert_ne!(RootKey::new(&Ids::system()), key);
    }

    #[test]
    fn a_cloud_keeps_one_root_key_sealed_whatever_else_it_forgets() {
        let folder = tempfile::tempdir().unwrap();
        let open =
            || crate::Cloud::<()>::options().key(CloudKey::new([7; 32])).open(folder.path().join("state"));
        let cloud = open().unwrap();
        cloud.save_to(folder.path().join("before"), |_| ()).unwrap();
        let (key, made) = cloud.root_key().unwrap();
        assert!(made);
        let again = |cloud: &Kernel| assert_eq!(cloud.root_key().unwrap(), (key.clone(), false));
        again(&cloud);
        cloud.reset().unwrap();
        again(&cloud);
        cloud.restore_from(folder.path().join("before"), |_| ()).unwrap();
        again(&cloud);
        cloud.close().unwrap();
        let cloud = open().unwrap();
        again(&cloud);
        let secret = key.secret_access_key.expose().as_bytes();
        for (_, row) in cloud.rows().unwrap() {
            assert!(!row.windows(secret.len()).any(|part| part == secret), "it stands there in the clear");
        }
        cloud.reset().unwrap();
        cloud.close().unwrap();
        let other =
            crate::Cloud::<()>::options().key(CloudKey::new([8; 32])).open(folder.path().join("state"));
        assert_eq!(
            other.unwrap_err().kind(),
            nephos_core::ErrorKind::Denied,
            "it is sealed with another key"
        );
    }
}
