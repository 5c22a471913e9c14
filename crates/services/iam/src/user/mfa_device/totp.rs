//! Time-based one-time codes of MFA devices (RFC 6238 with SHA-1, 30 seconds and six digits).

use crate::entity::ids::ALPHABET;
use hmac::{Hmac, KeyInit, Mac};
use nephos_core::Timestamp;
use sha1::Sha1;
use std::ops::RangeInclusive;

/// Seconds for which a code is valid.
const STEP: i64 = 30;

/// Returns the number of the step at `time`.
pub(crate) fn step_at(time: Timestamp) -> i64 {
    time.as_second().div_euclid(STEP)
}

/// Returns the code of a step.
pub(crate) fn code_at(seed: &[u8], step: i64) -> String {
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
pub(crate) fn find_step(seed: &[u8], steps: RangeInclusive<i64>, codes: &[&str]) -> Option<i64> {
    let matches = |step: &i64| codes.iter().zip(*step..).all(|(code, step)| code_at(seed, step) == *code);
    steps.into_iter().find(matches)
}

/// Encodes a seed in base32, without padding.
pub(crate) fn to_base32(seed: &[u8]) -> String {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of RFC 6238, with six digits.
    #[test]
    fn codes_are_those_of_the_standard() {
        let seed = b"12345678901234567890";
        let vectors = [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ];
        for (second, code) in vectors {
            let step = step_at(Timestamp::from_second(second).unwrap());
            assert_eq!(code_at(seed, step), code);
            assert_eq!(find_step(seed, step - 1..=step + 1, &[code]), Some(step));
            assert_eq!(find_step(seed, step - 1..=step + 1, &[code, &code_at(seed, step + 1)]), Some(step));
            assert_eq!(find_step(seed, step - 1..=step + 1, &[&code_at(seed, step + 1), code]), None);
        }
    }

    /// Test vectors of RFC 4648, without padding.
    #[test]
    fn base32_is_that_of_the_standard() {
        let vectors = [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ];
        for (seed, text) in vectors {
            assert_eq!(to_base32(seed.as_bytes()), text);
        }
    }
}
