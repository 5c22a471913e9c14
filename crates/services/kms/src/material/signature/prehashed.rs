//! Ed25519ph (RFC 8032) with an empty context, which the library does not have.

use super::Failure;
use ed25519_dalek::{Signature, SigningKey, VerifyingKey};
use sha2::{Digest, Sha512};
use zeroize::Zeroizing;

/// Bytes before the seed in the PKCS #8 encoding, version 1, of Ed25519 keys (RFC 8410).
const PKCS8_PREFIX: &[u8] = &[0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];

/// Bytes before the point in the SubjectPublicKeyInfo of Ed25519 keys (RFC 8410).
const SPKI_PREFIX: &[u8] = &[0x30, 0x2a, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 3, 0x21, 0];

/// Signs the SHA-512 digest of a message.
pub fn sign(stored: &[u8], message: &[u8]) -> Result<Vec<u8>, Failure> {
    let seed = stored.strip_prefix(PKCS8_PREFIX).ok_or(Failure::InvalidKey)?;
    let seed = Zeroizing::new(<[u8; 32]>::try_from(seed).map_err(|_| Failure::InvalidKey)?);
    let signature = SigningKey::from_bytes(&seed).sign_prehashed(Sha512::new_with_prefix(message), None);
    Ok(signature.map_err(|_| Failure::Library)?.to_bytes().to_vec())
}

/// Verifies a signature of the SHA-512 digest of a message.
pub fn verify(public_key: &[u8], message: &[u8], signature: &[u8]) -> Result<bool, Failure> {
    let point = public_key.strip_prefix(SPKI_PREFIX).and_then(|point| point.try_into().ok());
    let key = point.and_then(|point| VerifyingKey::from_bytes(point).ok()).ok_or(Failure::InvalidKey)?;
    let digest = Sha512::new_with_prefix(message);
    Ok(Signature::from_slice(signature)
        .is_ok_and(|signature| key.verify_prehashed(digest, None, &signature).is_ok()))
}
