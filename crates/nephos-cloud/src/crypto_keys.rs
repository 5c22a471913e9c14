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

    /// Finds the key with this ID, ARN or alias, which may belong to another account, or else the key that the provider manages for a
    /// service in this account and Region, which is created if it does not exist. It must be usable for symmetric encryption now.
    fn find_usable(&self, cx: &mut Tx<'_>, name: Option<&str>, service: &str) -> Result<UsableKey>;

    /// Encrypts `plain` under the key with this ID, ARN or alias, or else under the key that the provider manages for a service. The
    /// key must be usable now, and `check` may refuse it.
    fn encrypt(
        &self,
        cx: &mut Tx<'_>,
        name: Option<&str>,
        service: &str,
        check: &CheckKey<'_>,
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

/// The crypto keys of a service, and the names of their use in policies.
#[derive(Clone, Copy, Debug)]
pub struct CryptoKeyService {
    /// The keys.
    pub keys: &'static dyn CryptoKeys,
    /// Action that generates a data key.
    pub generate_data_key: &'static str,
    /// Action that decrypts a data key.
    pub decrypt: &'static str,
    /// Condition key of the service that uses a key for its caller.
    pub via_service: &'static str,
    /// Start of the condition keys of the pairs that a data key is bound to.
    pub encryption_context: &'static str,
    /// Condition key of the names of these pairs.
    pub encryption_context_keys: &'static str,
}

/// A crypto key that is usable now.
#[derive(Clone, Debug)]
pub struct UsableKey {
    /// ARN of the key.
    pub arn: Text,
    /// True if the provider manages the key: everyone who may use the service may use it.
    pub is_managed: bool,
}

/// Refuses the use of a key.
pub type CheckKey<'c> = dyn Fn(&mut Tx<'_>, &UsableKey) -> Result<()> + 'c;

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
    pub fn crypto_keys(&self) -> Option<&'static CryptoKeyService> {
        self.services.iter().find_map(|service| service.crypto_keys.as_ref())
    }

    /// True if this cloud has crypto keys.
    pub fn has_crypto_keys(&self) -> bool {
        self.crypto_keys().is_some()
    }

    /// Refuses a crypto key that cannot be used now, or that the principal may not use.
    pub fn check_crypto_key(&mut self, name: &str, used: &KeyUse<'_>) -> Result<()> {
        self.find_crypto_key(Some(name), used).map(drop)
    }

    /// Returns the ARN of the crypto key `name`, or of the key that the provider manages for the service; refuses one that cannot be
    /// used now, or that the principal may not use. A cloud without crypto keys has none.
    pub fn find_crypto_key(&mut self, name: Option<&str>, used: &KeyUse<'_>) -> Result<Option<Text>> {
        let Some(service) = self.crypto_keys() else { return Ok(None) };
        let key = service.keys.find_usable(self, name, used.service.signing)?;
        self.check_key_use(service, &key, service.generate_data_key, used)?;
        Ok(Some(key.arn))
    }

    /// Generates a data key for the place `path`. Also returns it encrypted, to be stored: under the crypto key `name`, or
    /// under the key that the provider manages for the service; in a cloud without crypto keys, under the key of the cloud.
    pub fn new_data_key_under(
        &mut self,
        name: Option<&str>,
        used: &KeyUse<'_>,
        path: &[&str],
    ) -> Result<(DataKey, Blob)> {
        let Some(service) = self.crypto_keys() else { return self.new_data_key(path) };
        let plain = CloudKey::generate(self.ids);
        let check = |cx: &mut Tx<'_>, key: &UsableKey| {
            cx.check_key_use(service, key, service.generate_data_key, used)
        };
        let owner = used.service.signing;
        let ciphertext = service.keys.encrypt(self, name, owner, &check, used.context, plain.bytes())?;
        let stored = [&[UNDER_CRYPTO_KEY], &*ciphertext].concat();
        Ok((DataKey::new(&plain), Blob(stored)))
    }

    /// Opens a data key that [`new_data_key_under`](Self::new_data_key_under) returned. The crypto key must be usable now.
    pub fn data_key_under(&mut self, used: &KeyUse<'_>, path: &[&str], stored: &Blob) -> Result<DataKey> {
        let Some(ciphertext) = stored.0.strip_prefix(&[UNDER_CRYPTO_KEY]) else {
            return self.data_key(path, stored);
        };
        let service = self.crypto_keys().ok_or_else(|| crate::internal("this cloud has no crypto keys"))?;
        let (key, plain) = service.keys.decrypt(self, used.context, ciphertext)?;
        self.check_key_use(service, &key, service.decrypt, used)?;
        DataKey::from_bytes(&plain)
    }

    /// Checks that the policies allow a principal to use a key through a service.
    fn check_key_use(
        &mut self,
        service: &CryptoKeyService,
        key: &UsableKey,
        action: &str,
        used: &KeyUse<'_>,
    ) -> Result<()> {
        if self.permissions == Permissions::Off || key.is_managed {
            return Ok(());
        }
        let via = format!("{}.{}.amazonaws.com", used.service.endpoint, self.scope.region());
        let mut context = vec![(Text::new(service.via_service), Text::from(via))];
        context.extend(used.context.iter().flat_map(|(key, value)| {
            let pair = (format!("{}{key}", service.encryption_context).into(), (*value).into());
            [pair, (service.encryption_context_keys.into(), (*key).into())]
        }));
        self.check_action_of(used.principal, service.keys.shape(), action, &key.arn, context)
    }
}

/// True if an error means that a crypto key cannot be used, and not that the cloud failed.
pub fn is_key_refusal(error: &Error) -> bool {
    use nephos_core::ErrorKind::{Denied, InState, Invalid, NotFound};
    matches!(error.kind(), Denied | InState | Invalid | NotFound)
}
