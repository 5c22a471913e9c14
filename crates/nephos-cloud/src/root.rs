//! The root key: the access key of the operator of a server, generated at its first start.

use crate::{Kernel, Key, Scope, Tx, corrupt, kernel, new_secret_access_key, seal};
use nephos_core::{Blob, DEFAULT_ACCOUNT, Ids, Result, Secret, Text};
use nephos_store::{Row, View};

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
    Key::of_cloud("root-key")
}

/// Returns the rows in `current` that stay when the state is replaced: the root key, with the row that identifies the key it is
/// sealed with and the earlier keys, the number of openings with a seed, and `settings`.
pub(crate) fn kept_rows(current: &dyn View, settings: &[Key]) -> nephos_store::Result<Vec<Row>> {
    let mut keys = [settings, &[kernel::openings_key()]].concat();
    let has = |key: &Key| current.get(key.as_bytes()).map(|row| row.is_some());
    if has(&row_key())? || has(&seal::earlier_keys_key())? {
        keys.extend([row_key(), seal::check_key(), seal::earlier_keys_key()]);
    }
    let mut rows = Vec::new();
    for key in keys {
        rows.extend(current.get(key.as_bytes())?.map(|value| Row::new(key.as_bytes(), &value)));
    }
    Ok(rows)
}

fn scope() -> Scope {
    Scope::new(DEFAULT_ACCOUNT, "")
}

impl Kernel {
    /// Returns the root key of this cloud, if it has one.
    pub fn root_key(&self) -> Result<Option<RootKey>> {
        self.read_in(scope(), self.0.time.now(), |_, cx| RootKey::load(cx)).0
    }

    /// Generates a root key. It is not used before [`set_root_key`](Self::set_root_key), so that it can be shown first: a
    /// key that nobody has seen locks everybody out.
    pub fn new_root_key(&self) -> RootKey {
        RootKey::new(&self.0.ids)
    }

    /// Stores `key`, sealed, as the root key, replacing the previous one.
    pub fn set_root_key(&self, key: RootKey) -> Result<()> {
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
        assert_eq!(cloud.root_key().unwrap(), None);
        let key = cloud.new_root_key();
        assert_eq!(cloud.root_key().unwrap(), None, "it is not used before it was shown");
        cloud.set_root_key(key.clone()).unwrap();
        let again = |cloud: &Kernel| assert_eq!(cloud.root_key().unwrap().as_ref(), Some(&key));
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

    fn open_fixed_key(path: &std::path::Path) -> crate::Cloud<()> {
        crate::Cloud::options().key(CloudKey::new([7; 32])).open(path).unwrap()
    }

    /// Child process of the next test: restores a snapshot again and again until it is killed.
    #[test]
    #[ignore = "child process of the next test"]
    #[expect(clippy::disallowed_methods, reason = "the parent test passes the path in the environment")]
    fn restore_until_killed() {
        let folder = std::path::PathBuf::from(std::env::var("NEPHOS_VICTIM").unwrap());
        let cloud = open_fixed_key(&folder.join("state"));
        loop {
            cloud.restore_from(folder.join("saved"), |_| ()).unwrap();
            nephos_testing::report_done("restored");
        }
    }

    #[test]
    fn root_key_survives_a_kill_during_a_restore() {
        let folder = tempfile::tempdir().unwrap();
        let state = folder.path().join("state");
        let cloud = open_fixed_key(&state);
        cloud.save_to(folder.path().join("saved"), |_| ()).unwrap();
        let key = cloud.new_root_key();
        cloud.set_root_key(key.clone()).unwrap();
        cloud.close().unwrap();
        for round in 0..10 {
            let variables = [("NEPHOS_VICTIM", folder.path().to_str().unwrap())];
            nephos_testing::kill_after(1 + round % 3, "root::tests::restore_until_killed", &variables);
            let cloud = open_fixed_key(&state);
            assert_eq!(cloud.root_key().unwrap().as_ref(), Some(&key), "round {round}");
            cloud.close().unwrap();
        }
    }
}
