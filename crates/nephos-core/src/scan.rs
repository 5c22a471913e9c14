//! Scans text for special bytes, many at a time.

/// True if `bytes` begin with `key`. Keys of eight to sixteen bytes, as most are, take two comparisons of words;
/// most other keys differ in the first.
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

/// Returns the position of the first special byte from `at` on, or the end. `at` must be in the bytes.
///
/// `is_special` is 1 for a special byte. `specials` does the same for eight bytes: it sets the high bit of each
/// special one; bits above the lowest one may be wrong. Zero has to be special.
#[inline(always)]
pub fn plain_until(
    bytes: &[u8],
    mut at: usize,
    is_special: impl Fn(u8) -> u8,
    specials: impl Fn(u64) -> u64,
) -> usize {
    // In documents, the next special byte is often near.
    if let Some(word) = bytes[at..].first_chunk() {
        let special = specials(u64::from_le_bytes(*word));
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    // A block is as long as the machine's vectors: all its bytes are compared at once.
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
    // The rest is the end of a block that begins before it.
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
    // Fewer than eight bytes are left: they are the end of a word that begins before them. The zeros shifted in
    // after them end the search.
    if let (Some(word), true) = (bytes.last_chunk(), at < bytes.len()) {
        let left = u64::from_le_bytes(*word) >> (8 * (8 - (bytes.len() - at)));
        return at + (specials(left).trailing_zeros() / 8) as usize;
    }
    while bytes.get(at).is_some_and(|&byte| is_special(byte) == 0) {
        at += 1;
    }
    at
}
