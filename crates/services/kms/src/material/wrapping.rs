//! Unwrapping of imported key material.

use super::{Failure, StoredMaterial, rsa::decrypt_oaep};
use crate::WrappingAlgorithm;
use aws_lc_rs::{
    key_wrap::{AES_256, AesKek, KeyWrapPadded},
    rsa::{
        OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OaepAlgorithm, OaepPrivateDecryptingKey,
        Pkcs1PrivateDecryptingKey, PrivateDecryptingKey,
    },
};
use zeroize::Zeroizing;

/// Unwraps key material that was wrapped with the public key of `wrapping`, an RSA key.
pub fn unwrap(
    wrapping: &[u8],
    algorithm: &WrappingAlgorithm,
    wrapped: &[u8],
) -> Result<StoredMaterial, Failure> {
    let key = PrivateDecryptingKey::from_pkcs8(wrapping)?;
    match algorithm {
        WrappingAlgorithm::RsaesOaepSha1 => unwrap_oaep(key, &OAEP_SHA1_MGF1SHA1, wrapped),
        WrappingAlgorithm::RsaesOaepSha256 => unwrap_oaep(key, &OAEP_SHA256_MGF1SHA256, wrapped),
        WrappingAlgorithm::RsaAesKeyWrapSha1 => unwrap_aes(key, &OAEP_SHA1_MGF1SHA1, wrapped),
        WrappingAlgorithm::RsaAesKeyWrapSha256 => unwrap_aes(key, &OAEP_SHA256_MGF1SHA256, wrapped),
        WrappingAlgorithm::RsaesPkcs1V15 => unwrap_pkcs1(key, wrapped),
        WrappingAlgorithm::Sm2pke | WrappingAlgorithm::Unknown(_) => Err(Failure::WrongAlgorithm),
    }
}

fn unwrap_oaep(
    key: PrivateDecryptingKey,
    algorithm: &'static OaepAlgorithm,
    wrapped: &[u8],
) -> Result<StoredMaterial, Failure> {
    decrypt_oaep(&OaepPrivateDecryptingKey::new(key)?, algorithm, wrapped)
}

/// Unwraps an AES key with RSA, and the rest with AES key wrap with padding (RFC 5649).
fn unwrap_aes(
    key: PrivateDecryptingKey,
    algorithm: &'static OaepAlgorithm,
    wrapped: &[u8],
) -> Result<StoredMaterial, Failure> {
    let (wrapped_key, wrapped) =
        wrapped.split_at_checked(key.key_size_bytes()).ok_or(Failure::InvalidCiphertext)?;
    unwrap_padded(&unwrap_oaep(key, algorithm, wrapped_key)?, wrapped)
}

/// Unwraps with AES-256 key wrap with padding.
pub fn unwrap_padded(key: &[u8], wrapped: &[u8]) -> Result<StoredMaterial, Failure> {
    let key = AesKek::new(&AES_256, key).map_err(|_| Failure::InvalidCiphertext)?;
    let mut bytes = Zeroizing::new(vec![0; wrapped.len()]);
    let unwrapped = key.unwrap_with_padding(wrapped, &mut bytes);
    let length = unwrapped.map_err(|_| Failure::InvalidCiphertext)?.len();
    bytes.truncate(length);
    Ok(bytes)
}

fn unwrap_pkcs1(key: PrivateDecryptingKey, wrapped: &[u8]) -> Result<StoredMaterial, Failure> {
    let key = Pkcs1PrivateDecryptingKey::new(key)?;
    let mut bytes = Zeroizing::new(vec![0; key.min_output_size()]);
    let unwrapped = key.decrypt(wrapped, &mut bytes);
    let length = unwrapped.map_err(|_| Failure::InvalidCiphertext)?.len();
    bytes.truncate(length);
    Ok(bytes)
}
