//! Signatures.

use crate::{
    CryptoKey, CryptoKeyManager, KeyUsage, SigningAlgorithm,
    crypto::{DryRun, Use, check_algorithm, check_dry_run, to_error},
    errors,
    key::{KeyName, KeyRow, describe::GrantTokens},
    material,
};
use nephos_cloud::{Handler, Tx};
use nephos_core::{Blob, Record, Result, choices, operation, record_of};

choices! {
    /// Form of a message to sign.
    #[derive(Eq)]
    pub enum MessageType {
        /// The message itself.
        Raw = "RAW",
        /// The digest of the message.
        Digest = "DIGEST",
        /// The representative of the message for ML-DSA. Not supported here.
        ExternalMu = "EXTERNAL_MU",
    }
}

/// A message to sign, and the algorithm.
#[derive(Record)]
#[record(shared)]
pub struct SignedMessage {
    /// Message, or its digest.
    #[field(sensitive, required, length(1..=4096))]
    message: Option<Blob>,
    /// Algorithm of signatures.
    #[field(required, condition = "kms:SigningAlgorithm")]
    signing_algorithm: Option<SigningAlgorithm>,
    /// Form of the message; the message itself by default.
    #[field(condition = "kms:MessageType")]
    message_type: Option<MessageType>,
}

/// Signs a message with the private key of a key pair.
#[operation(
    of = CryptoKey, include(KeyName, SignedMessage, GrantTokens, DryRun), call = "sign", effect = read,
    access = write, output = SignResponse
)]
pub struct Sign {}

/// A signature.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct SignResponse {
    /// Signature. Those of elliptic curves, except Edwards25519, are in the DER encoding.
    signature: Option<Blob>,
    /// Algorithm of the signature.
    signing_algorithm: Option<SigningAlgorithm>,
}

impl Handler for Sign {
    fn run(self, cx: &mut Tx<'_>) -> Result<SignResponse> {
        const USE: Use = Use::new("Sign", &KeyUsage::SignVerify);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let message =
                check_message(&key, &self.message.0, &self.signing_algorithm, self.message_type.as_ref())?;
            check_dry_run(self.dry_run)?;
            let stored = key.open_material(cx)?;
            let signature = material::sign(key.spec(), &stored, &self.signing_algorithm, message);
            Ok(SignResponse {
                key_id: Some(key.arn(cx.scope()).into()),
                signature: Some(Blob(signature.map_err(to_error)?)),
                signing_algorithm: Some(self.signing_algorithm),
            })
        })
    }
}

/// Verifies a signature with the public key of a key pair.
#[operation(
    of = CryptoKey, include(KeyName, SignedMessage, GrantTokens, DryRun), call = "verify", effect = read,
    access = write, output = VerifyResponse
)]
pub struct Verify {
    /// Signature to verify.
    #[field(length(1..=6144))]
    pub signature: Blob,
}

/// A valid signature. A signature that is not valid is refused.
#[record_of(of = CryptoKey, takes(arn as key_id), answer)]
pub struct VerifyResponse {
    /// True: the signature is valid.
    signature_valid: Option<bool>,
    /// Algorithm of the signature.
    signing_algorithm: Option<SigningAlgorithm>,
}

impl Handler for Verify {
    fn run(self, cx: &mut Tx<'_>) -> Result<VerifyResponse> {
        const USE: Use = Use::new("Verify", &KeyUsage::SignVerify);
        USE.with_key(cx, &self.key_id, |cx, key| {
            let (spec, algorithm) = (key.spec(), &self.signing_algorithm);
            let message = check_message(&key, &self.message.0, algorithm, self.message_type.as_ref())?;
            let public_key = material::public_key(spec, &key.open_material(cx)?).map_err(to_error)?;
            let verified = material::verify(spec, &public_key, algorithm, message, &self.signature.0);
            if !verified.map_err(to_error)? {
                return Err(errors::invalid_signature().with_field("Signature"));
            }
            check_dry_run(self.dry_run)?;
            Ok(VerifyResponse {
                key_id: Some(key.arn(cx.scope()).into()),
                signature_valid: Some(true),
                signing_algorithm: Some(self.signing_algorithm),
            })
        })
    }
}

/// Returns the message. Refuses an algorithm that the key does not have, a form of the message that the algorithm does not have,
/// and a digest of another length.
fn check_message<'m>(
    key: &KeyRow,
    bytes: &'m [u8],
    algorithm: &SigningAlgorithm,
    form: Option<&MessageType>,
) -> Result<material::Message<'m>> {
    let spec = key.spec();
    check_algorithm(spec, spec.signing_algorithms(), algorithm, "SigningAlgorithm")?;
    let form = form.unwrap_or(&MessageType::Raw);
    match (form, algorithm) {
        (MessageType::ExternalMu, SigningAlgorithm::MlDsaShake256) => {
            Err(errors::message_type_unsupported(form).with_field("MessageType"))
        }
        (MessageType::Digest, SigningAlgorithm::MlDsaShake256) | (MessageType::ExternalMu, _) => {
            Err(errors::message_type_of_spec(form, spec).with_field("MessageType"))
        }
        (MessageType::Raw, SigningAlgorithm::Ed25519PhSha512)
        | (MessageType::Digest, SigningAlgorithm::Ed25519Sha512)
        | (MessageType::Unknown(_), _) => {
            Err(errors::message_type_of_algorithm(form, algorithm).with_field("MessageType"))
        }
        (MessageType::Raw, _) => Ok(material::Message::Raw(bytes)),
        (MessageType::Digest, _) => {
            let expected = digest_length(algorithm);
            if bytes.len() != expected {
                let hint = format!("expected {expected} bytes, got {}", bytes.len());
                return Err(errors::digest_length(algorithm).with_field("Message").with_hint(hint));
            }
            Ok(material::Message::Digest(bytes))
        }
    }
}

/// Length of the digests of an algorithm in bytes.
fn digest_length(algorithm: &SigningAlgorithm) -> usize {
    match algorithm {
        SigningAlgorithm::RsassaPssSha256
        | SigningAlgorithm::RsassaPkcs1V15Sha256
        | SigningAlgorithm::EcdsaSha256 => 32,
        SigningAlgorithm::RsassaPssSha384
        | SigningAlgorithm::RsassaPkcs1V15Sha384
        | SigningAlgorithm::EcdsaSha384 => 48,
        _ => 64,
    }
}
