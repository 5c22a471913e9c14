//! Encoding of records as XML elements.

use crate::{
    dialect::{Dialect, is_on_wire, xml_name},
    scalar,
};
use nephos_core::{Ref, TimeForm, Type, Value, record::Fields, shape::FieldShape};

/// Writer of a document.
pub(crate) struct Writer {
    dialect: Dialect,
    out: Vec<u8>,
}

impl Writer {
    /// Starts a new document.
    pub(crate) fn new(dialect: Dialect) -> Self {
        let mut out = Vec::with_capacity(2048);
        out.extend_from_slice(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        Self { dialect, out }
    }

    /// Returns the document.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.out
    }

    /// Writes an element with a namespace, with contents from `write`. Its name is in two parts.
    pub(crate) fn root(&mut self, name: [&str; 2], namespace: &str, write: impl FnOnce(&mut Self)) {
        self.out.push(b'<');
        name.iter().for_each(|part| self.out.extend_from_slice(part.as_bytes()));
        if !namespace.is_empty() {
            self.out.extend_from_slice(b" xmlns=\"");
            escape(&mut self.out, namespace);
            self.out.push(b'"');
        }
        self.out.push(b'>');
        write(self);
        self.out.extend_from_slice(b"</");
        name.iter().for_each(|part| self.out.extend_from_slice(part.as_bytes()));
        self.out.push(b'>');
    }

    /// Writes an element with contents from `write`.
    #[inline]
    pub(crate) fn element(&mut self, name: &str, write: impl FnOnce(&mut Self)) {
        self.out.push(b'<');
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
        write(self);
        self.out.extend_from_slice(b"</");
        self.out.extend_from_slice(name.as_bytes());
        self.out.push(b'>');
    }

    /// Writes an element with `text`.
    pub(crate) fn text(&mut self, name: &str, text: &str) {
        self.element(name, |writer| escape(&mut writer.out, text));
    }

    /// Writes the fields of `record` as elements.
    pub(crate) fn record(&mut self, record: &dyn Fields) {
        for (index, field) in record.shape().fields.iter().enumerate() {
            let value = record.field(index).view();
            if value.is_null() || !is_on_wire(field) {
                continue;
            }
            match value {
                Ref::List(list) if field.details.flat => {
                    for n in 0..list.len() {
                        self.element(xml_name(field), |writer| writer.item(field, &field.ty, list.item(n)));
                    }
                }
                Ref::Map(map) if field.details.flat => {
                    for n in 0..map.len() {
                        self.element(xml_name(field), |writer| writer.entry(field, &field.ty, map.entry(n)));
                    }
                }
                value => {
                    let [open, close] = field.xml_tags;
                    self.out.extend_from_slice(open.as_bytes());
                    self.value(field, &field.ty, value, false);
                    self.out.extend_from_slice(close.as_bytes());
                }
            }
        }
        for (key, value) in record.extra().into_iter().flatten() {
            self.write_untyped(key, value);
        }
    }

    /// Writes a value of a field of type `ty`; `within` is true for a nested list or mapping.
    fn value(&mut self, field: &FieldShape, ty: &Type, value: Ref<'_>, within: bool) {
        match (value, ty) {
            (Ref::Record(record), _) => self.record(record),
            (Ref::List(list), Type::List(_)) => {
                let start = self.out.len();
                let dialect = self.dialect;
                let items = if within { dialect.nested_items_in_xml() } else { dialect.items_in_xml(field) };
                for n in 0..list.len() {
                    self.element(items.name, |writer| writer.item(field, ty, list.item(n)));
                    if n == 0 {
                        // The other items will have about the same length, and some are longer.
                        let long = self.out.len() - start + 16;
                        self.out.reserve(long * (list.len() - 1));
                    }
                }
            }
            (Ref::Map(map), Type::Map(_)) => {
                for n in 0..map.len() {
                    self.element("entry", |writer| writer.entry(field, ty, map.entry(n)));
                }
            }
            // Numbers and booleans need no escaping.
            (Ref::Int(_) | Ref::Bool(_), Type::Int | Type::Bool) => {
                let out = &mut self.out;
                scalar::write_plain(value, TimeForm::Iso8601, |text| out.extend_from_slice(text.as_bytes()));
            }
            (value, ty) => {
                scalar::write_text(field, ty, value, TimeForm::Iso8601, |text| escape(&mut self.out, text));
            }
        }
    }

    /// Writes an item of a list or mapping of type `of`.
    fn item(&mut self, field: &FieldShape, of: &Type, value: Ref<'_>) {
        if let Type::List(ty) | Type::Map(ty) = of {
            self.value(field, ty, value, true);
        }
    }

