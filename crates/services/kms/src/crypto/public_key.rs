//! Public keys of key pairs.

use crate::{
    CryptoKey, CryptoKeyManager, KeyState,
    crypto::to_error,
    errors,
    key::{KeyName, describe::GrantTokens, find},
    material,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Result, choices, operation, record_of};

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
    of = CryptoKey, include(KeyName, GrantTokens), call = "public_key", on_model, effect = read,
    output = GetPublicKeyResponse
)]
pub struct GetPublicKey {}

/// A public key.
#[record_of(
    of = CryptoKey,
    takes(arn as key_id, customer_master_key_spec, key_spec, key_usage, encryption_algorithms, signing_algorithms, key_agreement_algorithms),
    answer
)]
pub struct GetPublicKeyResponse {
    /// Public key, in the DER encoding of SubjectPublicKeyInfo.
    public_key: Option<Blob>,
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
            let mut answer = GetPublicKeyResponse::from(key.describe(cx));
            answer.public_key = Some(Blob(public_key.map_err(to_error)?));
            Ok(answer)
        })
    }
}
