//! MD5 (RFC 1321), for fingerprints of SSH public keys. It proves nothing: two keys can be made with the same fingerprint.

/// Numbers of bits that each round shifts by.
const SHIFTS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Number of bytes of a block.
const BLOCK: usize = 64;

/// Returns the digest of bytes.
pub fn digest(bytes: &[u8]) -> [u8; 16] {
    let mut padded = bytes.to_vec();
    padded.push(0x80);
    padded.resize((padded.len() + 8).next_multiple_of(BLOCK) - 8, 0);
    padded.extend((bytes.len() as u64).wrapping_mul(8).to_le_bytes());
    let mut state = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476];
    padded.chunks_exact(BLOCK).for_each(|block| add_block(&mut state, block));
    let mut digest = [0; 16];
    for (bytes, word) in digest.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

fn add_block(state: &mut [u32; 4], block: &[u8]) {
    let mut words = [0; 16];
    for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
        *word = u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    }
    let [mut a, mut b, mut c, mut d] = *state;
    for (n, shift) in (0..64).map(|n| (n, SHIFTS[n / 16][n % 4])) {
        let (mixed, word) = match n / 16 {
            0 => (b & c | !b & d, n),
            1 => (d & b | !d & c, 5 * n + 1),
            2 => (b ^ c ^ d, 3 * n + 5),
            _ => (c ^ (b | !d), 7 * n),
        };
        let sum = a.wrapping_add(mixed).wrapping_add(constant(n)).wrapping_add(words[word % 16]);
        (a, d, c) = (d, c, b);
        b = b.wrapping_add(sum.rotate_left(shift));
    }
    for (sum, value) in state.iter_mut().zip([a, b, c, d]) {
        *sum = sum.wrapping_add(value);
    }
}

/// Returns the constant of a step: the first bits of a sine.
fn constant(n: usize) -> u32 {
    (((n + 1) as f64).sin().abs() * 4_294_967_296.0) as u32
}
