//! Counts the values of a JSON text without reading them.

use super::input::plain_until;

/// True if a JSON text may have more than `max` members and items in all. An empty list or object counts as one item more.
///
/// A text is small where the values in it are not: each takes some hundred bytes of memory for two of the text.
pub fn has_more_values(json: &[u8], max: usize) -> bool {
    // Each value has at least one byte, and a comma or bracket before it.
    if json.len() / 2 <= max {
        return false;
    }
    let (mut count, mut at) = (0, 0);
    while let Some(byte) = json.get(at) {
        at += 1;
        match byte {
            b'"' => at = end_of_text(json, at),
            b',' | b'[' | b'{' => count += 1,
            _ => {}
        }
        if count > max {
            return true;
        }
    }
    false
}

/// Returns the position after the text whose first character is at `at`.
fn end_of_text(json: &[u8], mut at: usize) -> usize {
    while at < json.len() {
        at = plain_until(json, at);
        match json.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_and_items_are_counted() {
        for (json, count) in [
            (&b"[1,2,3]"[..], 3),
            (b"{\"a\":1,\"b\":[2,3]}", 4),
            (b"[\",,,\",\"a\\\",,,\",\"\\\\\",1]", 4),
            (b"[[],[],[]]", 6),
            (b"\"[[[[[[,,,,,,", 0),
            (b"[\"\\", 1),
        ] {
            let padded = [json, &[b' '; 40]].concat();
            let text = String::from_utf8_lossy(json);
            assert!(!has_more_values(&padded, count), "{text}");
            assert!(count == 0 || has_more_values(&padded, count - 1), "{text}");
        }
        assert!(!has_more_values(b"[1,2,3]", 3));
        assert!(!has_more_values(b"", 0));
    }
}
