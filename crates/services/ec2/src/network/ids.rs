//! IDs: a prefix for the kind, and 17 hexadecimal digits.

use nephos_cloud::{Scope, Tx};
use nephos_core::{Error, Result, Text, hex};
use sha2::{Digest, Sha256};

/// Number of digits after the prefix.
const DIGITS: usize = 17;

/// Number of digits of IDs in the old format.
const OLD_DIGITS: usize = 8;

/// Generates a new ID.
pub(crate) fn new(cx: &Tx<'_>, prefix: &str) -> Text {
    [prefix, "-0", &cx.ids().hex(DIGITS - 1)].concat().into()
}

/// Returns the ID of a default resource, which every account has in every Region. It is derived from both, so that no row is
/// needed.
pub fn default_id(scope: &Scope, prefix: &str, which: &str) -> Text {
    let mut hash = Sha256::new();
    for part in [scope.account(), scope.region(), prefix, which] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    [prefix, "-0", &hex::encode(&hash.finalize()[..DIGITS / 2])].concat().into()
}

/// Refuses a malformed ID with the error that `malformed` returns for it.
pub fn check<'i>(id: &'i str, prefix: &str, malformed: impl FnOnce(&'i str) -> Error) -> Result<()> {
    let digits = id.strip_prefix(prefix).and_then(|rest| rest.strip_prefix('-')).unwrap_or_default();
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if matches!(digits.len(), OLD_DIGITS | DIGITS) && digits.bytes().all(is_digit) {
        return Ok(());
    }
    Err(malformed(id))
}
