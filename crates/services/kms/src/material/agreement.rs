//! Shared secrets of elliptic curves.

use super::{Failure, cache::KeyCache};
use crate::KeySpec;
use aws_lc_rs::agreement::{
    self, Algorithm, ParsedPublicKey, ParsedPublicKeyFormat, PrivateKey, UnparsedPublicKey,
};
use zeroize::Zeroizing;

/// Derives the shared secret of a key and the public key of a peer (SubjectPublicKeyInfo of the same curve): the x coordinate.
pub fn agree(spec: &KeySpec, stored: &[u8], peer: &[u8]) -> Result<Zeroizing<Vec<u8>>, Failure> {
    static CACHE: KeyCache<PrivateKey> = KeyCache::new();
    let curve = curve(spec)?;
    let key = CACHE.get(spec, stored, || Ok(PrivateKey::from_private_key_der(curve, stored)?))?;
    let peer = ParsedPublicKey::try_from(UnparsedPublicKey::new(curve, peer))?;
    // The library also reads points without the curve.
    if peer.format() != ParsedPublicKeyFormat::X509 {
        return Err(Failure::InvalidKey);
    }
    agreement::agree(&key, peer, Failure::InvalidKey, |secret| Ok(Zeroizing::new(secret.to_vec())))
}

fn curve(spec: &KeySpec) -> Result<&'static Algorithm, Failure> {
    match spec {
        KeySpec::EccNistP256 => Ok(&agreement::ECDH_P256),
        KeySpec::EccNistP384 => Ok(&agreement::ECDH_P384),
        KeySpec::EccNistP521 => Ok(&agreement::ECDH_P521),
        _ => Err(Failure::WrongAlgorithm),
    }
}
