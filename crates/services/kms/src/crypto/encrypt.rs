//! Encryption.

use crate::{
    CryptoKey, CryptoKeyManager, EncryptionAlgorithm, KeyUsage,
    crypto::{DryRun, EncryptionContext, Use, check_algorithm, check_dry_run, to_error},
    errors,
    key::{KeyName, KeyRow, describe::GrantTokens},
    material,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Map, Result, Text, operation, record_of};

/// Encrypts at most 4096 bytes under a symmetric encryption key, or fewer with an RSA key.
#[operation(
    of = CryptoKey, include(KeyName, EncryptionContext, GrantTokens, DryRun), call = "encrypt", effect = read,
    access = write, output = EncryptResponse
)]
pub struct Encrypt {
    /// Data to encrypt.
    #[field(sensitive, length(1..=4096))]
    pub plaintext: Blob,
    /// Algorithm of encryption; AES-256-GCM by default, which RSA keys do not have.
    #[field(condition = "kms:EncryptionAlgorithm")]
    pub encryption_algorithm: Option<EncryptionAlgorithm>,
}

/// Encrypted data.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct EncryptResponse {
    /// Ciphertext.
    ciphertext_blob: Option<Blob>,
    /// Algorithm of encryption.
    encryption_algorithm: Option<EncryptionAlgorithm>,
}

const USE: Use = Use::new("Encrypt", &KeyUsage::EncryptDecrypt);

impl Handler for Encrypt {
    fn run(self, cx: &mut Tx<'_>) -> Result<EncryptResponse> {
        USE.with_key(cx, &self.key_id, |cx, key| {
            let algorithm = self.encryption_algorithm.unwrap_or(EncryptionAlgorithm::SymmetricDefault);
            let encryption = Encryption {
                key: &key,
                algorithm: &algorithm,
                context: self.encryption_context.as_ref(),
                names: Names { algorithm: "EncryptionAlgorithm", context: "EncryptionContext" },
            };
            encryption.check()?;
            encryption.check_length(self.plaintext.0.len())?;
            check_dry_run(self.dry_run)?;
            let ciphertext_blob = Some(encryption.encrypt(cx, &self.plaintext.0)?);
            let key_id = Some(key.arn(cx.scope()).into());
            Ok(EncryptResponse { ciphertext_blob, key_id, encryption_algorithm: Some(algorithm) })
        })
    }
}

/// Encryption with a key, in the account that owns it.
pub(crate) struct Encryption<'e> {
    pub(crate) key: &'e KeyRow,
    pub(crate) algorithm: &'e EncryptionAlgorithm,
    pub(crate) context: Option<&'e Map<Text>>,
    pub(crate) names: Names,
}

/// Names of the parameters of an encryption.
pub(crate) struct Names {
    pub(crate) algorithm: &'static str,
    pub(crate) context: &'static str,
}

impl Encryption<'_> {
    /// Refuses an algorithm that the key does not have, and an encryption context for an RSA key.
    pub(crate) fn check(&self) -> Result<()> {
        let spec = self.key.spec();
        check_algorithm(spec, spec.encryption_algorithms(), self.algorithm, self.names.algorithm)?;
        let has_context = self.context.is_some_and(|context| !context.is_empty());
        if has_context && *self.algorithm != EncryptionAlgorithm::SymmetricDefault {
            return Err(errors::context_unsupported().with_field(self.names.context));
        }
        Ok(())
    }

    /// Refuses a plaintext that is too long for the algorithm.
    pub(crate) fn check_length(&self, length: usize) -> Result<()> {
        let spec = self.key.spec();
        match material::rsa_plaintext_limit(spec, self.algorithm) {
            Some(limit) if length > limit => {
                let refused = errors::plaintext_too_long(self.algorithm, spec, limit);
                Err(refused.with_field("Plaintext").with_hint(format!("got {length} bytes")))
            }
            _ => Ok(()),
        }
    }

    /// Encrypts under the current material.
    pub(crate) fn encrypt(&self, cx: &Tx<'_>, plaintext: &[u8]) -> Result<Blob> {
        if *self.algorithm == EncryptionAlgorithm::SymmetricDefault {
            return encrypt_under(cx, self.key, self.context, plaintext);
        }
        let stored = self.key.open_material(cx)?;
        let ciphertext = material::encrypt_rsa(self.key.spec(), &stored, self.algorithm, plaintext);
        ciphertext.map(Blob).map_err(to_error)
    }
}

/// Encrypts under the current material of a symmetric encryption key.
pub(crate) fn encrypt_under(
    cx: &Tx<'_>,
    key: &KeyRow,
    context: Option<&Map<Text>>,
    plaintext: &[u8],
) -> Result<Blob> {
    let name = key.ciphertext_name(cx.scope());
    let stored = key.open_material(cx)?;
    let nonce = |aad: &[u8]| cx.nonce(aad, plaintext);
    let ciphertext = material::encrypt(&name, &stored, &encode(context), plaintext, nonce);
    ciphertext.map(Blob).map_err(to_error)
}

/// Encodes an encryption context.
pub(crate) fn encode(context: Option<&Map<Text>>) -> material::Context {
    let pairs = context.into_iter().flatten();
    material::Context::new(pairs.map(|(name, value)| (name.as_str(), value.as_str())))
}