    fn entry(&mut self, field: &FieldShape, of: &Type, (key, value): (&str, Ref<'_>)) {
        self.text("key", key);
        self.element("value", |writer| writer.item(field, of, value));
    }

    /// Writes a value without a shape, from the extra fields of a record.
    fn write_untyped(&mut self, name: &str, value: &Value) {
        // A key that is not a valid element name cannot be written.
        if !is_name(name) {
            return;
        }
        self.element(name, |writer| match value {
            Value::Map(map) => map.iter().for_each(|(key, value)| writer.write_untyped(key, value)),
            Value::List(list) => {
                let name = writer.dialect.nested_items_in_xml().name;
                list.iter().for_each(|value| writer.write_untyped(name, value));
            }
            value => {
                scalar::write_plain(value.view(), TimeForm::Iso8601, |text| escape(&mut writer.out, text))
            }
        });
    }
}

fn is_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_alphabetic() || first == '_')
        && chars.all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

/// Appends `text` to `out`, escaped for XML.
fn escape(out: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    let mut from = 0;
    loop {
        let at = plain_until(bytes, from);
        out.extend_from_slice(&bytes[from..at]);
        let (instead, length): (&[u8], usize) = match bytes[at..] {
            [] => return,
            [b'<', ..] => (b"&lt;", 1),
            [b'>', ..] => (b"&gt;", 1),
            [b'&', ..] => (b"&amp;", 1),
            [b'"', ..] => (b"&quot;", 1),
            // Parsers convert a bare carriage return to a line feed.
            [b'\r', ..] => (b"&#13;", 1),
            // XML cannot represent these characters, and parsers reject a document that has them.
            [0xEF, 0xBF, 0xBE | 0xBF, ..] => ("\u{FFFD}".as_bytes(), 3),
            [byte, ..] if byte < b' ' && byte != b'\t' && byte != b'\n' => ("\u{FFFD}".as_bytes(), 1),
            _ => (&bytes[at..=at], 1),
        };
        out.extend_from_slice(instead);
        from = at + length;
    }
}

/// Returns the position, from `at` on, of the first byte that may need escaping, or the end. `at` must be within the
/// bytes.
#[inline]
fn plain_until(bytes: &[u8], at: usize) -> usize {
    let is_special = |byte: u8| {
        u8::from(byte < 0x20)
            | u8::from(byte | 0x02 == b'>')
            | u8::from(byte | 0x04 == b'&')
            | u8::from(byte == 0xEF)
    };
    nephos_core::scan::plain_until(bytes, at, is_special, special_bytes)
}

/// Sets the high bit of each byte that may need escaping; only the lowest set bit is exact.
#[inline]
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // A byte that is zero borrows into its high bit. `<` and `>` differ in one bit, and so do `&` and `"`.
    let is_zero = |word: u64| word.wrapping_sub(ONES) & !word;
    let brackets = is_zero((word | (ONES * 0x02)) ^ (ONES * b'>' as u64));
    let marks = is_zero((word | (ONES * 0x04)) ^ (ONES * b'&' as u64));
    let control = word.wrapping_sub(ONES * 0x20) & !word;
    (brackets | marks | control | is_zero(word ^ (ONES * 0xEF))) & HIGH
}

#[cfg(test)]
mod tests {
    use super::{escape, plain_until};

    #[test]
    fn special_characters_are_escaped_and_invalid_ones_replaced() {
        for (text, escaped) in [
            ("plain", "plain"),
            ("a<b>&\"c\"", "a&lt;b&gt;&amp;&quot;c&quot;"),
            ("\t\n\r", "\t\n&#13;"),
            ("\0a\u{1F}", "\u{FFFD}a\u{FFFD}"),
            ("\u{FFFE}x\u{FFFF}", "\u{FFFD}x\u{FFFD}"),
            ("\u{FFFD}\u{FEFF}ﬁ", "\u{FFFD}\u{FEFF}ﬁ"),
        ] {
            let mut out = Vec::new();
            escape(&mut out, text);
            assert_eq!(String::from_utf8(out).unwrap(), escaped);
        }
    }

    #[test]
    fn plain_until_finds_the_first_special_byte() {
        for len in 0..100 {
            for special in [b'<', b'>', b'&', b'"', 0, 0x1F, b'\n', 0xEF] {
                for filler in [b'a', 0x20, 0x7F, 0x80, 0xEE, 0xFF, b'!', b'#', b'=', b'?', b'\''] {
                    let mut bytes = vec![filler; len];
                    assert_eq!(plain_until(&bytes, 0), len, "{filler}");
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
