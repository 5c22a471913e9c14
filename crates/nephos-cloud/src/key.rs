//! Keys of rows: table, account, Region, identity, in an encoding whose byte order is the order of the parts.

use nephos_core::Text;
use nephos_store::{Direction, KeyRange};
use std::fmt;

/// What stands before each part of a key.
const NUMBER: u8 = 1;
const TEXT: u8 = 2;

/// What stands after a text; a text that holds the byte itself has it followed by [`ESCAPED`].
const END: u8 = 0;
const ESCAPED: u8 = 0xFF;

/// The key of a row, or the beginning of the keys of several.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key(Vec<u8>);

/// One part of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A number.
    Number(i64),
    /// A text.
    Text(Text),
}

impl Key {
    /// The beginning of the keys of a table.
    pub fn table(name: &str) -> Self {
        let mut bytes = Vec::with_capacity(96);
        bytes.extend_from_slice(name.as_bytes());
        bytes.push(END);
        Self(bytes)
    }

    /// A key that was read from a row.
    pub(crate) fn from_bytes(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The key with a text after it.
    #[must_use]
    pub fn text(mut self, text: &str) -> Self {
        self.push_text(text);
        self.0.push(END);
        self
    }

    /// The beginning of the keys whose next part begins with `text`.
    #[must_use]
    pub fn text_prefix(mut self, text: &str) -> Self {
        self.push_text(text);
        self
    }

    fn push_text(&mut self, text: &str) {
        self.0.push(TEXT);
        if memchr::memchr(END, text.as_bytes()).is_none() {
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

    /// The key with a number after it.
    #[must_use]
    pub fn number(mut self, number: i64) -> Self {
        self.0.push(NUMBER);
        // With the sign turned, negative numbers come before the others in byte order.
        let ordered = number as u64 ^ (1 << 63);
        self.0.extend_from_slice(&ordered.to_be_bytes());
        self
    }

    /// The bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// All keys that begin so.
    pub fn prefix_range(&self) -> KeyRange {
        KeyRange::prefix(&self.0)
    }

    /// The keys that begin so and come after `last`.
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

/// The table and the parts of a key; `None` if it is none.
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

/// The parts of a key, to be taken one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'k>(&'k [u8]);

impl<'k> Parts<'k> {
    /// The parts of `key` after those of `beginning`, which it begins with.
    pub fn after(key: &'k [u8], beginning: &Key) -> Self {
        Self(key.get(beginning.0.len()..).unwrap_or_default())
    }

    /// The next part, if it is a text.
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

    /// The next part, if it is a number.
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
        fn a_key_can_be_read_back(parts in proptest::collection::vec(part(), 0..4)) {
            let key = key(&parts);
            prop_assert_eq!(read(key.as_bytes()), Some(("t", parts)));
        }

        #[test]
        fn texts_keep_their_order(a in ".{0,6}", b in ".{0,6}") {
            let (x, y) = (key(&[Part::Text(a.as_str().into())]), key(&[Part::Text(b.as_str().into())]));
            prop_assert_eq!(x.cmp(&y), a.as_bytes().cmp(b.as_bytes()));
        }

        #[test]
        fn numbers_keep_their_order(a: i64, b: i64) {
            prop_assert_eq!(key(&[Part::Number(a)]).cmp(&key(&[Part::Number(b)])), a.cmp(&b));
        }

        #[test]
        fn a_prefix_covers_the_texts_that_begin_so(a in "[ab\u{0}]{0,4}", b in "[ab\u{0}]{0,4}") {
            let within = Key::table("t").text_prefix(&a).prefix_range();
            prop_assert_eq!(within.contains(Key::table("t").text(&b).as_bytes()), b.starts_with(&a));
        }

        #[test]
        fn what_is_no_key_is_told(bytes: Vec<u8>) {
            let _ = read(&bytes);
        }
    }
}
