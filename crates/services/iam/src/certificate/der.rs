//! DER, the encoding of certificates and keys, and PEM, the text around it.

use nephos_core::Blob;

/// Tag of an integer.
pub(crate) const INTEGER: u8 = 0x02;
/// Tag of a bit string.
pub(crate) const BIT_STRING: u8 = 0x03;
/// Tag of a byte string.
pub const OCTET_STRING: u8 = 0x04;
/// Tag of a time with two digits of the year.
pub(crate) const UTC_TIME: u8 = 0x17;
/// Tag of a time with four digits of the year.
pub(crate) const GENERALIZED_TIME: u8 = 0x18;
/// Tag of a sequence.
pub const SEQUENCE: u8 = 0x30;

/// Maximum number of bytes of a length.
const MAX_LENGTH_BYTES: usize = 4;

/// A value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value<'d> {
    /// Tag.
    pub tag: u8,
    /// The value without its tag and length.
    pub content: &'d [u8],
    /// The value with its tag and length.
    pub whole: &'d [u8],
}

/// Reads values one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'d>(&'d [u8]);

impl<'d> Reader<'d> {
    /// Creates a reader of the values in these bytes.
    pub fn new(bytes: &'d [u8]) -> Self {
        Self(bytes)
    }

    /// Reads the only value of these bytes, which must be a sequence, and returns a reader of its values.
    pub(crate) fn of_sequence(bytes: &'d [u8]) -> Option<Self> {
        let mut reader = Self(bytes);
        let content = reader.take(SEQUENCE)?.content;
        reader.0.is_empty().then_some(Self(content))
    }

    /// Reads the next value.
    #[expect(
        clippy::should_implement_trait,
        reason = "a copy of a reader reads the same again, unlike an iterator"
    )]
    pub fn next(&mut self) -> Option<Value<'d>> {
        let (&tag, rest) = self.0.split_first()?;
        let (&first, mut rest) = rest.split_first()?;
        let mut length = usize::from(first);
        if first & 0x80 != 0 {
            let count = usize::from(first & 0x7f);
            if count > MAX_LENGTH_BYTES {
                return None;
            }
            let (bytes, behind) = rest.split_at_checked(count)?;
            length = bytes.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
            rest = behind;
        }
        let (content, behind) = rest.split_at_checked(length)?;
        let whole = &self.0[..self.0.len() - behind.len()];
        self.0 = behind;
        Some(Value { tag, content, whole })
    }

    /// Reads the next value, which must have this tag.
    pub(crate) fn take(&mut self, tag: u8) -> Option<Value<'d>> {
        self.next().filter(|value| value.tag == tag)
    }

    /// Skips the next value if it has this tag.
    pub(crate) fn skip(&mut self, tag: u8) {
        let mut behind = *self;
        if behind.take(tag).is_some() {
            *self = behind;
        }
    }
}

/// Encodes a value.
pub fn encode(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    let mut encoded = vec![tag];
    match content.len() {
        short @ 0..0x80 => encoded.push(short as u8),
        _ => {
            encoded.push(0x80 | length.len() as u8);
            encoded.extend(length);
        }
    }
    encoded.extend(content);
    encoded
}

/// A block of PEM.
#[derive(Debug)]
pub struct PemBlock {
    /// Label, such as `CERTIFICATE`.
    pub label: String,
    /// Decoded content.
    pub content: Blob,
}

/// Decodes the blocks of PEM in a text; `None` if it has anything else but white space.
pub fn decode_pem(text: &str) -> Option<Vec<PemBlock>> {
    let mut blocks = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let (label, behind) = rest.strip_prefix("-----BEGIN ")?.split_once("-----")?;
        let (body, behind) = behind.split_once(&format!("-----END {label}-----"))?;
        // The text may be that of a private key: a blob is zeroed when it is dropped.
        let body = Blob(body.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect());
        let content = Blob::from_base64(std::str::from_utf8(&body.0).ok()?)?;
        blocks.push(PemBlock { label: label.to_owned(), content });
        rest = behind.trim_start();
    }
    Some(blocks)
}

/// Encodes a block of PEM.
pub fn encode_pem(label: &str, content: Vec<u8>) -> String {
    let mut text = format!("-----BEGIN {label}-----\n");
    let encoded = Blob(content).to_base64();
    let mut rest = encoded.as_str();
    while !rest.is_empty() {
        let (line, behind) = rest.split_at(rest.len().min(64));
        text.push_str(line);
        text.push('\n');
        rest = behind;
    }
    text + &format!("-----END {label}-----\n")
}
