//! Message authentication codes.

use super::Failure;
use crate::MacAlgorithm;
use aws_lc_rs::hmac;

/// Computes the code of a message.
pub fn mac(algorithm: &MacAlgorithm, stored: &[u8], message: &[u8]) -> Result<Vec<u8>, Failure> {
    Ok(hmac::sign(&key(algorithm, stored)?, message).as_ref().to_vec())
}

/// Compares a code with the one of the message, in constant time.
pub fn verify_mac(
    algorithm: &MacAlgorithm,
    stored: &[u8],
    message: &[u8],
    code: &[u8],
) -> Result<bool, Failure> {
    Ok(hmac::verify(&key(algorithm, stored)?, message, code).is_ok())
}

fn key(algorithm: &MacAlgorithm, stored: &[u8]) -> Result<hmac::Key, Failure> {
    let algorithm = match algorithm {
        MacAlgorithm::HmacSha224 => hmac::HMAC_SHA224,
        MacAlgorithm::HmacSha256 => hmac::HMAC_SHA256,
        MacAlgorithm::HmacSha384 => hmac::HMAC_SHA384,
        MacAlgorithm::HmacSha512 => hmac::HMAC_SHA512,
        MacAlgorithm::Unknown(_) => return Err(Failure::WrongAlgorithm),
    };
    Ok(hmac::Key::new(algorithm, stored))
}
