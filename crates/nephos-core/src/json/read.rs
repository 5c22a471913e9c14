//! Filling records from JSON text.

use crate::{
    Error, ErrorKind, FieldSet, Map, Result, Value,
    datum::{Datum, Fill, Open},
    fill::{Names, Reader, put_null, told, wrong_type},
    record::Fields,
    shape::{FieldShape, Location},
    value::Ref,
};
use std::borrow::Cow;

/// How deep lists and objects may stand within each other.
const DEEPEST: usize = 128;

/// Fills `record` from the JSON object in `json`.
pub fn read(record: &mut dyn Fields, json: &[u8], reader: &Reader) -> Result<()> {
    let mut text = Input::new(json)?;
    text.space();
    if text.next() != Some(b'{') {
        return Err(text.wrong("expected an object of fields"));
    }
    text.record(record, reader)?;
    text.end()
}

/// The value that `json` says.
pub fn parse(json: &[u8]) -> Result<Value> {
    let mut text = Input::new(json)?;
    text.space();
    let value = text.any()?;
    text.end()?;
    Ok(value)
}

/// JSON text, and how far it has been read.
#[derive(Debug)]
pub struct Input<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Input<'a> {
    fn new(json: &'a [u8]) -> Result<Self> {
        let text = std::str::from_utf8(json).map_err(|wrong| {
            let why = format!("the JSON is not UTF-8, at byte {}", wrong.valid_up_to());
            Error::new(ErrorKind::Invalid, why)
        })?;
        Ok(Self { text, at: 0, depth: 0 })
    }

    fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.at += 1;
        Some(byte)
    }

    #[inline]
    fn space(&mut self) {
        // Most text is written without any.
        if self.peek().is_some_and(|byte| byte <= b' ') {
            self.skip_space();
        }
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Result<()> {
        self.space();
        if self.at == self.text.len() { Ok(()) } else { Err(self.wrong("expected nothing more")) }
    }

    /// What is wrong, and where; the text itself is not repeated, for it may be secret.
    #[cold]
    fn wrong(&self, what: &str) -> Error {
        let before = &self.bytes()[..self.at.min(self.text.len())];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = before.iter().rev().take_while(|byte| **byte != b'\n').count() + 1;
        let what = if self.at >= self.text.len() { "it ends too early" } else { what };
        Error::new(ErrorKind::Invalid, format!("the JSON is wrong at line {line} column {column}: {what}"))
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        if self.depth > DEEPEST { Err(self.wrong("lists and objects are nested too deep")) } else { Ok(()) }
    }

    /// After an item: whether another follows, or `close` ends them.
    #[inline]
    fn another(&mut self, close: u8) -> Result<bool> {
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
    fn empty(&mut self, close: u8) -> bool {
        self.space();
        let empty = self.peek() == Some(close);
        self.at += usize::from(empty);
        empty
    }

    #[inline]
    fn colon(&mut self) -> Result<()> {
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.wrong("expected a colon"));
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    /// The fields of a record, after the brace that opens them.
    fn record(&mut self, record: &mut dyn Fields, reader: &Reader) -> Result<()> {
        self.enter()?;
        let shape = record.shape();
        let mut given = FieldSet::NONE;
        let mut expected = 0;
        let mut more = !self.empty(b'}');
        while more {
            let index = match shape.fields.get(expected) {
                Some(field) if self.passes_key(field, reader.names) => Some(expected),
                _ => self.other_key(record, reader, expected)?,
            };
            if let Some(index) = index {
                self.datum(record.field_mut(index), reader)
                    .map_err(|error| told(&shape.fields[index], error))?;
                given.insert(index);
                expected = index + 1;
            }
            more = self.another(b'}')?;
        }
        self.depth -= 1;
        record.note_given(given);
        record.settle();
        Ok(())
    }

    /// Passes the key here, with its colon, if it is the one of `field`, which probably comes next.
    #[inline]
    fn passes_key(&mut self, field: &FieldShape, names: Names) -> bool {
        let key = match names {
            Names::Any | Names::Name => field.key,
            Names::Wire if field.location != Location::Nowhere => field.wire_key,
            Names::Wire | Names::Alias => return false,
        };
        let passes = begins_with(&self.bytes()[self.at..], key.as_bytes());
        if passes {
            self.at += key.len();
            self.space();
        }
        passes
    }

    /// Passes any key; the value of one that names no field is passed, kept or refused as the reader says.
    fn other_key(
        &mut self,
        record: &mut dyn Fields,
        reader: &Reader,
        expected: usize,
    ) -> Result<Option<usize>> {
        let key = self.key()?;
        self.colon()?;
        let found = reader.find(record.shape(), &key, expected);
        if found.is_none() {
            let value = self.any()?;
            reader.unknown(record, &key, || value)?;
        }
        Ok(found)
    }

    fn key(&mut self) -> Result<Cow<'a, str>> {
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

    /// Whatever stands here, into `datum`.
    #[inline]
    fn datum(&mut self, datum: &mut dyn Datum, reader: &Reader) -> Result<()> {
        if datum.take_usual(self, reader.reading) { Ok(()) } else { self.any_datum(datum, reader) }
    }

    fn any_datum(&mut self, datum: &mut dyn Datum, reader: &Reader) -> Result<()> {
        let value = match self.peek() {
            Some(b'"') => {
                let text = self.string()?;
                let value = Ref::Text(&text);
                return datum.put(value, reader.reading).map_err(|mismatch| wrong_type(mismatch.0, value));
            }
            Some(b'{') => {
                self.at += 1;
                return match datum.open() {
                    Open::Record(record) => self.record(record, reader),
                    Open::Map(map) => self.map(map, reader),
                    Open::Any(any) => {
                        self.at -= 1;
                        *any = self.any()?;
                        Ok(())
                    }
                    Open::Scalar | Open::List(_) => {
                        Err(mismatch(datum, Ref::Map(&Map::<Value>::default()), reader))
                    }
                };
            }
            Some(b'[') => {
                self.at += 1;
                return match datum.open() {
                    Open::List(list) => self.list(list, reader),
                    Open::Any(any) => {
                        self.at -= 1;
                        *any = self.any()?;
                        Ok(())
                    }
                    Open::Scalar | Open::Record(_) | Open::Map(_) => {
                        Err(mismatch(datum, Ref::List(&Vec::<Value>::new()), reader))
                    }
                };
            }
            Some(b'n') => {
                self.word("null")?;
                return put_null(datum, reader);
            }
            Some(b't') => {
                self.word("true")?;
                Ref::Bool(true)
            }
            Some(b'f') => {
                self.word("false")?;
                Ref::Bool(false)
            }
            _ => self.number()?,
        };
        datum.put(value, reader.reading).map_err(|mismatch| wrong_type(mismatch.0, value))
    }

    fn list(&mut self, list: &mut dyn Fill, reader: &Reader) -> Result<()> {
        self.enter()?;
        let mut more = !self.empty(b']');
        let mut n = 0;
        while more {
            self.datum(list.add(""), reader).map_err(|error| error.within(&format!("[{n}]")))?;
            n += 1;
            more = self.another(b']')?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn map(&mut self, map: &mut dyn Fill, reader: &Reader) -> Result<()> {
        self.enter()?;
        let mut more = !self.empty(b'}');
        while more {
            let key = self.key()?;
            self.colon()?;
            self.datum(map.add(&key), reader).map_err(|error| error.within(&format!("[{key}]")))?;
            more = self.another(b'}')?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// A value of any type.
    fn any(&mut self) -> Result<Value> {
        Ok(match self.peek() {
            Some(b'"') => Value::Text(self.string()?.as_ref().into()),
            Some(b'{') => {
                self.at += 1;
                self.enter()?;
                let mut entries = Map::default();
                let mut more = !self.empty(b'}');
                while more {
                    let key = self.key()?;
                    self.colon()?;
                    entries.insert(key.as_ref().into(), self.any()?);
                    more = self.another(b'}')?;
                }
                self.depth -= 1;
                Value::Map(entries)
            }
            Some(b'[') => {
                self.at += 1;
                self.enter()?;
                let mut items = Vec::new();
                let mut more = !self.empty(b']');
                while more {
                    items.push(self.any()?);
                    more = self.another(b']')?;
                }
                self.depth -= 1;
                Value::List(items)
            }
            Some(b'n') => self.word("null").map(|()| Value::Null)?,
            Some(b't') => self.word("true").map(|()| Value::Bool(true))?,
            Some(b'f') => self.word("false").map(|()| Value::Bool(false))?,
            _ => self.number()?.to_value(),
        })
    }

    fn word(&mut self, word: &str) -> Result<()> {
        let rest = &self.bytes()[self.at..];
        if !rest.starts_with(word.as_bytes()) {
            // A word that was cut off is not a wrong one.
            self.at += if word.as_bytes().starts_with(rest) { rest.len() } else { 0 };
            return Err(self.wrong("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        self.at - start
    }

    /// A number: whole if it is written so and fits, else with a fraction.
    fn number(&mut self) -> Result<Ref<'static>> {
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
    fn string(&mut self) -> Result<Cow<'a, str>> {
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
    fn escaped(&mut self, start: usize) -> Result<String> {
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

    fn unicode(&mut self) -> Result<char> {
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

    fn hex4(&mut self) -> Result<u32> {
        let digits = self.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        self.at = (self.at + 4).min(self.text.len());
        let code = code.ok_or_else(|| self.wrong("expected four hexadecimal digits"))?;
        Ok(code)
    }
}

#[cold]
fn mismatch(datum: &mut dyn Datum, value: Ref<'_>, reader: &Reader) -> Error {
    let expected = match datum.open() {
        Open::Record(_) => "a record",
        Open::List(_) => "a list",
        Open::Map(_) => "a mapping",
        Open::Any(_) => "anything",
        // What a scalar would take, it says itself.
        Open::Scalar => match datum.put(value, reader.reading) {
            Err(mismatch) => mismatch.0,
            Ok(()) => "a single value",
        },
    };
    wrong_type(expected, value)
}

/// Whether `bytes` begin with `key`. Keys of eight to sixteen bytes, which most are, take two comparisons of words.
#[inline]
fn begins_with(bytes: &[u8], key: &[u8]) -> bool {
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

    #[test]
    fn values_are_read_as_json_says() {
        assert_eq!(parse(br#" [1, -2.5e1, "a\u00e9\ud83d\ude00\n", null, true, {}] "#).unwrap(), {
            Value::List(vec![
                Value::Int(1),
                Value::Float(-25.0),
                "aé😀\n".into(),
                Value::Null,
                Value::Bool(true),
                Value::Map(Map::default()),
            ])
        });
        assert_eq!(parse(b"9223372036854775808").unwrap(), Value::Float(9_223_372_036_854_775_808.0));
        for bad in [
            "",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "1.",
            "1e",
            "-",
            "+1",
            "nul",
            "\"\\ud800\"",
            "\"\\x\"",
            "\"a\nb\"",
            "1 2",
            "[1 2]",
            "{\"a\" 1}",
            "{a:1}",
            "'a'",
            "1e999",
            "\"\\u12\"",
            "NaN",
        ] {
            assert!(parse(bad.as_bytes()).is_err(), "{bad}");
        }
        assert!(parse(&[b'"', 0xFF, b'"']).is_err());
        assert!(parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
