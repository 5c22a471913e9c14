//! Data keys: random keys that a symmetric encryption key protects, for use outside the service.

use crate::{
    CryptoKey, CryptoKeyManager, KeySpec, KeyUsage,
    crypto::{
        DryRun, EncryptionContext, Recipient, Use, check_dry_run, check_recipient, encrypt::encrypt_under,
    },
    errors,
    key::{KeyName, KeyRow, describe::GrantTokens},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Map, Record, Result, Text, choices, operation, record_of};

choices! {
    /// Spec of a data key.
    #[derive(Eq)]
    pub enum DataKeySpec {
        /// 256 bits.
        Aes256 = "AES_256",
        /// 128 bits.
        Aes128 = "AES_128",
    }
}

/// Length of a data key, which must be given in one of the two ways.
#[derive(Record)]
#[record(shared)]
pub struct DataKeyLength {
    /// Length in bytes.
    #[field(range(1..=1024))]
    number_of_bytes: Option<i64>,
    /// Spec of the data key.
    key_spec: Option<DataKeySpec>,
}

/// Generates a data key: its plaintext, and a copy that is encrypted under the key.
#[operation(
    of = CryptoKey, include(KeyName, EncryptionContext, DataKeyLength, GrantTokens, Recipient, DryRun),
    call = "generate_data_key", on_model, effect = read, access = write, output = GenerateDataKeyResponse
)]
pub struct GenerateDataKey {}

/// A data key.
#[record_of(of = CryptoKey, takes(arn as key_id, current_key_material_id as key_material_id), answer)]
pub struct GenerateDataKeyResponse {
    /// Data key, encrypted.
    ciphertext_blob: Option<Blob>,
    /// Data key.
    #[field(sensitive)]
    plaintext: Option<Blob>,
    /// Data key, encrypted for an enclave. Enclaves are not supported here.
    ciphertext_for_recipient: Option<Blob>,
}

impl Handler for GenerateDataKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateDataKeyResponse> {
        check_recipient(self.recipient.as_ref())?;
        let length = read_length(self.key_spec.as_ref(), self.number_of_bytes)?;
        const USE: Use = Use::new("GenerateDataKey", &KeyUsage::EncryptDecrypt);
        USE.with_key(cx, &self.key_id, |cx, key| {
            check_symmetric(&key)?;
            check_dry_run(self.dry_run)?;
            let (plaintext, ciphertext) = generate(cx, &key, self.encryption_context.as_ref(), length)?;
            Ok(GenerateDataKeyResponse {
                ciphertext_blob: Some(ciphertext),
                plaintext: Some(plaintext),
                key_id: Some(key.arn(cx.scope()).into()),
                ciphertext_for_recipient: None,
                key_material_id: key.current_key_material_id,
            })
        })
    }
}

/// Generates a data key, and returns only the copy that is encrypted under the key.
#[operation(
    of = CryptoKey, include(KeyName, EncryptionContext, DataKeyLength, GrantTokens, DryRun),
    call = "generate_data_key_without_plaintext", on_model, effect = read, access = write,
    output = GenerateDataKeyWithoutPlaintextResponse
)]
pub struct GenerateDataKeyWithoutPlaintext {}

/// An encrypted data key.
#[record_of(of = CryptoKey, takes(arn as key_id, current_key_material_id as key_material_id), answer)]
pub struct GenerateDataKeyWithoutPlaintextResponse {
    /// Data key, encrypted.
    ciphertext_blob: Option<Blob>,
}

impl Handler for GenerateDataKeyWithoutPlaintext {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateDataKeyWithoutPlaintextResponse> {
        let length = read_length(self.key_spec.as_ref(), self.number_of_bytes)?;
        const USE: Use = Use::new("GenerateDataKeyWithoutPlaintext", &KeyUsage::EncryptDecrypt);
        USE.with_key(cx, &self.key_id, |cx, key| {
            check_symmetric(&key)?;
            check_dry_run(self.dry_run)?;
            let (_, ciphertext) = generate(cx, &key, self.encryption_context.as_ref(), length)?;
            Ok(GenerateDataKeyWithoutPlaintextResponse {
                ciphertext_blob: Some(ciphertext),
                key_id: Some(key.arn(cx.scope()).into()),
                key_material_id: key.current_key_material_id,
            })
        })
    }
}

/// Returns the length of a data key in bytes.
fn read_length(spec: Option<&DataKeySpec>, bytes: Option<i64>) -> Result<usize> {
    match (spec, bytes) {
        (Some(DataKeySpec::Aes256), None) => Ok(32),
        (Some(DataKeySpec::Aes128), None) => Ok(16),
        (None, Some(bytes)) => Ok(usize::try_from(bytes).unwrap_or_default()),
        _ => Err(errors::length_unclear()),
    }
}

/// Refuses an RSA key, which does not protect data keys.
pub(crate) fn check_symmetric(key: &KeyRow) -> Result<()> {
    match key.spec() {
        KeySpec::SymmetricDefault => Ok(()),
        _ => Err(errors::data_key_of_pair().with_field("KeyId")),
    }
}

/// Generates a data key; also returns it encrypted.
fn generate(cx: &Tx<'_>, key: &KeyRow, context: Option<&Map<Text>>, length: usize) -> Result<(Blob, Blob)> {
    let mut plaintext = Blob(vec![0; length]);
    cx.ids().fill(&mut plaintext.0);
    let ciphertext = encrypt_under(cx, key, context, &plaintext.0)?;
    Ok((plaintext, ciphertext))
}
