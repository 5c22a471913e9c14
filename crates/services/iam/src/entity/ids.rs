//! IDs: a prefix for the kind of entity, and capital letters and digits.

use nephos_cloud::Tx;
use nephos_core::Text;

/// Characters of an ID after its prefix, and of base32: five bits each.
pub const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

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

/// Returns the unique ID of a policy of the provider, which its name determines.
pub(crate) fn id_of_name(prefix: &str, name: &str) -> Text {
    // FNV-1a with 128 bits.
    const OFFSET: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let hash = name.bytes().fold(OFFSET, |hash, byte| (hash ^ u128::from(byte)).wrapping_mul(PRIME));
    let digit = |n: usize| char::from(ALPHABET[(hash >> (5 * n)) as usize % ALPHABET.len()]);
    Text::new(prefix) + &(0..LENGTH).map(digit).collect::<String>()
}
