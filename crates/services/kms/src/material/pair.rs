//! Key pairs for signatures: generation, PKCS #8 and public keys.

use super::{Failure, StoredMaterial, cache::KeyCache};
use crate::KeySpec;
use aws_lc_rs::{
    encoding::{AsDer, Pkcs8V1Der},
    rsa::{self, KeySize},
    signature::{
        self, EcdsaKeyPair, EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair, PqdsaKeyPair,
        PqdsaSigningAlgorithm,
    },
};
use std::sync::Arc;
use zeroize::Zeroizing;

/// A parsed key pair.
pub(super) enum Pair {
    Rsa(rsa::KeyPair),
    Ec(EcdsaKeyPair),
    Ed25519(Ed25519KeyPair),
    MlDsa(PqdsaKeyPair),
}

/// Type of a key pair, with the size or the curve.
enum Type {
    Rsa(KeySize),
    Ec(&'static EcdsaSigningAlgorithm),
    Ed25519,
    MlDsa(&'static PqdsaSigningAlgorithm),
}

impl Type {
    fn of(spec: &KeySpec) -> Result<Self, Failure> {
        Ok(match spec {
            KeySpec::EccNistP256 => Self::Ec(&signature::ECDSA_P256_SHA256_ASN1_SIGNING),
            KeySpec::EccNistP384 => Self::Ec(&signature::ECDSA_P384_SHA384_ASN1_SIGNING),
            KeySpec::EccNistP521 => Self::Ec(&signature::ECDSA_P521_SHA512_ASN1_SIGNING),
            KeySpec::EccSecgP256k1 => Self::Ec(&signature::ECDSA_P256K1_SHA256_ASN1_SIGNING),
            KeySpec::EccNistEdwards25519 => Self::Ed25519,
            KeySpec::MlDsa44 => Self::MlDsa(&signature::ML_DSA_44_SIGNING),
            KeySpec::MlDsa65 => Self::MlDsa(&signature::ML_DSA_65_SIGNING),
            KeySpec::MlDsa87 => Self::MlDsa(&signature::ML_DSA_87_SIGNING),
            _ => Self::Rsa(super::rsa::size(spec).ok_or(Failure::InvalidKey)?),
        })
    }
}

impl Pair {
    /// Generates a key pair. The public exponent of RSA is 65537.
    pub(super) fn generate(spec: &KeySpec) -> Result<Self, Failure> {
        Ok(match Type::of(spec)? {
            Type::Rsa(size) => Self::Rsa(rsa::KeyPair::generate(size)?),
            Type::Ec(curve) => Self::Ec(EcdsaKeyPair::generate(curve)?),
            Type::Ed25519 => Self::Ed25519(Ed25519KeyPair::generate()?),
            Type::MlDsa(parameters) => Self::MlDsa(PqdsaKeyPair::generate(parameters)?),
        })
    }

    /// Parses PKCS #8 of the curve or size of the spec.
    pub(super) fn parse(spec: &KeySpec, pkcs8: &[u8]) -> Result<Self, Failure> {
        Ok(match Type::of(spec)? {
            Type::Rsa(size) => {
                let pair = rsa::KeyPair::from_pkcs8(pkcs8)?;
                if pair.public_modulus_len() != size.len() {
                    return Err(Failure::InvalidKey);
                }
                Self::Rsa(pair)
            }
            Type::Ec(curve) => Self::Ec(EcdsaKeyPair::from_pkcs8(curve, pkcs8)?),
            Type::Ed25519 => Self::Ed25519(Ed25519KeyPair::from_pkcs8(pkcs8)?),
            Type::MlDsa(parameters) => Self::MlDsa(PqdsaKeyPair::from_pkcs8(parameters, pkcs8)?),
        })
    }

    /// Returns the parsed key pair of stored material.
    pub(super) fn cached(spec: &KeySpec, stored: &[u8]) -> Result<Arc<Self>, Failure> {
        static CACHE: KeyCache<Pair> = KeyCache::new();
        CACHE.get(spec, stored, || Self::parse(spec, stored))
    }

    /// Encodes the key pair as PKCS #8, version 1.
    pub(super) fn to_pkcs8(&self) -> Result<StoredMaterial, Failure> {
        let document = match self {
            Self::Rsa(pair) => {
                let der: Pkcs8V1Der<'_> = pair.as_der()?;
                return Ok(Zeroizing::new(der.as_ref().to_vec()));
            }
            Self::Ec(pair) => pair.to_pkcs8v1()?,
            Self::Ed25519(pair) => pair.to_pkcs8v1()?,
            Self::MlDsa(pair) => pair.to_pkcs8v1()?,
        };
        Ok(Zeroizing::new(document.as_ref().to_vec()))
    }

    /// Encodes the public key as SubjectPublicKeyInfo.
    pub(super) fn public_key(&self) -> Result<Vec<u8>, Failure> {
        let der = match self {
            Self::Rsa(pair) => pair.public_key().as_der()?,
            Self::Ec(pair) => pair.public_key().as_der()?,
            Self::Ed25519(pair) => pair.public_key().as_der()?,
            Self::MlDsa(pair) => pair.public_key().as_der()?,
        };
        Ok(der.as_ref().to_vec())
    }
}
