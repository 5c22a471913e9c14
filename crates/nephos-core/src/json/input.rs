//! A reader of JSON tokens.

use crate::{Error, ErrorKind, Result, value::Ref};
use std::borrow::Cow;

/// Maximum depth of nested lists and objects.
const MAX_DEPTH: usize = 128;

/// JSON text and a position in it.
#[derive(Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    /// The bytes as text, once needed: much JSON has only numbers and known names, and is not checked to be
    /// UTF-8.
    text: &'a str,
    pub(super) at: usize,
    depth: usize,
}

impl<'a> Input<'a> {
    pub(super) fn new(json: &'a [u8]) -> Self {
        Self { bytes: json, text: "", at: 0, depth: 0 }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Returns the whole input as text, if it is UTF-8.
    #[inline]
    pub(super) fn text(&mut self) -> Result<&'a str> {
        if self.text.len() == self.bytes.len() { Ok(self.text) } else { self.check_text() }
    }

    #[inline(never)]
    fn check_text(&mut self) -> Result<&'a str> {
        self.text = std::str::from_utf8(self.bytes).map_err(|error| {
            let message = format!("the JSON is not UTF-8, at byte {}", error.valid_up_to());
            Error::new(ErrorKind::Invalid, message)
        })?;
        Ok(self.text)
    }

    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    pub(crate) fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    pub(super) fn space(&mut self) {
        // Most JSON has no spaces.
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
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.error("expected nothing more")) }
    }

    /// Error at the current position. The text itself is not repeated, because it may be secret.
    #[cold]
    pub(super) fn error(&self, message: &str) -> Error {
        let before = &self.bytes()[..self.at.min(self.bytes.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        let message = if self.at >= self.bytes.len() { "unexpected end of the text" } else { message };
        Error::new(ErrorKind::Invalid, format!("invalid JSON at line {line} column {column}: {message}"))
    }

    pub(crate) fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH { Err(self.error("lists and objects are nested too deep")) } else { Ok(()) }
    }

    /// Enters a list or object if `open` is next, and returns true.
    #[inline]
    pub(crate) fn try_enter(&mut self, open: u8) -> Result<bool> {
        let opens = self.peek() == Some(open);
        if opens {
            self.at += 1;
            self.enter()?;
        }
        Ok(opens)
    }

    pub(crate) fn leave(&mut self) {
        self.depth -= 1;
    }

    /// True if another item follows; false if `close` ends the list or object.
    #[inline]
    pub(crate) fn has_next(&mut self, close: u8) -> Result<bool> {
        // Most JSON has no spaces.
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
            _ => Err(self.error("expected a comma or the end of the list or object")),
        }
    }

    /// True if the list or object is empty; skips `close` then.
    pub(crate) fn skip_if_empty(&mut self, close: u8) -> bool {
        self.space();
        let empty = self.peek() == Some(close);
        self.at += usize::from(empty);
        empty
    }

    #[inline]
    pub(crate) fn colon(&mut self) -> Result<()> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.error("expected a colon"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    pub(crate) fn key(&mut self) -> Result<Cow<'a, str>> {
        if self.peek() != Some(b'"') {
            return Err(self.error("expected a name in quotes"));
        }
        self.string()
    }

    /// True if `key` is at position `at`.
    #[inline(always)]
    pub(super) fn has<const N: usize>(&self, at: usize, key: &[u8; N]) -> bool {
        self.bytes().get(at..).and_then(<[u8]>::first_chunk) == Some(key)
    }

    /// Position after the comma at the current position; the end of the text if there is none.
    #[inline]
    pub(super) fn after_comma(&self) -> usize {
        if self.peek() == Some(b',') { self.at + 1 } else { self.bytes.len() }
    }

    pub(crate) fn position(&self) -> usize {
        self.at
    }

    pub(crate) fn go_back(&mut self, position: usize) {
        self.at = position;
    }

    /// Reads a text without escapes.
    #[inline(never)]
    pub(crate) fn fast_text(&mut self) -> Option<&'a str> {
        self.fast_text_inline()
    }

    /// Inlined form of `fast_text`.
    #[inline(always)]
    pub(crate) fn fast_text_inline(&mut self) -> Option<&'a str> {
        let start = self.at + 1;
        if self.peek()? != b'"' {
            return None;
        }
        let end = plain_until(self.bytes(), start);
        if *self.bytes().get(end)? != b'"' {
            return None;
        }
        let text = self.text().ok()?;
        self.at = end + 1;
        Some(&text[start..end])
    }

    /// Reads a name without escapes and the colon after it.
    #[inline]
    pub(crate) fn fast_key(&mut self) -> Option<&'a str> {
        let start = self.at;
        let key = self.fast_text();
        if key.is_some() && self.peek() == Some(b':') {
            self.at += 1;
            self.space();
            return key;
        }
        self.at = start;
        None
    }

    /// Reads a whole number without a sign, of at most 18 digits.
    #[inline]
    pub(crate) fn fast_int(&mut self) -> Option<i64> {
        let rest = &self.bytes()[self.at..];
        let (number, digits) = digits_of(rest, 0);
        // The caller rejects a wrong character after the number.
        if !(1..=18).contains(&digits)
            || (rest[0] == b'0' && digits > 1)
            || has_fraction_or_exponent(rest, digits)
        {
            return None;
        }
        self.at += digits;
        Some(number as i64)
    }

    /// Reads a number without a sign, of at most 15 digits. Both operands of the division are exact, so the
    /// result is correctly rounded.
    #[inline]
    pub(crate) fn fast_float(&mut self) -> Option<f64> {
        const POWERS: [f64; 16] =
            [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];
        let rest = &self.bytes()[self.at..];
        let (mut number, whole) = digits_of(rest, 0);
        let (mut end, mut fraction) = (whole, 0);
        if whole > 0 && rest.get(whole) == Some(&b'.') {
            (number, fraction) = digits_of(&rest[whole + 1..], number);
            end += 1 + fraction;
        }
        let digits = whole + fraction;
        if whole == 0
            || digits > 15
            || end == whole + 1
            || (rest[0] == b'0' && whole > 1)
            || has_fraction_or_exponent(rest, end)
        {
            return None;
        }
        self.at += end;
        Some(number as f64 / POWERS[fraction])
    }

    #[inline]
    pub(crate) fn fast_bool(&mut self) -> Option<bool> {
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
            // A truncated word is reported as the end of the text.
            self.at += if word.as_bytes().starts_with(rest) { rest.len() } else { 0 };
            return Err(self.error("expected a value"));
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

    /// Reads a number: an integer if it has no fraction or exponent and fits, else a float.
    pub(super) fn number(&mut self) -> Result<Ref<'static>> {
        let start = self.at;
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            if self.at < self.bytes.len() {
                self.at = start;
            }
            return Err(self.error("expected a value"));
        }
        let mut whole = true;
        if self.peek() == Some(b'.') {
            self.at += 1;
            whole = false;
            if self.digits() == 0 {
                return Err(self.error("expected a digit"));
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            whole = false;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            if self.digits() == 0 {
                return Err(self.error("expected a digit"));
            }
        }
        let text = &self.text()?[start..self.at];
        if whole && let Ok(number) = text.parse() {
            return Ok(Ref::Int(number));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Ref::Float(number)),
            _ => {
                self.at = start;
                Err(self.error("the number is too large"))
            }
        }
    }

    /// Reads a text in quotes.
    pub(super) fn string(&mut self) -> Result<Cow<'a, str>> {
        let text = self.text()?;
        let start = self.at + 1;
        self.at = plain_until(self.bytes(), start);
        match self.peek() {
            Some(b'"') => {
                self.at += 1;
                Ok(Cow::Borrowed(&text[start..self.at - 1]))
            }
            Some(b'\\') => self.escaped(start).map(Cow::Owned),
            _ => Err(self.error("a text has a control character in it")),
        }
    }

    /// Reads the rest of a text with escapes.
    pub(super) fn escaped(&mut self, start: usize) -> Result<String> {
        let text = self.text()?;
        let mut out = String::from(&text[start..self.at]);
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
                        _ => return Err(self.error("unknown escape")),
                    });
                }
                _ => {
                    let from = self.at;
                    self.at = plain_until(self.bytes(), from);
                    if self.at == from {
                        return Err(self.error("a text has a control character in it"));
                    }
                    out.push_str(&text[from..self.at]);
                }
            }
        }
    }

    pub(super) fn unicode(&mut self) -> Result<char> {
        let high = self.hex4()?;
        let code = if (0xD800..0xDC00).contains(&high) {
            if !self.bytes()[self.at..].starts_with(b"\\u") {
                return Err(self.error("half of a surrogate pair is missing"));
            }
            self.at += 2;
            let low = self.hex4()?;
            if !(0xDC00..0xE000).contains(&low) {
                return Err(self.error("half of a surrogate pair is missing"));
            }
            0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00)
        } else {
            high
        };
        char::from_u32(code).ok_or_else(|| self.error("half of a surrogate pair is missing"))
    }

    pub(super) fn hex4(&mut self) -> Result<u32> {
        let digits = self.text()?.get(self.at..self.at + 4);
        let digits = digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at = (self.at + 4).min(self.bytes.len());
        let code = code.ok_or_else(|| self.error("expected four hexadecimal digits"))?;
        Ok(code)
    }
}

