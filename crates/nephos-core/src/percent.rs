//! Percent-encoding of texts in URIs, forms and policy documents.

use crate::Text;

/// Appends `text` to `out` percent-encoded, except letters, digits, `-._~`, and `/` if `slashes` is true.
pub fn encode(out: &mut String, text: &str, slashes: bool) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(char::from(byte)),
            b'/' if slashes => out.push('/'),
            _ => {
                let digit = |n: u8| char::from(b"0123456789ABCDEF"[usize::from(n)]);
                out.extend(['%', digit(byte >> 4), digit(byte & 15)]);
            }
        }
    }
}

/// Decodes percent-encoded text; if `form` is true, `+` is a space. `None` if it is not percent-encoded UTF-8.
pub fn decode(encoded: &str, form: bool) -> Option<Text> {
    // Most texts are plain.
    if !encoded.bytes().any(|byte| byte == b'%' || byte == b'+' && form) {
        return Some(encoded.into());
    }
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            b'+' if form => b' ',
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok().map(Text::from)
}
