//! IDs: a prefix for the kind of entity, and capital letters and digits.

use nephos_cloud::Tx;
use nephos_core::Text;

/// Characters of an ID after its prefix: five bits each.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Number of characters of a unique ID after its prefix.
const LENGTH: usize = 17;

/// Creates a unique ID: `AIDA…` for users, `AGPA…` for groups, `AROA…` for roles, `ANPA…` for policies.
pub(crate) fn new_unique_id(cx: &Tx<'_>, prefix: &str) -> Text {
    Text::new(prefix) + &cx.ids().from_alphabet(ALPHABET, LENGTH)
}
