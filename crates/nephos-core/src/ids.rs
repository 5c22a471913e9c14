//! Random IDs and other random bytes.

use crate::Text;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Source of random bytes: the operating system, or a seed.
///
/// ```
/// use nephos_core::Ids;
///
/// assert_eq!(Ids::seeded(7).uuid(), Ids::seeded(7).uuid());
/// assert_ne!(Ids::seeded(7).uuid(), Ids::seeded(8).uuid());
/// assert_eq!(Ids::system().hex(17).len(), 17);
/// ```
#[derive(Clone)]
pub struct Ids(Arc<Source>);

enum Source {
    System(Box<Mutex<Pool>>),
    Seeded(Mutex<Stream>),
    Recorded { from: Ids, recording: Mutex<Recording> },
}

/// Stream of pseudorandom bytes.
struct Stream {
    state: u64,
    /// Number of forks.
    forks: u64,
}

/// Bytes that were returned so far, and the position in them after a rewind.
#[derive(Default)]
struct Recording {
    bytes: Vec<u8>,
    read: usize,
}

/// Buffer of random bytes of the operating system, because each system call is slow.
struct Pool {
    bytes: [u8; Self::SIZE],
    left: usize,
}

impl Pool {
    const SIZE: usize = 512;

    const EMPTY: Self = Self { bytes: [0; Self::SIZE], left: 0 };

    fn fill(&mut self, bytes: &mut [u8]) {
        if bytes.len() > Self::SIZE / 8 {
            return from_system(bytes);
        }
        if self.left < bytes.len() {
            from_system(&mut self.bytes);
            self.left = Self::SIZE;
        }
        let given = &mut self.bytes[self.left - bytes.len()..self.left];
        bytes.copy_from_slice(given);
        // The returned bytes may be a key now.
        given.fill(0);
        self.left -= bytes.len();
    }
}

fn from_system(bytes: &mut [u8]) {
    // There is no safe way to continue without randomness, and every supported system has it.
    getrandom::fill(bytes).expect("the operating system returns random bytes");
}

impl Ids {
    /// Random bytes of the operating system, suitable for keys.
    pub fn system() -> Self {
        Self(Arc::new(Source::System(Box::new(Mutex::new(Pool::EMPTY)))))
    }

