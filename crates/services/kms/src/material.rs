//! Cryptography of keys, without rows and transactions: material, ciphertexts, signatures, codes, shared secrets and wrapped keys.

mod agreement;
pub mod cache;
mod envelope;
pub mod mac;
mod pair;
mod rsa;
pub mod signature;
pub mod wrapping;

use crate::KeySpec;
use aws_lc_rs::{error, hmac};
use nephos_core::{Ids, hex};
use zeroize::Zeroizing;

pub use agreement::agree;
pub use envelope::{Context, KeyName, decrypt, encrypt, read_header};
pub use mac::{mac, verify_mac};
pub use rsa::{decrypt_rsa, encrypt_rsa, rsa_plaintext_limit};
pub use signature::{Message, sign, verify};
pub use wrapping::unwrap;

use pair::Pair;

/// Secret bytes of the material of a key, as they are stored before sealing: the raw bytes of symmetric and HMAC keys, PKCS #8
/// of key pairs.
pub type StoredMaterial = Zeroizing<Vec<u8>>;

/// Reason of a cryptographic operation that cannot be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The ciphertext is damaged, was encrypted under another key, or has another encryption context.
    InvalidCiphertext,
    /// Material or a digest does not have the length that the spec or the algorithm has.
    WrongLength {
        /// Bytes of the spec or the algorithm.
        expected: usize,
        /// Bytes of the request.
        actual: usize,
    },
    /// The plaintext is longer than the algorithm can encrypt with this key.
    TooLong {
        /// Largest number of bytes.
        limit: usize,
        /// Bytes of the request.
        actual: usize,
    },
    /// The bytes are not a key, or a key of another type, curve or size.
    InvalidKey,
    /// The algorithm is not one of the spec.
    WrongAlgorithm,
    /// The algorithm does not sign messages of this type.
    WrongMessageType,
    /// The library failed without a reason.
    Library,
}

impl From<error::Unspecified> for Failure {
    fn from(_: error::Unspecified) -> Self {
        Self::Library
    }
}

impl From<error::KeyRejected> for Failure {
    fn from(_: error::KeyRejected) -> Self {
        Self::InvalidKey
    }
}

/// Generates material for a new key. Symmetric and HMAC keys are bytes of `ids`; key pairs come from the generator of the library.
pub fn generate(spec: &KeySpec, ids: &Ids) -> Result<StoredMaterial, Failure> {
    match symmetric_length(spec) {
        Some(length) => {
            let mut bytes = Zeroizing::new(vec![0; length]);
            ids.fill(&mut bytes);
            Ok(bytes)
        }
        None => Pair::generate(spec)?.to_pkcs8(),
    }
}

/// Checks imported material, and returns it in the encoding in which it is stored.
///
/// Symmetric and HMAC keys have exactly the length of the spec. Key pairs are PKCS #8 of the curve or size of the spec; they are
/// encoded again, so that the same key in another encoding is the same material.
pub fn check_imported(spec: &KeySpec, bytes: &[u8]) -> Result<StoredMaterial, Failure> {
    match symmetric_length(spec) {
        Some(expected) if bytes.len() != expected => {
            Err(Failure::WrongLength { expected, actual: bytes.len() })
        }
        Some(_) => Ok(Zeroizing::new(bytes.to_vec())),
        None if !is_one_sequence(bytes) => Err(Failure::InvalidKey),
        None => Pair::parse(spec, bytes)?.to_pkcs8().map_err(|_| Failure::InvalidKey),
    }
}

/// Public key of a key pair: the DER encoding of SubjectPublicKeyInfo.
pub fn public_key(spec: &KeySpec, stored: &[u8]) -> Result<Vec<u8>, Failure> {
    Pair::cached(spec, stored)?.public_key()
}

/// ID of material: 64 hexadecimal digits, the same for the same material of the same key.
pub fn material_id(key_id: &str, stored: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, stored);
    let mut code = hmac::Context::with_key(&key);
    code.update(b"key material ID\0");
    code.update(key_id.as_bytes());
    hex::encode(code.sign().as_ref())
}

/// Length of the material of symmetric and HMAC keys. `None` for key pairs.
fn symmetric_length(spec: &KeySpec) -> Option<usize> {
    match spec {
        KeySpec::SymmetricDefault | KeySpec::Hmac256 => Some(32),
        KeySpec::Hmac224 => Some(28),
        KeySpec::Hmac384 => Some(48),
        KeySpec::Hmac512 => Some(64),
        _ => None,
    }
}

/// True if the bytes are one DER sequence with nothing behind it, which the library would ignore.
fn is_one_sequence(bytes: &[u8]) -> bool {
    let (length, content) = match bytes {
        [0x30, length @ 0..=0x7f, content @ ..] => (usize::from(*length), content),
        [0x30, 0x81, length, content @ ..] => (usize::from(*length), content),
        [0x30, 0x82, high, low, content @ ..] => (usize::from(u16::from_be_bytes([*high, *low])), content),
        _ => return false,
    };
    content.len() == length
}
