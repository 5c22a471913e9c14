//! Bytes as hexadecimal digits.

/// Writes bytes as lower-case digits, two for each.
pub fn encode(bytes: &[u8]) -> String {
    let digit = |n: u8| b"0123456789abcdef"[usize::from(n)];
    let digits = bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
    String::from_utf8(digits).unwrap_or_default()
}

/// Reads digits in either case; none if there is another character, or half a byte.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let bytes = pairs.iter().map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?));
    bytes.collect::<Option<_>>().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_written_and_read() {
        let bytes: Vec<u8> = (0..=255).collect();
        let text = encode(&bytes);
        assert!(text.starts_with("000102") && text.ends_with("fdfeff"), "{text}");
        assert_eq!(decode(&text), Some(bytes.clone()));
        assert_eq!(decode(&text.to_uppercase()), Some(bytes));
        for wrong in ["0", "0g", "é0", "0x00"] {
            assert_eq!(decode(wrong), None, "{wrong}");
        }
    }
}
