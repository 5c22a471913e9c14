//! Randomness: where ids and other random material come from.

use crate::Text;
use std::{
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

const HEX: &[u8; 16] = b"0123456789abcdef";

/// Where random material comes from: the system, or a seed from which it follows.
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
    Seeded(Mutex<u64>),
    Taped { from: Ids, tape: Mutex<Tape> },
}

/// Material that was given out, and how far it was read this time.
#[derive(Default)]
struct Tape {
    bytes: Vec<u8>,
    read: usize,
}

/// Material of the operating system that was asked for at once, because asking takes long.
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
        // What was given out may have become a key.
        given.fill(0);
        self.left -= bytes.len();
    }
}

fn from_system(bytes: &mut [u8]) {
    // There is no way to go on safely without randomness, and no system in use that lacks it.
    getrandom::fill(bytes).expect("the operating system gives random bytes");
}

impl Ids {
    /// Material of the operating system, fit for keys.
    pub fn system() -> Self {
        Self(Arc::new(Source::System(Box::new(Mutex::new(Pool::EMPTY)))))
    }

    /// Material that follows from `seed`: the same every time, and fit for nothing secret.
    pub fn seeded(seed: u64) -> Self {
        Self(Arc::new(Source::Seeded(Mutex::new(seed))))
    }

    /// The same material, kept as it is given out, so that it can be given out again: for code that may be run twice
    /// and has to do the same both times.
    ///
    /// ```
    /// let ids = nephos_core::Ids::system().taped();
    /// let first = ids.uuid();
    /// ids.rewind();
    /// assert_eq!(ids.uuid(), first);
    /// assert_ne!(ids.uuid(), first);
    /// ```
    #[must_use]
    pub fn taped(&self) -> Self {
        Self(Arc::new(Source::Taped { from: self.clone(), tape: Mutex::default() }))
    }

    /// A source that goes on as this one would, and leaves this one as it is.
    #[must_use]
    pub fn fork(&self) -> Self {
        match &*self.0 {
            Source::System(_) => Self::system(),
            Source::Seeded(state) => Self::seeded(*state.lock().unwrap_or_else(PoisonError::into_inner)),
            Source::Taped { from, .. } => from.fork(),
        }
    }

    /// Begins again with what was given out since [`taped`](Self::taped); other sources go on.
    pub fn rewind(&self) {
        if let Source::Taped { tape, .. } = &*self.0 {
            tape.lock().unwrap_or_else(PoisonError::into_inner).read = 0;
        }
    }

    /// Fills `bytes`.
    pub fn fill(&self, bytes: &mut [u8]) {
        match &*self.0 {
            Source::System(pool) => pool.lock().unwrap_or_else(PoisonError::into_inner).fill(bytes),
            Source::Seeded(state) => {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                for chunk in bytes.chunks_mut(8) {
                    chunk.copy_from_slice(&splitmix64(&mut state).to_le_bytes()[..chunk.len()]);
                }
            }
            Source::Taped { from, tape } => {
                let mut tape = tape.lock().unwrap_or_else(PoisonError::into_inner);
                let (start, end) = (tape.read, tape.read + bytes.len());
                if end > tape.bytes.len() {
                    let known = tape.bytes.len();
                    tape.bytes.resize(end, 0);
                    from.fill(&mut tape.bytes[known..]);
                }
                bytes.copy_from_slice(&tape.bytes[start..end]);
                tape.read = end;
            }
        }
    }

    /// A number below `limit`, each as likely as the others. `limit` must not be 0.
    pub fn below(&self, limit: u64) -> u64 {
        // Numbers above the largest multiple of the limit would make the low ones likelier.
        let fair = u64::MAX - u64::MAX % limit;
        loop {
            let mut bytes = [0; 8];
            self.fill(&mut bytes);
            let number = u64::from_le_bytes(bytes);
            if number < fair {
                return number % limit;
            }
        }
    }

    /// A version 4 UUID.
    pub fn uuid(&self) -> Text {
        let mut bytes = [0; 16];
        self.fill(&mut bytes);
        bytes[6] = bytes[6] & 0x0F | 0x40;
        bytes[8] = bytes[8] & 0x3F | 0x80;
        let mut uuid = String::with_capacity(36);
        for (n, byte) in bytes.into_iter().enumerate() {
            if matches!(n, 4 | 6 | 8 | 10) {
                uuid.push('-');
            }
            uuid.extend([byte >> 4, byte & 0xF].map(|digit| HEX[usize::from(digit)] as char));
        }
        uuid.into()
    }

    /// So many lowercase hexadecimal digits.
    pub fn hex(&self, digits: usize) -> Text {
        self.from(HEX, digits)
    }

    /// So many letters and digits.
    pub fn alphanumeric(&self, characters: usize) -> Text {
        self.from(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", characters)
    }

    /// So many characters of `alphabet`, each as likely as the others.
    pub fn from(&self, alphabet: &[u8], characters: usize) -> Text {
        let one = |_| alphabet[self.below(alphabet.len() as u64) as usize] as char;
        (0..characters).map(one).collect()
    }
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
            Source::Taped { .. } => "Ids(taped)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn material_of_the_system_is_given_out_once() {
        let (ids, mut seen) = (Ids::system(), BTreeSet::new());
        for length in (8..=64).chain([100, 512, 1000]).cycle().take(600) {
            let mut bytes = vec![0; length];
            ids.fill(&mut bytes);
            for part in bytes.chunks_exact(8) {
                assert!(seen.insert(part.to_vec()), "the same came again, in {length} bytes");
            }
        }
    }

    #[test]
    fn a_uuid_is_written_as_others_write_it() {
        let uuid = Ids::system().uuid();
        let parts: Vec<_> = uuid.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert!(uuid.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-')), "{uuid}");
        assert_eq!(uuid.as_bytes()[14], b'4');
        assert!(matches!(uuid.as_bytes()[19], b'8' | b'9' | b'a' | b'b'), "{uuid}");
    }
}
