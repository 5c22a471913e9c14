//! JSON text, read token by token.

use crate::{Error, ErrorKind, Result, value::Ref};
use std::borrow::Cow;

/// How deep lists and objects may stand within each other.
const DEEPEST: usize = 128;

/// JSON text, and how far it has been read.
#[derive(Debug)]
pub struct Input<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) depth: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(json: &'a [u8]) -> Result<Self> {
        let text = std::str::from_utf8(json).map_err(|wrong| {
            let why = format!("the JSON is not UTF-8, at byte {}", wrong.valid_up_to());
            Error::new(ErrorKind::Invalid, why)
        })?;
        Ok(Self { text, at: 0, depth: 0 })
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    pub(super) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub(super) fn space(&mut self) {
        // Most text is written without any.
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.skip_space();
        }
    }

    pub(super) fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    pub(super) fn end(&mut self) -> Result<()> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.wrong("expected nothing more")) }
    }

    /// What is wrong, and where; the text itself is not repeated, for it may be secret.
    #[cold]
    pub(super) fn wrong(&self, what: &str) -> Error {
        let before = &self.bytes()[..self.at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        let what = if self.at >= self.text.len() { "it ends too early" } else { what };
        Error::new(ErrorKind::Invalid, format!("the JSON is wrong at line {line} column {column}: {what}"))
    }

    pub(super) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.wrong("lists and objects are nested too deep")) } else { Ok(()) }
    }

    /// After an item: whether another follows, or `close` ends them.
    #[inline]
    pub(super) fn another(&mut self, close: u8) -> Result<bool> {
        // Most text is written without spaces.
        if self.peek() == Some(b',') && self.bytes().get(self.at + 1) == Some(&b'"') {
            self.at += 1;
            return Ok(true);
        }
        self.space();
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                self.space();
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                Ok(false)
            }
            _ => Err(self.wrong("expected a comma or the end of the list or object")),
        }
    }

    /// At the start of a list or object: whether it is empty.
    pub(super) fn empty(&mut self, close: u8) -> bool {
        self.space();
        let empty = self.peek() == Some(close);
        self.at += usize::from(empty);
        empty
    }

    #[inline]
    pub(super) fn colon(&mut self) -> Result<()> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected a colon"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    pub(super) fn key(&mut self) -> Result<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.wrong("expected a name in quotes"));
        }
        self.string()
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn go_back(&mut self, position: usize) {
        self.at = position;
    }

    /// A text without escapes.
    #[inline]
    pub(crate) fn usual_text(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        if self.peek()? != b'"' {
            return None;
        }
        let end = plain_until(self.bytes(), start);
        if *self.bytes().get(end)? != b'"' {
            return None;
        }
        self.at = end + 1;
        Some(&self.text[start..end])
    }

    /// A whole number without a sign that is not too long.
    #[inline]
    pub(crate) fn usual_int(&mut self) -> Option<i64> {
        let digits = &self.bytes()[self.at..];
        let mut number = 0;
        for (n, byte) in digits.iter().enumerate().take(18) {
            match byte {
                b'0'..=b'9' => number = number * 10 + i64::from(byte - b'0'),
                b',' | b'}' | b']' | b' ' | b'\n' if n > 0 && (n == 1 || digits[0] != b'0') => {
                    self.at += n;
                    return Some(number);
                }
                _ => return None,
            }
        }
        None
    }

    #[inline]
    pub(crate) fn usual_bool(&mut self) -> Option<bool> {
        let rest = &self.bytes()[self.at..];
        let value = rest.starts_with(b"true");
        if !value && !rest.starts_with(b"false") {
            return None;
        }
        self.at += if value { 4 } else { 5 };
        Some(value)
    }

    pub(super) fn word(&mut self, word: &str) -> Result<()> {
        let rest = &self.bytes()[self.at..];
        if !rest.starts_with(word.as_bytes()) {
            // A word that was cut off is not a wrong one.
            self.at += if word.as_bytes().starts_with(rest) { rest.len() } else { 0 };
            return Err(self.wrong("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    pub(super) fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// A number: whole if it is written so and fits, else with a fraction.
    pub(super) fn number(&mut self) -> Result<Ref<'static>> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            if self.at < self.text.len() {
                self.at = start;
            }
            return Err(self.wrong("expected a value"));
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            whole = false;
            if self.digits() == 0 {
                return Err(self.wrong("expected a digit"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            whole = false;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.wrong("expected a digit"));
            }
        }
        let text = &self.text[start..self.at];
        if whole && let Ok(number) = text.parse() {
            return Ok(Ref::Int(number));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Ref::Float(number)),
            _ => {
                self.at = start;
                Err(self.wrong("the number is too large"))
            }
        }
    }

    /// A text in quotes.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        let text = self.text;
        let start = self.at + 1;
        self.at = plain_until(self.bytes(), start);
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Ok(Cow::Borrowed(&text[start..self.at - 1]))
            }
            Some(b'\\') => self.escaped(start).map(Cow::Owned),
            _ => Err(self.wrong("a text has a control character in it")),
        }
    }

    /// The rest of a text that has escapes in it.
    pub(super) fn escaped(&mut self, start: usize) -> Result<String> {
        let mut out = String::from(&self.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    let escape = self.next();
                    out.push(match escape {
                        Some(b'"') => '"',
                        Some(b'\\') => '\\',
                        Some(b'/') => '/',
                        Some(b'b') => '\u{8}',
                        Some(b'f') => '\u{c}',
                        Some(b'n') => '\n',
                        Some(b'r') => '\r',
                        Some(b't') => '\t',
                        Some(b'u') => self.unicode()?,
                        _ => return Err(self.wrong("there is no such escape")),
                    });
                }
                _ => {
                    let from = self.at;
                    self.at = plain_until(self.bytes(), from);
                    if self.at == from {
                        return Err(self.wrong("a text has a control character in it"));
                    }
                    out.push_str(&self.text[from..self.at]);
                }
            }
        }
    }

    pub(super) fn unicode(&mut self) -> Result<char> {
        let high = self.hex4()?;
        let code = if (0xD800..0xDC00).contains(&high) {
            if !self.bytes()[self.at..].starts_with(b"\\u") {
                return Err(self.wrong("half of a surrogate pair is missing"));
            }
            self.at += 2;
            let low = self.hex4()?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(self.wrong("half of a surrogate pair is missing"));
            }
            0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        } else {
            high
        };
        char::from_u32(code).ok_or_else(|| self.wrong("half of a surrogate pair is missing"))
    }

    pub(super) fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at = (self.at + 4).min(self.text.len());
        let code = code.ok_or_else(|| self.wrong("expected four hexadecimal digits"))?;
        Ok(code)
    }
}

