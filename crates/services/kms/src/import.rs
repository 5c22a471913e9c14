//! Wrapping keys and tokens for the import of key material.

pub(crate) mod deletion;
pub(crate) mod key_material;

pub use deletion::*;
pub use key_material::*;

use crate::{
    CryptoKey, CryptoKeyManager, KeyOrigin, KeySpec, WrappingAlgorithm, errors,
    key::{KeyIdOrArn, KeyRow, create, find, rotation::after_days},
    material::{self, StoredMaterial},
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Error, Result, Timestamp, choices, field_value::Choice, operation, record_of};
use zeroize::Zeroizing;

choices! {
    /// Spec of a wrapping key.
    #[derive(Eq)]
    pub enum WrappingKeySpec {
        /// RSA with 2048 bits.
        Rsa2048 = "RSA_2048",
        /// RSA with 3072 bits.
        Rsa3072 = "RSA_3072",
        /// RSA with 4096 bits.
        Rsa4096 = "RSA_4096",
        /// SM2, in Regions of China only.
        Sm2 = "SM2",
    }
}

/// Returns a public key that protects key material on its way, and a token for its import. Both are valid for 24 hours.
#[operation(
    of = CryptoKey, include(KeyIdOrArn), call = "get_parameters_for_import", effect = read, output = ImportParameters
)]
pub struct GetParametersForImport {
    /// Algorithm that the key material will be wrapped with.
    #[field(condition = "kms:WrappingAlgorithm")]
    pub wrapping_algorithm: WrappingAlgorithm,
    /// Spec of the wrapping key.
    #[field(condition = "kms:WrappingKeySpec")]
    pub wrapping_key_spec: WrappingKeySpec,
}

/// Public key and token for the import of key material.
#[record_of(of = CryptoKey, takes(arn as key_id), answer, name = "GetParametersForImportResponse")]
pub struct ImportParameters {
    /// Token for the import.
    import_token: Option<Blob>,
    /// Public key: the DER encoding of SubjectPublicKeyInfo.
    #[field(sensitive)]
    public_key: Option<Blob>,
    /// Time at which token and public key expire.
    parameters_valid_to: Option<Timestamp>,
}

impl Handler for GetParametersForImport {
    fn run(self, cx: &mut Tx<'_>) -> Result<ImportParameters> {
        let key = require_importable(cx, &self.key_id)?;
        let spec = self.check_wrapping(key.spec())?;
        let wrapping_key = create::generate(cx, &spec)?;
        let public_key =
            material::public_key(&spec, &wrapping_key).map_err(|_| errors::material_unreadable())?;
        let expires = after_days(cx.now(), 1);
        let token = ImportToken { algorithm: self.wrapping_algorithm, expires, wrapping_key };
        Ok(ImportParameters {
            key_id: Some(key.arn(cx.scope()).into()),
            import_token: Some(Blob(cx.seal_token(&[TOKEN, key.id()], &token.encode())?)),
            public_key: Some(Blob(public_key)),
            parameters_valid_to: Some(expires),
        })
    }
}

impl GetParametersForImport {
    /// Refuses wrapping that is not supported, or cannot wrap material of this spec; returns the spec of the wrapping key.
    fn check_wrapping(&self, spec: &KeySpec) -> Result<KeySpec> {
        let wrapping_spec = match &self.wrapping_key_spec {
            WrappingKeySpec::Rsa2048 => KeySpec::Rsa2048,
            WrappingKeySpec::Rsa3072 => KeySpec::Rsa3072,
            WrappingKeySpec::Rsa4096 => KeySpec::Rsa4096,
            other => return Err(errors::wrapping_spec_unsupported(other).with_field("WrappingKeySpec")),
        };
        let algorithm = &self.wrapping_algorithm;
        if !ALGORITHMS.contains(algorithm) {
            return Err(errors::wrapping_algorithm_unsupported(algorithm).with_field("WrappingAlgorithm"));
        }
        let is_direct =
            matches!(algorithm, WrappingAlgorithm::RsaesOaepSha1 | WrappingAlgorithm::RsaesOaepSha256);
        let is_too_long = match spec {
            KeySpec::Rsa2048 | KeySpec::Rsa3072 | KeySpec::Rsa4096 => true,
            KeySpec::EccNistP521 => wrapping_spec == KeySpec::Rsa2048,
            _ => false,
        };
        if is_direct && is_too_long {
            let refused = errors::wrapping_incompatible(algorithm, &self.wrapping_key_spec, spec);
            let hint = "possible: RSA_AES_KEY_WRAP_SHA_1, RSA_AES_KEY_WRAP_SHA_256";
            return Err(refused.with_field("WrappingAlgorithm").with_hint(hint));
        }
        Ok(wrapping_spec)
    }
}

