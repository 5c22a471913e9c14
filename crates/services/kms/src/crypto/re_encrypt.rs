//! Decryption with one key and encryption with another, without the plaintext leaving the service.

use crate::{
    CryptoKey, CryptoKeyManager, EncryptionAlgorithm, KeyUsage, SERVICE,
    crypto::{
        DryRun, Use, check_dry_run,
        decrypt::{Ciphertext, Decrypt, Decryption, DecryptionNames, ignores_ciphertext},
        encrypt::{Encryption, Names},
    },
    key::{KeyRow, describe::GrantTokens, find},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Error, Map, Record, Result, Text, operation};

/// Decrypts with one key and encrypts the plaintext with another, or with the same key and another encryption context. The caller
/// needs the action `kms:ReEncryptFrom` for the first key, and `kms:ReEncryptTo` for the second.
#[operation(
    of = CryptoKey, include(Ciphertext, GrantTokens, DryRun), call = "re_encrypt", effect = read, access = write,
    output = ReEncryptResponse, subject = "key/{DestinationKeyId}", action = "ReEncryptTo"
)]
pub struct ReEncrypt {
    /// Encryption context of the ciphertext.
    pub source_encryption_context: Option<Map<Text>>,
    /// ID or ARN of the key of the ciphertext, or name or ARN of an alias. Ciphertexts of RSA keys need it.
    #[field(length(1..=2048))]
    pub source_key_id: Option<Text>,
    /// ID or ARN of the key to encrypt with, or name or ARN of an alias.
    #[field(length(1..=2048))]
    pub destination_key_id: Text,
    /// Encryption context of the new ciphertext.
    #[field(condition = "kms:EncryptionContext:${EncryptionContextKey} + kms:EncryptionContextKeys")]
    pub destination_encryption_context: Option<Map<Text>>,
    /// Algorithm of the ciphertext; AES-256-GCM by default.
    pub source_encryption_algorithm: Option<EncryptionAlgorithm>,
    /// Algorithm of the new ciphertext; AES-256-GCM by default.
    #[field(condition = "kms:EncryptionAlgorithm")]
    pub destination_encryption_algorithm: Option<EncryptionAlgorithm>,
}

/// Data that was encrypted again.
#[derive(Record)]
#[record(answer)]
pub struct ReEncryptResponse {
    /// New ciphertext.
    ciphertext_blob: Option<Blob>,
    /// ARN of the key of the old ciphertext.
    source_key_id: Option<Text>,
    /// ARN of the key of the new ciphertext.
    key_id: Option<Text>,
    /// Algorithm of the old ciphertext.
    source_encryption_algorithm: Option<EncryptionAlgorithm>,
    /// Algorithm of the new ciphertext.
    destination_encryption_algorithm: Option<EncryptionAlgorithm>,
    /// ID of the material of the old ciphertext, of a symmetric encryption key.
    source_key_material_id: Option<Text>,
    /// ID of the material of the new ciphertext, of a symmetric encryption key.
    destination_key_material_id: Option<Text>,
}

const USE: Use = Use::new("ReEncrypt", &KeyUsage::EncryptDecrypt);

const SOURCE_NAMES: DecryptionNames = DecryptionNames {
    key: "SourceKeyId",
    key_member: "sourceKeyId",
    others: Names { algorithm: "SourceEncryptionAlgorithm", context: "SourceEncryptionContext" },
};

impl Handler for ReEncrypt {
    fn run(self, cx: &mut Tx<'_>) -> Result<ReEncryptResponse> {
        let or_default = |algorithm: &Option<EncryptionAlgorithm>| {
            algorithm.clone().unwrap_or(EncryptionAlgorithm::SymmetricDefault)
        };
        let source_algorithm = or_default(&self.source_encryption_algorithm);
        let algorithm = or_default(&self.destination_encryption_algorithm);
        let decryption = Decryption {
            key_use: USE.with_action("ReEncryptFrom"),
            key_id: self.source_key_id.as_deref(),
            ciphertext: self.ciphertext_blob.as_ref(),
            ignores_ciphertext: ignores_ciphertext(self.dry_run, self.dry_run_modifiers.as_deref()),
            algorithm: &source_algorithm,
            context: self.source_encryption_context.as_ref(),
            names: &SOURCE_NAMES,
        };
        let source = decryption.find_source(cx)?;
        self.check_source(cx, &source.arn())?;
        let target_use = USE.with_action("ReEncryptTo");
        let id = &self.destination_key_id;
        let checked = target_use.with_key(cx, id, |_, key| self.encryption(&key, &algorithm).check());
        checked.map_err(rename_field)?;
        let opened = decryption.decrypt(cx, &source)?;
        find::in_owner(cx, id, |cx, key| {
            let encryption = self.encryption(&key, &algorithm);
            encryption.check_length(opened.plaintext.0.len())?;
            check_dry_run(self.dry_run)?;
            Ok(ReEncryptResponse {
                ciphertext_blob: Some(encryption.encrypt(cx, &opened.plaintext.0)?),
                source_key_id: Some(source.arn()),
                key_id: Some(key.arn(cx.scope()).into()),
                source_encryption_algorithm: Some(source_algorithm.clone()),
                destination_encryption_algorithm: Some(algorithm.clone()),
                source_key_material_id: opened.material_id,
                destination_key_material_id: key.current_key_material_id.clone(),
            })
        })
    }
}

impl ReEncrypt {
    /// Returns the encryption with the destination key.
    fn encryption<'e>(&'e self, key: &'e KeyRow, algorithm: &'e EncryptionAlgorithm) -> Encryption<'e> {
        let names =
            Names { algorithm: "DestinationEncryptionAlgorithm", context: "DestinationEncryptionContext" };
        Encryption { key, algorithm, context: self.destination_encryption_context.as_ref(), names }
    }

    /// Checks the permission to decrypt with the source key, which has the condition keys of a decryption.
    fn check_source(&self, cx: &mut Tx<'_>, arn: &str) -> Result<()> {
        let mut decrypt = Decrypt::new();
        decrypt.encryption_context = self.source_encryption_context.clone();
        decrypt.encryption_algorithm = self.source_encryption_algorithm.clone();
        decrypt.grant_tokens = self.grant_tokens.clone();
        cx.check_operation_on(&SERVICE, "kms:ReEncryptFrom", arn, &decrypt)
    }
}

/// Names the parameter with the destination key.
fn rename_field(error: Error) -> Error {
    if error.field() == Some("KeyId") { error.with_field("DestinationKeyId") } else { error }
}
