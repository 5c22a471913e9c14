//! Looking through text for what means something, many bytes at a time.

/// Whether `bytes` begin with `key`. Keys of eight to sixteen bytes, which most are, take two comparisons of words; most
/// others that do not begin so are told by the first.
#[inline]
pub fn begins_with(bytes: &[u8], key: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..key.len()) else { return false };
    let words =
        (bytes.first_chunk::<8>(), key.first_chunk::<8>(), bytes.last_chunk::<8>(), key.last_chunk::<8>());
    match words {
        (Some(a), Some(b), Some(c), Some(d)) => a == b && c == d && (key.len() <= 16 || bytes == key),
        _ => bytes == key,
    }
}

/// Where, from `at` on, the first byte is that is special, or the end. `at` must be in the bytes.
///
/// `is_special` is 1 for a byte that is. `specials` is the same of eight bytes: the high bit of each that is special, and,
/// above the first of them, maybe of others. Zero has to be special.
#[inline(always)]
pub fn plain_until(
    bytes: &[u8],
    mut at: usize,
    is_special: impl Fn(u8) -> u8,
    specials: impl Fn(u64) -> u64,
) -> usize {
    // As many at a time as the machine compares: all of them are looked at, wherever the first is.
    let any = |block: &[u8; 32]| {
        let found = block.map(&is_special);
        let (low, high) = (found.first_chunk::<16>(), found.last_chunk::<16>());
        [low, high].into_iter().flatten().fold(0, |found, half| found | u128::from_le_bytes(*half)) != 0
    };
    let (blocks, rest) = bytes[at..].as_chunks::<32>();
    for block in blocks {
        if any(block) {
            break;
        }
        at += 32;
    }
    // What is left are the last of a block that begins before them.
    if let (Some(last), true) = (bytes.last_chunk(), at + rest.len() == bytes.len() && !blocks.is_empty())
        && !any(last)
    {
        return bytes.len();
    }
    for word in bytes[at..].as_chunks::<8>().0 {
        let special = specials(u64::from_le_bytes(*word));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    // Fewer than eight are left: they are the last of a word that begins before them. The zeros that are shifted in after
    // them end them.
    if let (Some(word), true) = (bytes.last_chunk(), at < bytes.len()) {
        let left = u64::from_le_bytes(*word) >> (8 * (8 - (bytes.len() - at)));
        return at + (specials(left).trailing_zeros() / 8) as usize;
    }
    while bytes.get(at).is_some_and(|&byte| is_special(byte) == 0) {
        at += 1;
    }
    at
}
