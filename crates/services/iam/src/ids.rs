//! IDs: a prefix for the kind of entity, and capital letters and digits.

use nephos_cloud::Tx;
use nephos_core::Text;

/// Characters of an ID after its prefix: five bits each.
const ALPHABET: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// Number of characters of a unique ID after its prefix.
const LENGTH: usize = 17;

/// Prefix of the IDs of access keys.
const ACCESS_KEY: &str = "AKIA";

/// Number of characters of the ID of an access key after its prefix.
const ACCESS_KEY_LENGTH: u32 = 16;

/// Number of random bits of the ID of an access key. The account is above them, and one bit above the account.
const RANDOM_BITS: u32 = 39;

/// Creates a unique ID: `AIDA…` for users, `AGPA…` for groups, `AROA…` for roles, `ANPA…` for policies.
pub(crate) fn new_unique_id(cx: &Tx<'_>, prefix: &str) -> Text {
    Text::new(prefix) + &cx.ids().from_alphabet(ALPHABET, LENGTH)
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

/// Creates the ID of an access key, which contains the account.
pub(crate) fn new_access_key_id(cx: &Tx<'_>) -> Text {
    let account: u128 = cx.scope().account().parse().unwrap_or_default();
    let random = u128::from(cx.ids().below(1 << RANDOM_BITS));
    let bits = (1 << 79) | (account << RANDOM_BITS) | random;
    let digit = |n: u32| char::from(ALPHABET[(bits >> (5 * n)) as usize % ALPHABET.len()]);
    Text::new(ACCESS_KEY) + &(0..ACCESS_KEY_LENGTH).rev().map(digit).collect::<String>()
}

/// Returns the account that the ID of an access key contains; `None` if it is not such an ID.
pub fn account_of_access_key(id: &str) -> Option<Text> {
    let digits = id.strip_prefix(ACCESS_KEY).filter(|digits| digits.len() == ACCESS_KEY_LENGTH as usize)?;
    let mut bits: u128 = 0;
    for digit in digits.bytes() {
        bits = bits << 5 | ALPHABET.iter().position(|known| *known == digit)? as u128;
    }
    let account = (bits & !(1 << 79)) >> RANDOM_BITS;
    (account < 1_000_000_000_000).then(|| format!("{account:012}").into())
}