/// Returns a key whose material is imported, in a state in which it can be.
pub(crate) fn require_importable(cx: &Tx<'_>, id: &str) -> Result<KeyRow> {
    let key = require_external(cx, id)?;
    key.check_settled(cx)?;
    Ok(key)
}

/// Returns a key whose material is imported.
pub(crate) fn require_external(cx: &Tx<'_>, id: &str) -> Result<KeyRow> {
    let key = find::require_own(cx, id)?;
    match key.origin() {
        KeyOrigin::External => Ok(key),
        _ => Err(origin_invalid(cx, &key)),
    }
}

/// Error for a key whose origin does not allow an operation.
pub(crate) fn origin_invalid(cx: &Tx<'_>, key: &KeyRow) -> Error {
    let origin = key.origin();
    let wire = origin.index().map_or(origin.as_str(), |index| KeyOrigin::SHAPE.values[index].wire);
    errors::origin_invalid(key.arn(cx.scope()), wire)
}

/// Supported algorithms. Tokens contain their positions.
const ALGORITHMS: [WrappingAlgorithm; 4] = [
    WrappingAlgorithm::RsaesOaepSha1,
    WrappingAlgorithm::RsaesOaepSha256,
    WrappingAlgorithm::RsaAesKeyWrapSha1,
    WrappingAlgorithm::RsaAesKeyWrapSha256,
];

/// Use of the tokens in their associated data.
const TOKEN: &str = "kms import token";

/// Content of an import token. The token is sealed for a key, and nothing of it is stored.
pub(crate) struct ImportToken {
    /// Algorithm that the material is wrapped with.
    pub(crate) algorithm: WrappingAlgorithm,
    /// Time at which the token expires.
    expires: Timestamp,
    /// Private wrapping key.
    pub(crate) wrapping_key: StoredMaterial,
}

impl ImportToken {
    /// Opens a token for the import into a key. It must not have expired.
    pub(crate) fn open(cx: &Tx<'_>, key: &KeyRow, token: &Blob) -> Result<Self> {
        let invalid = || errors::import_token_invalid().with_field("ImportToken");
        let opened = cx.open_token(&[TOKEN, key.id()], &token.0).map_err(|_| invalid())?;
        let token = Self::decode(&opened).ok_or_else(invalid)?;
        if token.expires <= cx.now() {
            return Err(errors::import_token_expired().with_field("ImportToken"));
        }
        Ok(token)
    }

    /// Encodes the token: time, position of the algorithm, wrapping key.
    fn encode(&self) -> StoredMaterial {
        let position = ALGORITHMS.iter().position(|algorithm| *algorithm == self.algorithm);
        let mut bytes = Zeroizing::new(Vec::with_capacity(9 + self.wrapping_key.len()));
        bytes.extend_from_slice(&self.expires.as_microsecond().to_be_bytes());
        bytes.push(position.and_then(|position| u8::try_from(position).ok()).unwrap_or(u8::MAX));
        bytes.extend_from_slice(&self.wrapping_key);
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (micros, rest) = bytes.split_first_chunk()?;
        let (position, wrapping_key) = rest.split_first()?;
        Some(Self {
            algorithm: ALGORITHMS.get(usize::from(*position))?.clone(),
            expires: Timestamp::from_microsecond(i64::from_be_bytes(*micros)).ok()?,
            wrapping_key: Zeroizing::new(wrapping_key.to_vec()),
        })
    }
}
