//! Signatures of key pairs.

use super::{Failure, pair::Pair};
use crate::{KeySpec, SigningAlgorithm};
use aws_lc_rs::{
    digest::{self, Digest},
    signature::{self, ParsedPublicKey, RsaEncoding, VerificationAlgorithm},
};

pub mod prehashed;

/// A message to sign.
#[derive(Clone, Copy, Debug)]
pub enum Message<'a> {
    /// The message itself.
    Raw(&'a [u8]),
    /// The digest of the message.
    Digest(&'a [u8]),
}

/// The parts of an algorithm in the library.
enum Scheme {
    /// The library signs messages and digests.
    Digested {
        verification: &'static dyn VerificationAlgorithm,
        digest: &'static digest::Algorithm,
        /// Padding of RSA.
        padding: Option<&'static dyn RsaEncoding>,
    },
    /// The library signs messages only.
    Whole(&'static dyn VerificationAlgorithm),
    /// Ed25519ph, for digests only. As at the provider, the digest is hashed again, as the message of Ed25519ph.
    Prehashed,
}

/// Signs a message. ECDSA signatures are DER.
pub fn sign(
    spec: &KeySpec,
    stored: &[u8],
    algorithm: &SigningAlgorithm,
    message: Message<'_>,
) -> Result<Vec<u8>, Failure> {
    match (Scheme::of(spec, algorithm)?, message) {
        (Scheme::Digested { digest, padding, .. }, Message::Raw(bytes)) => {
            sign_digest(spec, stored, padding, &digest::digest(digest, bytes))
        }
        (Scheme::Digested { digest, padding, .. }, Message::Digest(bytes)) => {
            sign_digest(spec, stored, padding, &import(digest, bytes)?)
        }
        (Scheme::Whole(_), Message::Raw(bytes)) => sign_whole(spec, stored, bytes),
        (Scheme::Prehashed, Message::Digest(bytes)) => {
            prehashed::sign(stored, import(&digest::SHA512, bytes)?.as_ref())
        }
        (Scheme::Whole(_), Message::Digest(_)) | (Scheme::Prehashed, Message::Raw(_)) => {
            Err(Failure::WrongMessageType)
        }
    }
}

/// Verifies a signature with a public key, which is SubjectPublicKeyInfo. A damaged signature is not valid, and no failure.
pub fn verify(
    spec: &KeySpec,
    public_key: &[u8],
    algorithm: &SigningAlgorithm,
    message: Message<'_>,
    signature: &[u8],
) -> Result<bool, Failure> {
    let verified = match (Scheme::of(spec, algorithm)?, message) {
        (Scheme::Digested { verification, .. } | Scheme::Whole(verification), Message::Raw(bytes)) => {
            ParsedPublicKey::new(verification, public_key)?.verify_sig(bytes, signature)
        }
        (Scheme::Digested { verification, digest, .. }, Message::Digest(bytes)) => {
            let digest = import(digest, bytes)?;
            ParsedPublicKey::new(verification, public_key)?.verify_digest_sig(&digest, signature)
        }
        (Scheme::Prehashed, Message::Digest(bytes)) => {
            let digest = import(&digest::SHA512, bytes)?;
            return prehashed::verify(public_key, digest.as_ref(), signature);
        }
        (Scheme::Whole(_), Message::Digest(_)) | (Scheme::Prehashed, Message::Raw(_)) => {
            return Err(Failure::WrongMessageType);
        }
    };
    Ok(verified.is_ok())
}

fn sign_digest(
    spec: &KeySpec,
    stored: &[u8],
    padding: Option<&'static dyn RsaEncoding>,
    digest: &Digest,
) -> Result<Vec<u8>, Failure> {
    match (&*Pair::cached(spec, stored)?, padding) {
        (Pair::Rsa(pair), Some(padding)) => {
            let mut bytes = vec![0; pair.public_modulus_len()];
            pair.sign_digest(padding, digest, &mut bytes)?;
            Ok(bytes)
        }
        (Pair::Ec(pair), None) => Ok(pair.sign_digest(digest)?.as_ref().to_vec()),
        _ => Err(Failure::WrongAlgorithm),
    }
}

fn sign_whole(spec: &KeySpec, stored: &[u8], message: &[u8]) -> Result<Vec<u8>, Failure> {
    match &*Pair::cached(spec, stored)? {
        Pair::Ed25519(pair) => Ok(pair.try_sign(message)?.as_ref().to_vec()),
        Pair::MlDsa(pair) => {
            let mut bytes = vec![0; pair.algorithm().signature_len()];
            pair.sign(message, &mut bytes)?;
            Ok(bytes)
        }
        Pair::Rsa(_) | Pair::Ec(_) => Err(Failure::WrongAlgorithm),
    }
}

fn import(algorithm: &'static digest::Algorithm, bytes: &[u8]) -> Result<Digest, Failure> {
    let (expected, actual) = (algorithm.output_len(), bytes.len());
    Digest::import_less_safe(bytes, algorithm).map_err(|_| Failure::WrongLength { expected, actual })
}

impl Scheme {
    fn of(spec: &KeySpec, algorithm: &SigningAlgorithm) -> Result<Self, Failure> {
        use signature as library;
        if !spec.signing_algorithms().contains(algorithm) {
            return Err(Failure::WrongAlgorithm);
        }
        Ok(match (algorithm, spec) {
            (SigningAlgorithm::RsassaPkcs1V15Sha256, _) => {
                Self::rsa(&library::RSA_PKCS1_2048_8192_SHA256, &library::RSA_PKCS1_SHA256, &digest::SHA256)
            }
            (SigningAlgorithm::RsassaPkcs1V15Sha384, _) => {
                Self::rsa(&library::RSA_PKCS1_2048_8192_SHA384, &library::RSA_PKCS1_SHA384, &digest::SHA384)
            }
            (SigningAlgorithm::RsassaPkcs1V15Sha512, _) => {
                Self::rsa(&library::RSA_PKCS1_2048_8192_SHA512, &library::RSA_PKCS1_SHA512, &digest::SHA512)
            }
            (SigningAlgorithm::RsassaPssSha256, _) => {
                Self::rsa(&library::RSA_PSS_2048_8192_SHA256, &library::RSA_PSS_SHA256, &digest::SHA256)
            }
            (SigningAlgorithm::RsassaPssSha384, _) => {
                Self::rsa(&library::RSA_PSS_2048_8192_SHA384, &library::RSA_PSS_SHA384, &digest::SHA384)
            }
            (SigningAlgorithm::RsassaPssSha512, _) => {
                Self::rsa(&library::RSA_PSS_2048_8192_SHA512, &library::RSA_PSS_SHA512, &digest::SHA512)
            }
            (SigningAlgorithm::EcdsaSha256, KeySpec::EccSecgP256k1) => {
                Self::ecdsa(&library::ECDSA_P256K1_SHA256_ASN1, &digest::SHA256)
            }
            (SigningAlgorithm::EcdsaSha256, _) => {
                Self::ecdsa(&library::ECDSA_P256_SHA256_ASN1, &digest::SHA256)
            }
            (SigningAlgorithm::EcdsaSha384, _) => {
                Self::ecdsa(&library::ECDSA_P384_SHA384_ASN1, &digest::SHA384)
            }
            (SigningAlgorithm::EcdsaSha512, _) => {
                Self::ecdsa(&library::ECDSA_P521_SHA512_ASN1, &digest::SHA512)
            }
            (SigningAlgorithm::Ed25519Sha512, _) => Self::Whole(&library::ED25519),
            (SigningAlgorithm::Ed25519PhSha512, _) => Self::Prehashed,
            (_, KeySpec::MlDsa44) => Self::Whole(&library::ML_DSA_44),
            (_, KeySpec::MlDsa65) => Self::Whole(&library::ML_DSA_65),
            (_, KeySpec::MlDsa87) => Self::Whole(&library::ML_DSA_87),
            _ => return Err(Failure::WrongAlgorithm),
        })
    }

    fn rsa(
        verification: &'static dyn VerificationAlgorithm,
        padding: &'static dyn RsaEncoding,
        digest: &'static digest::Algorithm,
    ) -> Self {
        Self::Digested { verification, digest, padding: Some(padding) }
    }

    fn ecdsa(verification: &'static dyn VerificationAlgorithm, digest: &'static digest::Algorithm) -> Self {
        Self::Digested { verification, digest, padding: None }
    }
}