/// Whether `bytes` begin with `key`. Keys of eight to sixteen bytes, which most are, take two comparisons of words.
#[inline]
pub(super) fn begins_with(bytes: &[u8], key: &[u8]) -> bool {
    let Some(bytes) = bytes.get(..key.len()) else { return false };
    if let (8..=16, Some(a), Some(b), Some(c), Some(d)) = (
        key.len(),
        bytes.first_chunk::<8>(),
        key.first_chunk::<8>(),
        bytes.last_chunk::<8>(),
        key.last_chunk::<8>(),
    ) {
        return a == b && c == d;
    }
    bytes == key
}

/// Where, from `at` on, the first quote, backslash or control character is, or the end. `at` must be in the bytes.
#[inline]
pub(super) fn plain_until(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Eight bytes at a time: a byte that is zero after the comparison borrows into its high bit.
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGH;
    let (words, _) = bytes[at..].as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word);
        let quote = has_zero(word ^ (ONES * b'"' as u64));
        let backslash = has_zero(word ^ (ONES * b'\\' as u64));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGH;
        let special = quote | backslash | control;
        if special != 0 {
            return at + (special.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while bytes.get(at).is_some_and(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_plain_text_is_found_wherever_it_is() {
        for len in 0..40 {
            for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
                for filler in [b'a', 0x20, 0x7F, 0x80, 0xFF, b'!', b'#', b'['] {
                    let mut bytes = vec![filler; len];
                    assert_eq!(plain_until(&bytes, 0), len);
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    assert_eq!(plain_until(&bytes, 0), len, "{special} after {len} of {filler}");
                }
            }
        }
    }
}
