//! Private keys of SAML providers, which decrypt assertions.

use crate::{AssertionEncryptionMode, SAMLProvider, entity::ids, errors};
use nephos_cloud::{Stored as _, Tx};
use nephos_core::{Blob, Record, Result, Secret, Text, Timestamp};

/// Maximum number of private keys of a provider.
const MAX_PRIVATE_KEYS: usize = 2;

/// Number of characters of IDs of private keys and providers after their prefix.
pub(crate) const KEY_ID_LENGTH: usize = 20;

/// A private key that decrypts assertions.
#[derive(Record)]
#[record(answer, name = "SAMLPrivateKey")]
pub struct SamlPrivateKey {
    /// ID of the key.
    pub(crate) key_id: Option<Text>,
    /// Time at which the key was added.
    timestamp: Option<Timestamp>,
}

/// Row of a private key of a provider.
#[derive(Record)]
#[record(row)]
pub(crate) struct SamlKeyRow {
    /// ID of the key.
    pub(crate) key_id: Option<Text>,
    /// The key in PEM, sealed.
    #[field(sensitive)]
    pub(crate) key: Option<Blob>,
}

nephos_cloud::stored!(SamlKeyRow in "iam/saml-key" by key_id);

/// A private key to add.
#[derive(Record)]
#[record(shared)]
pub struct NewPrivateKey {
    /// Private key in PEM that decrypts assertions.
    #[field(length(1..=16_384), pattern = r"[\x09\x0A\x0D\x20-\xFF]+")]
    add_private_key: Option<Secret>,
}

impl SAMLProvider {
    /// Refuses a new private key that is malformed or one too many, and required encryption without a private key.
    pub(crate) fn check_private_keys(&self, new: Option<&Secret>) -> Result<()> {
        let number = self.private_key_list.as_ref().map_or(0, Vec::len);
        if let Some(key) = new {
            let text = key.expose().trim();
            if !(text.starts_with("-----BEGIN ") && text.ends_with("PRIVATE KEY-----")) {
                return Err(errors::private_key_invalid().with_field("AddPrivateKey"));
            }
            if number >= MAX_PRIVATE_KEYS {
                return Err(errors::quota_exceeded("PrivateKeysPerSAMLProvider", MAX_PRIVATE_KEYS));
            }
        }
        let is_required = self.assertion_encryption_mode == Some(AssertionEncryptionMode::Required);
        if is_required && number == 0 && new.is_none() {
            return Err(errors::encryption_without_key().with_field("AssertionEncryptionMode"));
        }
        Ok(())
    }

    /// Adds a private key, which was checked.
    pub(crate) fn add_private_key(&mut self, cx: &mut Tx<'_>, key: &Secret) -> Result<()> {
        let id = ids::new_id(cx, "SAMLKEY", KEY_ID_LENGTH);
        let sealed = cx.seal(&[SamlKeyRow::TABLE, &id], key.expose().as_bytes())?;
        let entry = SamlPrivateKey { key_id: Some(id.clone()), timestamp: Some(cx.now()) };
        self.private_key_list.get_or_insert_default().push(entry);
        cx.put(SamlKeyRow { key_id: Some(id), key: Some(sealed) })
    }

    /// Takes the private key with this ID out of the list.
    pub(crate) fn take_private_key(&mut self, id: &Text) -> Result<()> {
        let keys = self.private_key_list.get_or_insert_default();
        let Some(position) = keys.iter().position(|key| key.key_id.as_ref() == Some(id)) else {
            return Err(errors::private_key_not_found(id).with_field("RemovePrivateKey"));
        };
        keys.remove(position);
        Ok(())
    }
}
