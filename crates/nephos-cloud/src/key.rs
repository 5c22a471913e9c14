//! Keys of rows: table, account, Region and identity, encoded so that the byte order of keys is the order of their parts.

use nephos_core::Text;
use nephos_store::{Direction, KeyRange};
use std::fmt;

/// Tag byte before a part of a key that is a number.
const NUMBER: u8 = 1;
/// Tag byte before a part of a key that is a text.
const TEXT: u8 = 2;

/// Terminator of a text. Inside a text, this byte is followed by [`ESCAPED`].
const END: u8 = 0;
/// Byte after an [`END`] that is part of a text.
const ESCAPED: u8 = 0xFF;

/// The key of a row, or a prefix of the keys of several rows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(Vec<u8>);

/// Table of the rows of the cloud itself.
pub(crate) const CLOUD_TABLE: &str = "cloud";

/// One part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A number.
    Number(i64),
    /// A text.
    Text(Text),
}

impl Key {
    /// Prefix of all keys of a table.
    pub fn table(name: &str) -> Self {
        let mut bytes = Vec::with_capacity(96);
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(END);
        Self(bytes)
    }

    /// Key of a row of the cloud itself, which is of no account.
    pub(crate) fn of_cloud(name: &str) -> Self {
        Self::table(CLOUD_TABLE).text(name)
    }

    /// Wraps the bytes of a stored key.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// Appends a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.push_text(text);
        self.0.push(END);
        self
    }

    /// Appends a prefix of a text: the result is a prefix of all keys whose next part starts with `text`.
    #[must_use]
    pub fn text_prefix(mut self, text: &str) -> Self {
        self.push_text(text);
        self
    }

    fn push_text(&mut self, text: &str) {
        self.0.push(TEXT);
        // Most texts are short and have none: one pass without a branch is faster than a search.
        let has_end = text.bytes().fold(false, |found, byte| found | (byte == END));
        if !has_end {
            self.0.extend_from_slice(text.as_bytes());
            return;
        }
        for byte in text.bytes() {
            self.0.push(byte);
            if byte == END {
                self.0.push(ESCAPED);
            }
        }
    }

    /// Appends a number.
    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.0.push(NUMBER);
        // With the sign bit flipped, negative numbers sort before positive ones in byte order.
        let ordered = number as u64 ^ (1 << 63);
        self.0.extend_from_slice(&ordered.to_be_bytes());
        self
    }

    /// Bytes of the key.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Range of all keys with this prefix.
    pub fn prefix_range(&self) -> KeyRange {
        KeyRange::prefix(&self.0)
    }

    /// Range of all keys with this prefix that come after `last`.
    pub fn prefix_range_after(&self, last: &Self) -> KeyRange {
        self.prefix_range().after(&last.0, Direction::Ascending)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match read(&self.0) {
            Some((table, parts)) => write!(f, "{table} {parts:?}"),
            None => write!(f, "{:?}", self.0),
        }
    }
}

/// Decodes the table and the parts of a key; `None` if the bytes are not a key.
pub fn read(key: &[u8]) -> Option<(&str, Vec<Part>)> {
    let end = memchr::memchr(END, key)?;
    let table = std::str::from_utf8(&key[..end]).ok()?;
    let mut rest = Parts(&key[end + 1..]);
    let mut parts = Vec::new();
    while let Some(kind) = rest.0.first() {
        parts.push(match *kind {
            NUMBER => Part::Number(rest.number()?),
            _ => Part::Text(rest.text()?),
        });
    }
    Some((table, parts))
}

/// Decoder of the parts of a key, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'k>(&'k [u8]);

impl<'k> Parts<'k> {
    /// Decodes the parts of `key` after its prefix `prefix`.
    pub fn after(key: &'k [u8], prefix: &Key) -> Self {
        Self(key.get(prefix.0.len()..).unwrap_or_default())
    }

    /// Takes the next part, if it is a text.
    pub fn text(&mut self) -> Option<Text> {
        let bytes = self.0.strip_prefix(&[TEXT])?;
        let end = memchr::memchr(END, bytes)?;
        if bytes.get(end + 1) == Some(&ESCAPED) {
            return self.escaped_text(bytes);
        }
        self.0 = &bytes[end + 1..];
        std::str::from_utf8(&bytes[..end]).ok().map(Text::new)
    }

    fn escaped_text(&mut self, bytes: &'k [u8]) -> Option<Text> {
        let mut text = Vec::new();
        let mut at = 0;
        loop {
            let end = at + memchr::memchr(END, &bytes[at..])?;
            text.extend_from_slice(&bytes[at..end]);
            if bytes.get(end + 1) != Some(&ESCAPED) {
                self.0 = &bytes[end + 1..];
                return std::str::from_utf8(&text).ok().map(Text::new);
            }
            text.push(END);
            at = end + 2;
        }
    }

    /// Takes the next part, if it is a number.
    pub fn number(&mut self) -> Option<i64> {
        let (bytes, rest) = self.0.strip_prefix(&[NUMBER])?.split_first_chunk()?;
        self.0 = rest;
        Some((u64::from_be_bytes(*bytes) ^ (1 << 63)) as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn part() -> impl Strategy<Value = Part> {
        prop_oneof![
            any::<i64>().prop_map(Part::Number),
            "[a-c\u{0}\u{1}\u{ff}é/]{0,4}".prop_map(|text| Part::Text(text.into())),
        ]
    }

    fn key(parts: &[Part]) -> Key {
        parts.iter().fold(Key::table("t"), |key, part| match part {
            Part::Number(number) => key.number(*number),
            Part::Text(text) => key.text(text),
        })
    }

    proptest! {
        #[test]
        fn decoding_a_key_returns_its_parts(parts in proptest::collection::vec(part(), 0..4)) {
            let key = key(&parts);
            prop_assert_eq!(read(key.as_bytes()), Some(("t", parts)));
        }

        #[test]
        fn keys_sort_like_their_texts(a in ".{0,6}", b in ".{0,6}") {
            let (x, y) = (key(&[Part::Text(a.as_str().into())]), key(&[Part::Text(b.as_str().into())]));
            prop_assert_eq!(x.cmp(&y), a.as_bytes().cmp(b.as_bytes()));
        }

        #[test]
        fn keys_sort_like_their_numbers(a: i64, b: i64) {
            prop_assert_eq!(key(&[Part::Number(a)]).cmp(&key(&[Part::Number(b)])), a.cmp(&b));
        }

        #[test]
        fn text_prefix_range_contains_texts_with_the_prefix(a in "[ab\u{0}]{0,4}", b in "[ab\u{0}]{0,4}") {
            let range = Key::table("t").text_prefix(&a).prefix_range();
            prop_assert_eq!(range.contains(Key::table("t").text(&b).as_bytes()), b.starts_with(&a));
        }

        #[test]
        fn decoding_arbitrary_bytes_does_not_panic(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }
}
