//! IDs: a prefix for the kind of entity, and capital letters and digits.

use nephos_cloud::Tx;
use nephos_core::Text;

/// Characters of an ID after its prefix, and of base32: five bits each.
pub(crate) const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Number of characters of a unique ID after its prefix.
const LENGTH: usize = 17;

/// Creates a unique ID: `AIDA…` for users, `AGPA…` for groups, `AROA…` for roles, `ANPA…` for policies.
pub(crate) fn new_unique_id(cx: &Tx<'_>, prefix: &str) -> Text {
    new_id(cx, prefix, LENGTH)
}

/// Creates an ID with `length` characters after its prefix.
pub(crate) fn new_id(cx: &Tx<'_>, prefix: &str, length: usize) -> Text {
    Text::new(prefix) + &cx.ids().from_alphabet(ALPHABET, length)
}