/// Appends the decimal digits at the start of `bytes` to `number`, which may overflow. Returns it and the number
/// of digits.
#[inline]
fn digits_of(bytes: &[u8], mut number: u64) -> (u64, usize) {
    let mut at = 0;
    for word in bytes.as_chunks().0 {
        let Some(eight) = eight_digits(*word) else { break };
        number = number.wrapping_mul(100_000_000).wrapping_add(eight);
        at += 8;
    }
    for byte in &bytes[at..] {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            break;
        }
        number = number.wrapping_mul(10).wrapping_add(u64::from(digit));
        at += 1;
    }
    (number, at)
}

/// Returns the number of eight decimal digits; `None` if a byte is no digit.
#[inline]
fn eight_digits(bytes: [u8; 8]) -> Option<u64> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let digits = u64::from_le_bytes(bytes) ^ (ONES * b'0' as u64);
    // The addition carries into the high bit of each byte above nine.
    let wrong = digits.wrapping_add(ONES * 0x76) | digits;
    if wrong & (ONES * 0x80) != 0 {
        return None;
    }
    // The first digit is the lowest byte. Digits are joined to pairs, pairs to fours, fours to eight.
    let pairs = (digits.wrapping_mul(10).wrapping_add(digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs.wrapping_mul(100).wrapping_add(pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some((fours & 0xFFFF_FFFF) * 10_000 + (fours >> 32))
}

/// True if a fraction or an exponent begins at `at`.
#[inline]
fn has_fraction_or_exponent(bytes: &[u8], at: usize) -> bool {
    matches!(bytes.get(at), Some(b'.' | b'e' | b'E'))
}

/// Returns the position of the first quote, backslash or control character from `at` on, or the end. `at` must be
/// in the bytes.
#[inline(always)]
pub(super) fn plain_until(bytes: &[u8], at: usize) -> usize {
    let is_special = |byte: u8| u8::from(byte < 0x20) | u8::from(byte == b'"') | u8::from(byte == b'\\');
    crate::scan::plain_until(bytes, at, is_special, specials)
}

/// Returns the high bit of each byte that is a quote, a backslash or a control character. Bits above the lowest
/// one may be wrong.
#[inline(always)]
fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte that is smaller than the subtrahend borrows into its high bit. With its second bit flipped, a quote
    // comes right after the control characters, and no other byte gets below it.
    let low = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    (low | backslash) & !word & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_digits_at_once_make_the_same_number_as_one_by_one() {
        let one_by_one = |digits: &str| {
            digits.bytes().fold(7_u64, |n, digit| n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')))
        };
        let digits = "9081726354463728190012345678";
        for from in 0..digits.len() {
            for to in from..=digits.len() {
                let digits = &digits[from..to];
                for end in ["", ",", ".5", "/", ":", "\u{80}", "}        "] {
                    let text = [digits, end].concat();
                    assert_eq!(digits_of(text.as_bytes(), 7), (one_by_one(digits), digits.len()), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn invalid_utf_8_is_rejected_where_text_is_needed() {
        for wrong in
            [&b"{\"a\":\"\xFF\"}"[..], b"{\"\xFF\":1}", b"{\"a\":\"\\n\xFF\"}", b"[1,\"a\",\"\xC3\"]"]
        {
            let error = super::super::parse(wrong).unwrap_err();
            assert!(error.message().starts_with("the JSON is not UTF-8, at byte "), "{error}");
        }
        for wrong in [&b"\xFF"[..], b"{}\xFF", b"[1\xFF]"] {
            super::super::parse(wrong).unwrap_err();
        }
    }

    #[test]
    fn end_of_plain_text_is_found_at_every_position() {
        for len in 0..100 {
            for special in [b'"', b'\\', 0, 0x1F, b'\n'] {
                for filler in [b'a', 0x20, 0x7F, 0x80, 0xFF, b'!', b'#', b'['] {
                    let mut bytes = vec![filler; len];
                    assert_eq!(plain_until(&bytes, 0), len);
                    bytes.push(special);
                    bytes.extend([filler; 9]);
                    assert_eq!(plain_until(&bytes, 0), len, "{special} after {len} of {filler}");
                    bytes.truncate(len + 1);
                    bytes.extend(vec![filler; len]);
                    let all = bytes.len();
                    assert_eq!(plain_until(&bytes, len + 1), all, "{len} of {filler} after {special}");
                }
            }
        }
    }
}
