//! Keys under which the index stores the choices of a field, and the keys of a value of an event.
//!
//! A key is a hash: it may find choices that do not accept the value, never miss one that does.

use crate::pattern::{
    address::network_of,
    choice::{Choice, TextTest, to_lower},
    event::Scalar,
};
use foldhash::fast::RandomState;
use std::{
    hash::{BuildHasher as _, Hash},
    net::IpAddr,
};

/// Maximum number of bytes of a part between two wildcards that are looked for. Each length that rules have is looked for at each
/// place of a text.
const MAX_PART: usize = 12;

/// Place in the index.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Key {
    Bucket(Probe, u64),
    Range(f64, f64),
    /// The field is missing.
    Absent,
}

/// Way in which the key of a value is computed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Probe {
    /// The field has a value.
    Present,
    Number,
    Literal,
    Text,
    Address,
    LowerText,
    /// The first bytes of a text, as many as given.
    Prefix(u32),
    Suffix(u32),
    LowerPrefix(u32),
    LowerSuffix(u32),
    /// As many bytes of a text as given, anywhere in it.
    Part(u32),
    /// The first bits of an address, as many as given.
    Network4(u8),
    Network6(u8),
}

/// Hash functions of an index.
#[derive(Default)]
pub(super) struct Hashes(RandomState);

impl Hashes {
    pub(super) fn path(&self, path: &str) -> u64 {
        self.0.hash_one(path)
    }

    fn key(&self, path: u64, probe: Probe, content: impl Hash) -> u64 {
        self.0.hash_one((path, probe, content))
    }

    /// Returns the keys under which a choice can be stored; one of them is enough.
    pub(super) fn keys_of(&self, path: u64, choice: &Choice) -> Vec<Key> {
        let bucket = |probe, content: &[u8]| Key::Bucket(probe, self.key(path, probe, content));
        let key = match choice {
            Choice::Null => Key::Bucket(Probe::Literal, self.key(path, Probe::Literal, 2_u8)),
            Choice::Bool(value) => {
                Key::Bucket(Probe::Literal, self.key(path, Probe::Literal, u8::from(*value)))
            }
            Choice::Number(number) => Key::Bucket(Probe::Number, self.key(path, Probe::Number, number)),
            Choice::Address(_, address) => {
                Key::Bucket(Probe::Address, self.key(path, Probe::Address, address))
            }
            Choice::Range(range) => Key::Range(range.low.number, range.high.number),
            Choice::Network(network) => {
                let probe = network_probe(network.first, network.bits);
                Key::Bucket(probe, self.key(path, probe, network_of(network.first, network.bits)))
            }
            Choice::Exists(false) => Key::Absent,
            Choice::Exists(true) | Choice::AnythingBut(_) | Choice::AnythingButNumbers(_) => {
                self.present(path)
            }
            Choice::Text(test) => match test {
                TextTest::Equals(text) => bucket(Probe::Text, text.as_bytes()),
                TextTest::EqualsIgnoreCase(text) => bucket(Probe::LowerText, text.as_bytes()),
                TextTest::Prefix(text) => bucket(Probe::Prefix(length(text)), text.as_bytes()),
                TextTest::Suffix(text) => bucket(Probe::Suffix(length(text)), text.as_bytes()),
                TextTest::PrefixIgnoreCase(text) => bucket(Probe::LowerPrefix(length(text)), text.as_bytes()),
                TextTest::SuffixIgnoreCase(text) => bucket(Probe::LowerSuffix(length(text)), text.as_bytes()),
                TextTest::Wildcard(wildcard) => return self.keys_of_parts(path, &wildcard.parts),
            },
        };
        vec![key]
    }

    pub(super) fn present(&self, path: u64) -> Key {
        Key::Bucket(Probe::Present, self.key(path, Probe::Present, ()))
    }

