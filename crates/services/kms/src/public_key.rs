//! Public keys of key pairs.

use super::{
    CryptoKey, CryptoKeyManager, EncryptionAlgorithm, KeyAgreementAlgorithm, KeySpec, KeyState, KeyUsage,
    SigningAlgorithm, describe::GrantTokens, errors, find, key::KeyName, material, usage::to_error,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Record, Result, Text, choices, operation};

choices! {
    /// Algorithm of key encapsulation.
    #[derive(Eq)]
    pub enum EncapsulationAlgorithm {
        /// ML-KEM. Not supported here.
        MlKem = "ML_KEM",
    }
}

/// Returns the public key of a key pair, also of a disabled key.
#[operation(
    of = CryptoKey, also(KeyName, GrantTokens), call = "public_key", instance, effect = read,
    output = GetPublicKeyResponse
)]
pub struct GetPublicKey {}

/// A public key.
#[derive(Record)]
#[record(answer)]
pub struct GetPublicKeyResponse {
    /// ARN of the key.
    key_id: Option<Text>,
    /// Public key, in the DER encoding of SubjectPublicKeyInfo.
    public_key: Option<Blob>,
    /// Type and length of the key; superseded by KeySpec.
    customer_master_key_spec: Option<KeySpec>,
    /// Type and length of the key.
    key_spec: Option<KeySpec>,
    /// Cryptographic operations that the key is for.
    key_usage: Option<KeyUsage>,
    /// Algorithms of encryption that the key can be used with.
    encryption_algorithms: Option<Vec<EncryptionAlgorithm>>,
    /// Algorithms of signatures that the key can be used with.
    signing_algorithms: Option<Vec<SigningAlgorithm>>,
    /// Algorithms of key agreement that the key can be used with.
    key_agreement_algorithms: Option<Vec<KeyAgreementAlgorithm>>,
    /// Algorithms of key encapsulation. Key encapsulation is not supported here.
    encapsulation_algorithms: Option<Vec<EncapsulationAlgorithm>>,
}

impl Handler for GetPublicKey {
    fn run(self, cx: &mut Tx<'_>) -> Result<GetPublicKeyResponse> {
        find::with_key(cx, &self.key_id, "GetPublicKey", |cx, key| {
            if *key.state() != KeyState::Disabled {
                key.check_usable(cx)?;
            }
            if !key.spec().is_pair() {
                let hint = format!("{} has no public key", key.spec());
                return Err(errors::no_public_key().with_field("KeyId").with_hint(hint));
            }
            let public_key = material::public_key(key.spec(), &key.open_material(cx)?);
            let mut answer = GetPublicKeyResponse::from_given(key.describe(cx));
            answer.public_key = Some(Blob(public_key.map_err(to_error)?));
            answer.key_id = Some(key.arn(cx.scope()).into());
            Ok(answer)
        })
    }
}
