//! The digest of a blob.

use sha2::{Digest as _, Sha256};
use std::fmt;

/// Algorithm before the digits.
const PREFIX: &str = "sha256:";

/// SHA-256 digest of a blob, which is its name: `sha256:` and 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobDigest([u8; 32]);

impl BlobDigest {
    /// Computes the digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    pub(super) fn finish(hash: Sha256) -> Self {
        Self(hash.finalize().into())
    }

    /// Reads a digest; `None` for other algorithms and other digits than the lowercase ones.
    pub fn parse(text: &str) -> Option<Self> {
        Self::from_digits(text.strip_prefix(PREFIX)?)
    }

    /// Reads the digits of a digest.
    pub(super) fn from_digits(digits: &str) -> Option<Self> {
        let value = |digit: u8| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        };
        if digits.len() != 64 {
            return None;
        }
        let mut bytes = [0; 32];
        for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Some(Self(bytes))
    }

    /// The digits, without the algorithm.
    pub(super) fn digits(&self) -> String {
        self.to_string().split_off(PREFIX.len())
    }
}

impl fmt::Display for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_read_and_written() {
        let text = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(BlobDigest::of(b"abc").to_string(), text);
        assert_eq!(BlobDigest::parse(text), Some(BlobDigest::of(b"abc")));
        for wrong in [&text[..70], &text.to_uppercase(), &text[7..], "sha512:00", "", &format!("{text}0")] {
            assert_eq!(BlobDigest::parse(wrong), None, "{wrong}");
        }
    }
}