    fn keys_of_parts(&self, path: u64, parts: &[Box<str>]) -> Vec<Key> {
        let bucket = |probe, content: &[u8]| Key::Bucket(probe, self.key(path, probe, content));
        if let [text] = parts {
            return vec![bucket(Probe::Text, text.as_bytes())];
        }
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return Vec::new() };
        let mut keys = vec![
            bucket(Probe::Prefix(length(first)), first.as_bytes()),
            bucket(Probe::Suffix(length(last)), last.as_bytes()),
        ];
        keys.retain(|key| !matches!(key, Key::Bucket(Probe::Prefix(0) | Probe::Suffix(0), _)));
        let longest = parts[1..parts.len() - 1].iter().max_by_key(|part| part.len());
        if let Some(part) = longest.filter(|part| !part.is_empty()) {
            let part = part.as_bytes();
            let length = part.len().min(MAX_PART);
            for content in [&part[..length], &part[part.len() - length..]] {
                keys.push(bucket(Probe::Part(length as u32), content));
            }
        }
        if keys.is_empty() {
            keys.push(bucket(Probe::Prefix(0), b""));
        }
        keys
    }

    /// Returns the key of the names of several fields.
    pub(super) fn shape<'a>(&self, names: impl Iterator<Item = &'a str>) -> u64 {
        names.fold(0, |key, name| self.chain(key, self.path(name)))
    }

    /// Adds the key of one more field to the key of the fields before it.
    pub(super) fn chain(&self, key: u64, next: u64) -> u64 {
        self.0.hash_one((key, next))
    }

    /// Calls `found` with the keys of the choices that are values and accept this one.
    pub(super) fn keys_of_whole_value(&self, path: u64, value: &Scalar<'_>, mut found: impl FnMut(u64)) {
        for probe in [Probe::Number, Probe::Literal, Probe::Text, Probe::Address] {
            self.keys_of_value(path, probe, value, &mut None, &mut found);
        }
    }

    /// Calls `found` with the keys that a value has for `probe`. `lower` keeps the text in lower case.
    pub(super) fn keys_of_value(
        &self,
        path: u64,
        probe: Probe,
        value: &Scalar<'_>,
        lower: &mut Option<String>,
        mut found: impl FnMut(u64),
    ) {
        match (probe, value) {
            (Probe::Number, Scalar::Number(number)) => found(self.key(path, probe, number)),
            (Probe::Literal, Scalar::Null) => found(self.key(path, probe, 2_u8)),
            (Probe::Literal, Scalar::Bool(value)) => found(self.key(path, probe, u8::from(*value))),
            (Probe::Address, Scalar::Text { address: Some(address), .. }) => {
                found(self.key(path, probe, address))
            }
            (Probe::Network4(bits), Scalar::Text { address: Some(address @ IpAddr::V4(_)), .. })
            | (Probe::Network6(bits), Scalar::Text { address: Some(address @ IpAddr::V6(_)), .. }) => {
                found(self.key(path, probe, network_of(*address, bits)));
            }
            (probe, Scalar::Text { text, .. }) => {
                let text = match probe {
                    Probe::LowerText | Probe::LowerPrefix(_) | Probe::LowerSuffix(_) => {
                        lower.get_or_insert_with(|| to_lower(text)).as_bytes()
                    }
                    _ => text.as_bytes(),
                };
                let content = match probe {
                    Probe::Text | Probe::LowerText => Some(text),
                    Probe::Prefix(length) | Probe::LowerPrefix(length) => text.get(..length as usize),
                    Probe::Suffix(length) | Probe::LowerSuffix(length) => {
                        text.len().checked_sub(length as usize).map(|start| &text[start..])
                    }
                    Probe::Part(length) => {
                        text.windows(length as usize).for_each(|part| found(self.key(path, probe, part)));
                        None
                    }
                    _ => None,
                };
                if let Some(content) = content {
                    found(self.key(path, probe, content));
                }
            }
            _ => {}
        }
    }
}

fn length(text: &str) -> u32 {
    text.len() as u32
}

fn network_probe(address: IpAddr, bits: u8) -> Probe {
    match address {
        IpAddr::V4(_) => Probe::Network4(bits),
        IpAddr::V6(_) => Probe::Network6(bits),
    }
}

impl Probe {
    /// Estimates how much more often than a whole text an event has the key.
    pub(super) fn weight(self) -> usize {
        match self {
            Self::Present
            | Self::Prefix(0)
            | Self::Suffix(0)
            | Self::LowerPrefix(0)
            | Self::LowerSuffix(0) => 8,
            Self::Literal | Self::Part(0..3) => 4,
            Self::Prefix(_)
            | Self::Suffix(_)
            | Self::LowerPrefix(_)
            | Self::LowerSuffix(_)
            | Self::Part(_) => 2,
            Self::Network4(_) | Self::Network6(_) => 2,
            Self::Number | Self::Text | Self::Address | Self::LowerText => 1,
        }
    }
}
