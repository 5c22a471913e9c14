//! Encryption with RSA and OAEP.

use super::{Failure, cache::KeyCache};
use crate::{EncryptionAlgorithm, KeySpec};
use aws_lc_rs::rsa::{
    KeySize, OAEP_SHA1_MGF1SHA1, OAEP_SHA256_MGF1SHA256, OaepAlgorithm, OaepPrivateDecryptingKey,
    OaepPublicEncryptingKey, PrivateDecryptingKey,
};
use std::sync::Arc;
use zeroize::Zeroizing;

/// A parsed RSA key for encryption.
struct OaepPair {
    private: OaepPrivateDecryptingKey,
    public: OaepPublicEncryptingKey,
}

/// Size of an RSA key. `None` for other specs.
pub(super) fn size(spec: &KeySpec) -> Option<KeySize> {
    match spec {
        KeySpec::Rsa2048 => Some(KeySize::Rsa2048),
        KeySpec::Rsa3072 => Some(KeySize::Rsa3072),
        KeySpec::Rsa4096 => Some(KeySize::Rsa4096),
        _ => None,
    }
}

/// Largest number of bytes that can be encrypted. `None` if the spec does not have the algorithm.
pub fn rsa_plaintext_limit(spec: &KeySpec, algorithm: &EncryptionAlgorithm) -> Option<usize> {
    let digest = match algorithm {
        EncryptionAlgorithm::RsaesOaepSha1 => 20,
        EncryptionAlgorithm::RsaesOaepSha256 => 32,
        _ => return None,
    };
    Some(size(spec)?.len() - 2 * digest - 2)
}

/// Encrypts with the public key of an RSA key.
pub fn encrypt_rsa(
    spec: &KeySpec,
    stored: &[u8],
    algorithm: &EncryptionAlgorithm,
    plaintext: &[u8],
) -> Result<Vec<u8>, Failure> {
    let limit = rsa_plaintext_limit(spec, algorithm).ok_or(Failure::WrongAlgorithm)?;
    if plaintext.len() > limit {
        return Err(Failure::TooLong { limit, actual: plaintext.len() });
    }
    let pair = OaepPair::cached(spec, stored)?;
    let mut ciphertext = vec![0; pair.public.ciphertext_size()];
    pair.public.encrypt(oaep(algorithm)?, plaintext, &mut ciphertext, None)?;
    Ok(ciphertext)
}

/// Decrypts with an RSA key.
pub fn decrypt_rsa(
    spec: &KeySpec,
    stored: &[u8],
    algorithm: &EncryptionAlgorithm,
    ciphertext: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let algorithm = oaep(algorithm)?;
    decrypt_oaep(&OaepPair::cached(spec, stored)?.private, algorithm, ciphertext)
}

/// Decrypts with OAEP and a parsed key.
pub(super) fn decrypt_oaep(
    key: &OaepPrivateDecryptingKey,
    algorithm: &'static OaepAlgorithm,
    ciphertext: &[u8],
) -> Result<Zeroizing<Vec<u8>>, Failure> {
    let mut bytes = Zeroizing::new(vec![0; key.min_output_size()]);
    let plaintext = key.decrypt(algorithm, ciphertext, &mut bytes, None);
    let length = plaintext.map_err(|_| Failure::InvalidCiphertext)?.len();
    bytes.truncate(length);
    Ok(bytes)
}

fn oaep(algorithm: &EncryptionAlgorithm) -> Result<&'static OaepAlgorithm, Failure> {
    match algorithm {
        EncryptionAlgorithm::RsaesOaepSha1 => Ok(&OAEP_SHA1_MGF1SHA1),
        EncryptionAlgorithm::RsaesOaepSha256 => Ok(&OAEP_SHA256_MGF1SHA256),
        _ => Err(Failure::WrongAlgorithm),
    }
}

impl OaepPair {
    fn cached(spec: &KeySpec, stored: &[u8]) -> Result<Arc<Self>, Failure> {
        static CACHE: KeyCache<OaepPair> = KeyCache::new();
        let size = size(spec).ok_or(Failure::WrongAlgorithm)?;
        CACHE.get(spec, stored, || {
            let key = PrivateDecryptingKey::from_pkcs8(stored)?;
            if key.key_size_bytes() != size.len() {
                return Err(Failure::InvalidKey);
            }
            let public = OaepPublicEncryptingKey::new(key.public_key())?;
            Ok(Self { private: OaepPrivateDecryptingKey::new(key)?, public })
        })
    }
}
