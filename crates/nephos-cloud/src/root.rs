//! The root key: the access key of the operator of a server, generated at its first start.

use crate::{Kernel, Key, Scope, Tx, corrupt, kernel::CLOUD_TABLE, new_secret_access_key};
use nephos_core::{Blob, DEFAULT_ACCOUNT, Ids, Result, Secret, Text};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

/// Prefix of the ID of an access key that does not expire.
const PREFIX: &str = "AKIA";

/// Place that the key is sealed for.
const PATH: &[&str] = &["root-key"];

/// Access key of the owner of the default account. It also authorizes calls of the control endpoint of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RootKey {
    /// Public part.
    pub access_key_id: Text,
    /// Secret part.
    pub secret_access_key: Secret,
}

impl RootKey {
    /// Generates a new key.
    pub fn new(ids: &Ids) -> Self {
        let id = ids.from_alphabet(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16);
        Self { access_key_id: format!("{PREFIX}{id}").into(), secret_access_key: new_secret_access_key(ids) }
    }

    /// Reads the stored key, if there is one.
    fn load(cx: &Tx<'_>) -> Result<Option<Self>> {
        let Some(row) = cx.row(&row_key())? else { return Ok(None) };
        let opened = cx.open(PATH, &Blob(row.to_vec()))?;
        let text = std::str::from_utf8(&opened).ok().and_then(|text| text.split_once(' '));
        let (id, secret) = text.ok_or_else(|| corrupt("the row of the root key is malformed"))?;
        Ok(Some(Self { access_key_id: id.into(), secret_access_key: secret.into() }))
    }

    fn store(&self, cx: &mut Tx<'_>) -> Result<()> {
        let text = Secret::from(format!("{} {}", self.access_key_id, self.secret_access_key.expose()));
        let sealed = cx.seal(PATH, text.expose().as_bytes())?;
        cx.put_row(&row_key(), &sealed.0)
    }
}

/// Key of the row of the root key. The row exists once a server has used the root key.
pub(crate) fn row_key() -> Key {
    Key::table(CLOUD_TABLE).text("root-key")
}

fn scope() -> Scope {
    Scope::new(DEFAULT_ACCOUNT, "")
}

impl Kernel {
    /// Returns the root key of this cloud, and true if it is new. It is generated on first use and stored sealed.
    pub fn root_key(&self) -> Result<(RootKey, bool)> {
        let is_new = Arc::new(AtomicBool::new(false));
        let flag = is_new.clone();
        self.write_in(scope(), move |cx| {
            let new = RootKey::load(cx)?.is_none();
            flag.store(new, Ordering::Relaxed);
            if new { RootKey::new(cx.ids()).store(cx) } else { Ok(()) }
        })?;
        let key = self.load_root_key()?.ok_or_else(|| corrupt("the row of the root key is missing"))?;
        Ok((key, is_new.load(Ordering::Relaxed)))
    }

    pub(crate) fn load_root_key(&self) -> Result<Option<RootKey>> {
        self.read_in(scope(), self.0.time.now(), |_, cx| RootKey::load(cx)).0
    }

    /// Stores `key` as the root key, replacing the previous one.
    pub(crate) fn store_root_key(&self, key: RootKey) -> Result<()> {
        self.write_in(scope(), move |cx| key.store(cx))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CloudKey;

    #[test]
    fn root_key_has_the_form_of_an_access_key_and_is_redacted_in_debug_output() {
        let key = RootKey::new(&Ids::system());
        assert_eq!((key.access_key_id.len(), key.secret_access_key.expose().len()), (20, 40));
        assert!(key.access_key_id.starts_with("AKIA"));
        assert!(!format!("{key:?}").contains(key.secret_access_key.expose()));
        assert_ne!(RootKey::new(&Ids::system()), key);
    }

    #[test]
    fn root_key_is_sealed_and_survives_reset_restore_and_reopen() {
        let folder = tempfile::tempdir().unwrap();
        let open =
            || crate::Cloud::<()>::options().key(CloudKey::new([7; 32])).open(folder.path().join("state"));
        let cloud = open().unwrap();
        cloud.save_to(folder.path().join("before"), |_| ()).unwrap();
        let (key, is_new) = cloud.root_key().unwrap();
        assert!(is_new);
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
            assert!(
                !row.windows(secret.len()).any(|part| part == secret),
                "the secret is stored unencrypted"
            );
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
