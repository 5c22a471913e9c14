//! Control characters of data: a terminal would execute them, or show text in another order, so that they are printed as
//! escapes.

use std::borrow::Cow;

/// Returns the text with control characters other than line breaks and tabs as escapes such as `\u001b`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && !matches!(c, '\n' | '\t'))
}

/// Returns the text in one line, with control characters as escapes.
pub(crate) fn printable_line(text: &str) -> Cow<'_, str> {
    escape(text, is_control)
}

/// Returns JSON with the control characters that JSON allows in texts as escapes.
pub(crate) fn printable_json(text: &str) -> Cow<'_, str> {
    escape(text, |c| is_control(c) && c >= '\u{7f}')
}

/// True for control characters, and for those that change the direction of text.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

fn escape(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_escaped(c) {
            escaped.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            escaped.push(c);
        }
    }
    Cow::Owned(escaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(
            printable("a\tb\nc \u{1b}[31m\u{9b}2J\u{7f}\r"),
            "a\tb\nc \\u001b[31m\\u009b2J\\u007f\\u000d"
        );
        assert_eq!(printable_line("a\nb"), "a\\u000ab");
        assert_eq!(printable_json("{\n\"a\": \"\u{9b}\"}"), "{\n\"a\": \"\\u009b\"}");
        assert_eq!(printable("a\u{202e}b\u{2066}\u{200f}"), "a\\u202eb\\u2066\\u200f");
        assert_eq!(printable_line("\u{2069}\u{61c}"), "\\u2069\\u061c");
        assert_eq!(printable_json("\"\u{202a}\""), "\"\\u202a\"");
        assert!(matches!(printable("plain ü \u{200d} שלום"), Cow::Borrowed(_)));
    }
}
