//! Shared secrets of two key pairs.

use crate::{
    CryptoKey, CryptoKeyManager, KeyAgreementAlgorithm, KeyUsage,
    crypto::{DryRun, Recipient, Use, check_dry_run, check_recipient, to_error},
    errors,
    key::{KeyName, describe::GrantTokens},
    material::{self, Failure},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Result, operation, record_of};

/// Derives the secret that a key shares with the owner of another key pair of the same curve.
#[operation(
    of = CryptoKey, include(KeyName, GrantTokens, Recipient, DryRun), call = "derive_shared_secret", effect = read,
    access = write, output = DeriveSharedSecretResponse
)]
pub struct DeriveSharedSecret {
    /// Algorithm of key agreement.
    #[field(condition = "kms:KeyAgreementAlgorithm")]
    pub key_agreement_algorithm: KeyAgreementAlgorithm,
    /// Public key of the other key pair, in the DER encoding of SubjectPublicKeyInfo.
    #[field(length(1..=8192))]
    pub public_key: Blob,
}

/// A shared secret.
#[record_of(of = CryptoKey, takes(arn as key_id, origin as key_origin), answer)]
pub struct DeriveSharedSecretResponse {
    /// Shared secret: the x coordinate of the shared point.
    #[field(sensitive)]
    shared_secret: Option<Blob>,
    /// Shared secret, encrypted for an enclave. Enclaves are not supported here.
    ciphertext_for_recipient: Option<Blob>,
    /// Algorithm of key agreement.
    key_agreement_algorithm: Option<KeyAgreementAlgorithm>,
}

impl Handler for DeriveSharedSecret {
    fn run(self, cx: &mut Tx<'_>) -> Result<DeriveSharedSecretResponse> {
        check_recipient(self.recipient.as_ref())?;
        const USE: Use = Use::new("DeriveSharedSecret", &KeyUsage::KeyAgreement);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let derived = material::agree(key.spec(), &key.open_material(cx)?, &self.public_key.0);
            let mut secret = derived.map_err(|failure| match failure {
                Failure::InvalidKey | Failure::Library => {
                    let hint = format!("expected SubjectPublicKeyInfo of {}", key.spec());
                    errors::public_key_invalid().with_field("PublicKey").with_hint(hint)
                }
                failure => to_error(failure),
            })?;
            check_dry_run(self.dry_run)?;
            Ok(DeriveSharedSecretResponse {
                key_id: Some(key.arn(cx.scope()).into()),
                shared_secret: Some(Blob(std::mem::take(&mut *secret))),
                ciphertext_for_recipient: None,
                key_agreement_algorithm: Some(self.key_agreement_algorithm),
                key_origin: Some(key.origin().clone()),
            })
        })
    }
}
