//! Crypto keys that services encrypt data with: data keys, encrypted under a crypto key.

use crate::{
    Permissions, Tx,
    seal::{CloudKey, DataKey},
};
use nephos_core::{Blob, Error, Result, Text, shape::ServiceShape};
use std::fmt;
use zeroize::Zeroizing;

/// The service that has the crypto keys of the accounts.
pub trait CryptoKeys: fmt::Debug + Sync {
    /// Shape of the service.
    fn shape(&self) -> &'static ServiceShape;

    /// Finds the key with this ID, ARN or alias, which may belong to another account, and which must be usable for symmetric
    /// encryption now.
    fn find_usable(&self, cx: &mut Tx<'_>, name: &str) -> Result<UsableKey>;

    /// Returns the key that the provider manages for a service in this account and Region; creates it if it does not exist.
    fn find_or_create_managed(&self, cx: &mut Tx<'_>, service: &str) -> Result<UsableKey>;

    /// Encrypts `plain` under a key.
    fn encrypt(
        &self,
        cx: &mut Tx<'_>,
        key: &UsableKey,
        context: &EncryptionContext<'_>,
        plain: &[u8],
    ) -> Result<Vec<u8>>;

    /// Decrypts a ciphertext; the key that it names must be usable now. Also returns the key.
    fn decrypt(
        &self,
        cx: &mut Tx<'_>,
        context: &EncryptionContext<'_>,
        ciphertext: &[u8],
    ) -> Result<(UsableKey, Zeroizing<Vec<u8>>)>;
}

/// A crypto key that is usable now.
#[derive(Clone, Debug)]
pub struct UsableKey {
    /// ARN of the key.
    pub arn: Text,
    /// True if the provider manages the key: everyone who may use the service may use it.
    pub is_managed: bool,
}

/// Pairs that ciphertexts are bound to.
pub type EncryptionContext<'c> = [(&'c str, &'c str)];

/// A use of a crypto key by a service.
#[derive(Clone, Copy, Debug)]
pub struct KeyUse<'u> {
    /// The service that encrypts its data.
    pub service: &'static ServiceShape,
    /// Pairs that the data key is bound to.
    pub context: &'u EncryptionContext<'u>,
    /// Principal that uses the key: the caller if absent, else a service, such as `logs.us-east-1.amazonaws.com`.
    pub principal: Option<&'u str>,
}

/// First byte of a data key that is encrypted under a crypto key. Those that are sealed with the key of the cloud have another.
const UNDER_CRYPTO_KEY: u8 = 2;

impl Tx<'_> {
    /// Returns the service of crypto keys, if this cloud has it.
    fn crypto_keys(&self) -> Option<&'static dyn CryptoKeys> {
        self.services.iter().find_map(|service| service.crypto_keys)
    }

    /// True if this cloud has crypto keys.
    pub fn has_crypto_keys(&self) -> bool {
        self.crypto_keys().is_some()
    }

    /// Returns the ARN of a crypto key for tests, by a name of their choice; of one that does not exist in a cloud without keys.
    #[cfg(feature = "testing")]
    pub(crate) fn test_key(&mut self, name: &str) -> Result<Text> {
        match self.crypto_keys() {
            Some(keys) => keys.find_or_create_managed(self, name).map(|key| key.arn),
            None => Ok(self.scope.arn("kms", &["key/", name]).into()),
        }
    }

    /// Refuses a crypto key that cannot be used now, or that the principal may not use.
    pub fn check_crypto_key(&mut self, name: &str, used: &KeyUse<'_>) -> Result<()> {
        let Some(keys) = self.crypto_keys() else { return Ok(()) };
        let key = keys.find_usable(self, name)?;
        self.check_key_use(keys, &key, "kms:GenerateDataKey", used)
    }

    /// Generates a data key for the place `path`. Also returns it encrypted, to be stored: under the crypto key `name`, or
    /// under the key that the provider manages for the service; in a cloud without crypto keys, under the key of the cloud.
    pub fn new_data_key_under(
        &mut self,
        name: Option<&str>,
        used: &KeyUse<'_>,
        path: &[&str],
    ) -> Result<(DataKey, Blob)> {
        let Some(keys) = self.crypto_keys() else { return self.new_data_key(path) };
        let key = match name {
            Some(name) => keys.find_usable(self, name)?,
            None => keys.find_or_create_managed(self, used.service.signing)?,
        };
        self.check_key_use(keys, &key, "kms:GenerateDataKey", used)?;
        let plain = CloudKey::generate(self.ids);
        let mut stored = vec![UNDER_CRYPTO_KEY];
        stored.extend(keys.encrypt(self, &key, used.context, plain.bytes())?);
        Ok((DataKey::new(&plain), Blob(stored)))
    }

    /// Opens a data key that [`new_data_key_under`](Self::new_data_key_under) returned. The crypto key must be usable now.
    pub fn data_key_under(&mut self, used: &KeyUse<'_>, path: &[&str], stored: &Blob) -> Result<DataKey> {
        let Some(ciphertext) = stored.0.strip_prefix(&[UNDER_CRYPTO_KEY]) else {
            return self.data_key(path, stored);
        };
        let keys = self.crypto_keys().ok_or_else(|| crate::internal("this cloud has no crypto keys"))?;
        let (key, plain) = keys.decrypt(self, used.context, ciphertext)?;
        self.check_key_use(keys, &key, "kms:Decrypt", used)?;
        DataKey::from_bytes(&plain)
    }

    /// Checks that the policies allow a principal to use a key through a service.
    fn check_key_use(
        &mut self,
        keys: &dyn CryptoKeys,
        key: &UsableKey,
        action: &str,
        used: &KeyUse<'_>,
    ) -> Result<()> {
        if self.permissions == Permissions::Off || key.is_managed {
            return Ok(());
        }
        let via = format!("{}.{}.amazonaws.com", used.service.endpoint, self.scope.region());
        let mut context = vec![(Text::new("kms:ViaService"), Text::from(via))];
        context.extend(
            used.context
                .iter()
                .map(|(key, value)| (format!("kms:EncryptionContext:{key}").into(), (*value).into())),
        );
        self.check_action_of(used.principal, keys.shape(), action, &key.arn, context)
    }
}

/// True if an error means that a crypto key cannot be used, and not that the cloud failed.
pub fn is_key_refusal(error: &Error) -> bool {
    use nephos_core::ErrorKind::{Denied, InState, Invalid, NotFound};
    matches!(error.kind(), Denied | InState | Invalid | NotFound)
}
