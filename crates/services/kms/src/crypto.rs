//! Parameters and checks that cryptographic operations share.

pub(crate) mod agree;
pub(crate) mod data_key;
pub(crate) mod data_key_pair;
pub(crate) mod decrypt;
pub(crate) mod encrypt;
pub(crate) mod mac;
pub(crate) mod public_key;
pub(crate) mod random;
pub(crate) mod re_encrypt;
pub(crate) mod sign;

pub use agree::*;
pub use data_key::*;
pub use data_key_pair::*;
pub use decrypt::*;
pub use encrypt::*;
pub use mac::*;
pub use public_key::*;
pub use random::*;
pub use re_encrypt::*;
pub use sign::*;

use crate::{
    KeySpec, KeyUsage, errors,
    key::{KeyRow, find},
    material::Failure,
};
use nephos_cloud::Tx;
use nephos_core::{Blob, Error, Map, Record, Result, Text, choices};

/// Dry run of an operation.
#[derive(Record)]
#[record(shared)]
pub struct DryRun {
    /// True to check the request without executing it. A request that would succeed is refused with `DryRunOperationException`.
    #[field(wire_only)]
    dry_run: Option<bool>,
}

/// Encryption context of a symmetric encryption key.
#[derive(Record)]
#[record(shared)]
pub struct EncryptionContext {
    /// Names and values that are authenticated with the ciphertext. Decryption needs the same ones.
    #[field(condition = "kms:EncryptionContext:${EncryptionContextKey} + kms:EncryptionContextKeys")]
    encryption_context: Option<Map<Text>>,
}

/// Recipient of an answer in an enclave.
#[derive(Record)]
#[record(shared)]
pub struct Recipient {
    /// Enclave that receives the answer. Enclaves are not supported here.
    recipient: Option<RecipientInfo>,
}

choices! {
    /// Algorithm that encrypts the answer to an enclave.
    #[derive(Eq)]
    pub enum KeyEncryptionMechanism {
        /// RSA with OAEP and SHA-256.
        RsaesOaepSha256 = "RSAES_OAEP_SHA_256",
    }
}

/// An enclave that receives an answer.
#[derive(Record)]
pub struct RecipientInfo {
    /// Algorithm that encrypts the answer.
    key_encryption_algorithm: Option<KeyEncryptionMechanism>,
    /// Attestation document of the enclave.
    #[field(length(1..=262_144))]
    attestation_document: Option<Blob>,
}

/// Refuses a recipient, because answers cannot be encrypted for enclaves.
pub(crate) fn check_recipient(recipient: Option<&RecipientInfo>) -> Result<()> {
    match recipient {
        Some(_) => Err(errors::recipient_unsupported().with_field("Recipient")),
        None => Ok(()),
    }
}

/// Refuses a dry run, after all other checks.
pub(crate) fn check_dry_run(dry_run: Option<bool>) -> Result<()> {
    match dry_run {
        Some(true) => Err(errors::dry_run_succeeded()),
        _ => Ok(()),
    }
}

/// A use of keys by an operation.
#[derive(Clone, Copy)]
pub(crate) struct Use {
    /// Name of the operation, in refusals.
    operation: &'static str,
    /// Action that the key's owner must allow to other accounts.
    action: &'static str,
    /// Usage of the keys.
    usage: &'static KeyUsage,
}

impl Use {
    /// A use by the operation of this name.
    pub(crate) const fn new(operation: &'static str, usage: &'static KeyUsage) -> Self {
        Self { operation, action: operation, usage }
    }

    /// The same use, with an action of another name.
    pub(crate) const fn with_action(self, action: &'static str) -> Self {
        Self { action, ..self }
    }

    /// Action of the use, without the prefix of the service.
    pub(crate) fn action(&self) -> &'static str {
        self.action
    }

    /// Calls `body` with the key of this ID, ARN or alias, in the account that owns it. The usage and then the state of the key
    /// must allow the use.
    pub(crate) fn with_key<T>(
        &self,
        cx: &mut Tx<'_>,
        name: &str,
        body: impl FnOnce(&mut Tx<'_>, KeyRow) -> Result<T>,
    ) -> Result<T> {
        find::with_key(cx, name, self.action, |cx, key| {
            self.check(cx, &key)?;
            body(cx, key)
        })
    }

    /// Refuses a key whose usage or state does not allow the use.
    pub(crate) fn check(&self, cx: &Tx<'_>, key: &KeyRow) -> Result<()> {
        if key.usage() != self.usage {
            let refused = errors::usage_invalid(key.arn(cx.scope()), key.usage(), self.operation);
            return Err(refused.with_field("KeyId"));
        }
        key.check_usable(cx)
    }
}

/// Refuses an algorithm that the spec of a key does not have.
pub(crate) fn check_algorithm<A: PartialEq + ToString>(
    spec: &KeySpec,
    possible: &[A],
    algorithm: &A,
    field: &str,
) -> Result<()> {
    if possible.contains(algorithm) {
        return Ok(());
    }
    let refused = errors::algorithm_incompatible(algorithm.to_string(), spec).with_field(field);
    let possible: Vec<_> = possible.iter().map(ToString::to_string).collect();
    Err(refused.with_hint(format!("possible: {}", possible.join(", "))))
}

/// Error for a cryptographic function that fails although the request was checked.
pub(crate) fn to_error(failure: Failure) -> Error {
    match failure {
        Failure::InvalidCiphertext => errors::invalid_ciphertext().with_field("CiphertextBlob"),
        _ => errors::material_unreadable(),
    }
}
