//! Random bytes.

use crate::{
    CryptoKey, CryptoKeyManager,
    crypto::{Recipient, check_recipient},
    errors,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Record, Result, Text, operation};

/// Generates random bytes. They are not stored.
#[operation(
    of = CryptoKey, include(Recipient), call = "generate_random", effect = read, access = write,
    output = GenerateRandomResponse, subject = "*"
)]
pub struct GenerateRandom {
    /// Number of bytes.
    #[field(range(1..=1024))]
    pub number_of_bytes: Option<i64>,
    /// ID of a custom key store. Custom key stores are not supported here.
    #[field(length(1..=64))]
    pub custom_key_store_id: Option<Text>,
}

/// Random bytes.
#[derive(Record)]
#[record(answer)]
pub struct GenerateRandomResponse {
    /// The bytes.
    #[field(sensitive)]
    plaintext: Option<Blob>,
    /// The bytes, encrypted for an enclave. Enclaves are not supported here.
    ciphertext_for_recipient: Option<Blob>,
}

impl Handler for GenerateRandom {
    fn run(self, cx: &mut Tx<'_>) -> Result<GenerateRandomResponse> {
        check_recipient(self.recipient.as_ref())?;
        if self.custom_key_store_id.is_some() {
            return Err(errors::store_unsupported().with_field("CustomKeyStoreId"));
        }
        let missing = || errors::number_missing().with_field("NumberOfBytes");
        let number = self.number_of_bytes.ok_or_else(missing)?;
        let mut bytes = Blob(vec![0; usize::try_from(number).unwrap_or_default()]);
        cx.ids().fill(&mut bytes.0);
        Ok(GenerateRandomResponse { plaintext: Some(bytes), ciphertext_for_recipient: None })
    }
}
