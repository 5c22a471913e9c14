//! Encryption of the images of a repository at rest.

#[cfg(feature = "kms")]
use super::Repository;
use crate::{SERVICE, errors};
use nephos_cloud::{KeyUse, Tx, is_key_refusal};
use nephos_core::{Record, Result, Text, choices};
#[cfg(feature = "kms")]
use nephos_kms::CryptoKey;

choices! {
    /// Type of encryption at rest.
    #[derive(Eq)]
    pub enum EncryptionType {
        /// Keys of the provider.
        Aes256 = "AES256",
        /// A crypto key.
        Crypto = "CRYPTO" => "KMS",
        /// A crypto key, in two layers.
        CryptoDsse = "CRYPTO_DSSE" => "KMS_DSSE",
    }
}

/// Encryption of a repository at rest.
#[derive(Record)]
#[record(case = "camel")]
pub struct EncryptionConfiguration {
    /// Type of encryption.
    #[field(required)]
    pub(crate) encryption_type: Option<EncryptionType>,
    /// ID, ARN or alias of the crypto key; the one that the provider manages for the service if it is not given.
    #[field(wire = "kmsKey", length(1..=2048))]
    pub(crate) crypto_key: Option<Text>,
}

impl EncryptionConfiguration {
    /// Encryption with keys of the provider.
    fn with_provider_keys() -> Self {
        Self { encryption_type: Some(EncryptionType::Aes256), crypto_key: None }
    }

    /// Returns the encryption of a new repository: with the ARN of its crypto key, which the caller must be able to use.
    pub(crate) fn for_repository(cx: &mut Tx<'_>, arn: &str, given: Option<Self>) -> Result<Self> {
        let mut encryption = given.unwrap_or_else(Self::with_provider_keys);
        if encryption.encryption_type == Some(EncryptionType::Aes256) {
            return match encryption.crypto_key {
                Some(_) => {
                    let reason = "kmsKey can't be specified when encryptionType is set as AES256";
                    let refused = errors::invalid_parameter("encryptionConfiguration", reason);
                    Err(refused.with_field("encryptionConfiguration.cryptoKey"))
                }
                None => Ok(encryption),
            };
        }
        let context = [("aws:ecr:arn", arn)];
        let used = KeyUse { service: &SERVICE, context: &context, principal: None };
        let found = cx.find_crypto_key(encryption.crypto_key.as_deref(), &used).map_err(|error| {
            if !is_key_refusal(&error) {
                return error;
            }
            errors::key_unusable().with_field("encryptionConfiguration.cryptoKey").with_hint(error.message())
        })?;
        encryption.crypto_key = found.or(encryption.crypto_key);
        Ok(encryption)
    }
}

/// Returns the crypto key of a repository, if it has one.
#[cfg(feature = "kms")]
pub(super) async fn key_of(repository: &Repository) -> Result<Option<CryptoKey>> {
    let encryption = repository.encryption_configuration.as_ref();
    nephos_kms::load_related(repository, encryption.and_then(|encryption| encryption.crypto_key.as_ref()))
        .await
}