    /// Pseudorandom bytes from `seed`: the same every time, not suitable for secrets.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Source::Seeded(Mutex::new(Stream { state: seed, forks: 0 }))))
    }

    /// Pseudorandom bytes from `seed` for the use with this number: those of another number differ. The first use has the bytes of
    /// [`seeded`](Self::seeded).
    pub fn seeded_for(seed: u64, number: u64) -> Self {
        // Forks mix in their number, too, and must not become a later use.
        Self::seeded(if number == 0 { seed } else { mix(!seed, number) })
    }

    /// Records the returned bytes, so that they can be replayed: for code that may run twice and must do the same
    /// both times.
    ///
    /// ```
    /// let ids = nephos_core::Ids::system().recorded();
    /// let first = ids.uuid();
    /// ids.rewind();
    /// assert_eq!(ids.uuid(), first);
    /// assert_ne!(ids.uuid(), first);
    /// ```
    #[must_use]
    pub fn recorded(&self) -> Self {
        Self(Arc::new(Source::Recorded { from: self.clone(), recording: Mutex::default() }))
    }

    /// Returns a source with other bytes, and does not change the bytes of this one. That of a seeded source is seeded, and differs
    /// from its other forks.
    #[must_use]
    pub fn fork(&self) -> Self {
        match &*self.0 {
            Source::System(_) => Self::system(),
            Source::Seeded(stream) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                stream.forks += 1;
                Self::seeded(mix(stream.state, stream.forks))
            }
            Source::Recorded { from, .. } => from.fork(),
        }
    }

    /// True if the bytes come from a seed, so that they may be known or repeated.
    pub fn is_seeded(&self) -> bool {
        match &*self.0 {
            Source::System(_) => false,
            Source::Seeded(_) => true,
            Source::Recorded { from, .. } => from.is_seeded(),
        }
    }

    /// Replays the bytes returned since [`recorded`](Self::recorded); other sources continue.
    pub fn rewind(&self) {
        if let Source::Recorded { recording, .. } = &*self.0 {
            recording.lock().unwrap_or_else(PoisonError::into_inner).read = 0;
        }
    }

    /// Fills `bytes` with random bytes.
    pub fn fill(&self, bytes: &mut [u8]) {
        match &*self.0 {
            Source::System(pool) => pool.lock().unwrap_or_else(PoisonError::into_inner).fill(bytes),
            Source::Seeded(stream) => {
                let mut stream = stream.lock().unwrap_or_else(PoisonError::into_inner);
                for chunk in bytes.chunks_mut(8) {
                    chunk.copy_from_slice(&splitmix64(&mut stream.state).to_le_bytes()[..chunk.len()]);
                }
            }
            Source::Recorded { from, recording } => {
                let mut recording = recording.lock().unwrap_or_else(PoisonError::into_inner);
                let (start, end) = (recording.read, recording.read + bytes.len());
                if end > recording.bytes.len() {
                    let known = recording.bytes.len();
                    recording.bytes.resize(end, 0);
                    from.fill(&mut recording.bytes[known..]);
                }
                bytes.copy_from_slice(&recording.bytes[start..end]);
                recording.read = end;
            }
        }
    }

    /// Returns a number below `limit`, uniformly distributed. `limit` must not be 0.
    pub fn below(&self, limit: u64) -> u64 {
        let fair = fair_limit(limit);
        loop {
            let mut bytes = [0; 8];
            self.fill(&mut bytes);
            let number = u64::from_le_bytes(bytes);
            if number < fair {
                return number % limit;
            }
        }
    }

    /// Returns a version 4 UUID.
    pub fn uuid(&self) -> Text {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        bytes[6] = bytes[6] & 0x0F | 0x40;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        let mut uuid = [b'-'; 36];
        for (n, byte) in bytes.into_iter().enumerate() {
            // A dash stands before these bytes.
            let dashes = [4, 6, 8, 10].iter().filter(|first| n >= **first).count();
            let digits = [byte >> 4, byte & 0xF].map(|digit| HEX[usize::from(digit)]);
            uuid[2 * n + dashes..][..2].copy_from_slice(&digits);
        }
        std::str::from_utf8(&uuid).unwrap_or_default().into()
    }

    /// Returns a text of `digits` lowercase hexadecimal digits.
    pub fn hex(&self, digits: usize) -> Text {
        self.from_alphabet(HEX, digits)
    }

    /// Returns a text of `characters` letters and digits.
    pub fn alphanumeric(&self, characters: usize) -> Text {
        self.from_alphabet(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", characters)
    }

    /// Returns a text of `characters` characters of `alphabet`, uniformly distributed.
    pub fn from_alphabet(&self, alphabet: &[u8], characters: usize) -> Text {
        let limit = alphabet.len() as u64;
        let fair = fair_limit(limit);
        let mut text = Text::default();
        let mut bytes = [0; 64];
        while text.len() < characters {
            let drawn = &mut bytes[..8 * (characters - text.len()).min(8)];
            self.fill(drawn);
            let numbers = drawn.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes));
            let chosen = numbers.filter(|number| *number < fair);
            text.extend(chosen.map(|number| char::from(alphabet[(number % limit) as usize])));
        }
        text
    }
}

/// Returns the limit of random numbers of which the rest of the division by `limit` is uniformly distributed: those above the
/// largest multiple would favour low results.
fn fair_limit(limit: u64) -> u64 {
    u64::MAX - u64::MAX % limit
}

/// Mixes a number into a state, so that streams of different numbers are far apart.
fn mix(state: u64, number: u64) -> u64 {
    let mut mixed = splitmix64(&mut { state }) ^ number.wrapping_mul(0xD134_2543_DE82_EF95);
    splitmix64(&mut mixed)
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match &*self.0 {
            Source::System(_) => "Ids(system)",
            Source::Seeded(_) => "Ids(seeded)",
            Source::Recorded { .. } => "Ids(recorded)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn system_bytes_are_returned_only_once() {
        let (ids, mut seen) = (Ids::system(), BTreeSet::new());
        for length in (8..=64).chain([100, 512, 1000]).cycle().take(600) {
            let mut bytes = vec![0; length];
            ids.fill(&mut bytes);
            for part in bytes.chunks_exact(8) {
                assert!(seen.insert(part.to_vec()), "repeated bytes, at length {length}");
            }
        }
    }

    #[test]
    fn forks_and_later_uses_of_a_seed_have_other_bytes() {
        let mut seen = BTreeSet::new();
        for seed in 0..=100 {
            for number in 0..4 {
                let ids = Ids::seeded_for(seed, number);
                ids.hex(8 * (seed as usize % 5));
                let [fork, other] = [ids.fork(), ids.fork()];
                let inner = fork.fork();
                for source in [&ids, &fork, &other, &inner] {
                    for _ in 0..16 {
                        assert!(seen.insert(source.uuid()), "{seed}, {number}: an ID is repeated");
                    }
                }
            }
            assert_eq!(Ids::seeded_for(seed, 0).uuid(), Ids::seeded(seed).uuid());
        }
    }

    #[test]
    fn uuids_are_version_4_in_lowercase_with_dashes() {
        let uuid = Ids::system().uuid();
        let parts: Vec<_> = uuid.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert!(uuid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{uuid}");
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(matches!(uuid.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{uuid}");
    }
}
