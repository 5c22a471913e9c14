//! Time-based one-time codes of MFA devices (RFC 6238 with SHA-1, 30 seconds and six digits).

use crate::entity::ids::ALPHABET;
use hmac::{Hmac, KeyInit, Mac};
use nephos_core::Timestamp;
use sha1::Sha1;
use std::ops::RangeInclusive;

/// Seconds for which a code is valid.
const STEP: i64 = 30;

/// Returns the number of the step at `time`.
pub fn step_at(time: Timestamp) -> i64 {
    time.as_second().div_euclid(STEP)
}

/// Returns the code of a step.
pub fn code_at(seed: &[u8], step: i64) -> String {
    // Keys of HMAC can have any length.
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(seed) else { return String::new() };
    mac.update(&step.to_be_bytes());
    let digest = mac.finalize().into_bytes();
    let offset = usize::from(digest[19] & 0xF);
    let mut word = [0; 4];
    word.copy_from_slice(&digest[offset..offset + 4]);
    format!("{:06}", (u32::from_be_bytes(word) & 0x7FFF_FFFF) % 1_000_000)
}

/// Returns the first step of `steps` whose code and those of the steps after it are `codes`.
pub fn find_step(seed: &[u8], steps: RangeInclusive<i64>, codes: &[&str]) -> Option<i64> {
    let matches = |step: &i64| codes.iter().zip(*step..).all(|(code, step)| code_at(seed, step) == *code);
    steps.into_iter().find(matches)
}

/// Encodes a seed in base32, without padding.
pub fn to_base32(seed: &[u8]) -> String {
    let mut text = String::new();
    for chunk in seed.chunks(5) {
        let mut bytes = [0; 8];
        bytes[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(bytes);
        let digits = (chunk.len() * 8).div_ceil(5);
        text.extend(
            (0..digits).map(|n| char::from(ALPHABET[(bits >> (35 - 5 * n)) as usize % ALPHABET.len()])),
        );
    }
    text
}
