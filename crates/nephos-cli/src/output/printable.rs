//! Control characters of data: a terminal would execute them, so that they are printed as escapes.

use std::borrow::Cow;

/// Returns the text with control characters other than line breaks and tabs as escapes such as `\u001b`.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    escape(text, |c| c.is_control() && !matches!(c, '\n' | '\t'))
}

/// Returns the text in one line, with control characters as escapes.
pub(crate) fn printable_line(text: &str) -> Cow<'_, str> {
    escape(text, char::is_control)
}

/// Returns JSON with the control characters that JSON allows in texts as escapes.
pub(crate) fn printable_json(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\u{7f}'..='\u{9f}'))
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
        assert!(matches!(printable("plain ü"), Cow::Borrowed(_)));
    }
}
