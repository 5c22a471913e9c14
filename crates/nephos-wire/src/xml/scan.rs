//! Scanner for the elements and texts of a document, in order.
//!
//! Responses are small and simple documents, and decoding them is most of the work of a client of a query service; a
//! general parser took three times as long. The tests compare the results with those of a general parser.

use nephos_core::{Error, ErrorKind, Result, scan::begins_with};
use std::borrow::Cow;

/// Maximum depth of nested elements.
const MAX_DEPTH: usize = 96;

/// A token of a document.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Start of an element; its name without a prefix.
    Open(&'a str),
    /// End of the open element.
    Close,
    /// Text, with resolved references.
    Text(Cow<'a, str>),
    /// End of the document.
    End,
}

/// A document that is being scanned.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    /// Names of the open elements, with their prefixes.
    open: Vec<&'a str>,
    /// True if the last opened element is empty, and is closed next.
    empty: bool,
    /// True if there was a root element.
    begun: bool,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(document: &'a [u8]) -> Result<Self> {
        let text =
            std::str::from_utf8(document).map_err(|_| invalid_document("the document is not UTF-8"))?;
        let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
        Ok(Self { text, at: 0, open: Vec::with_capacity(8), empty: false, begun: false })
    }

    #[inline]
    pub(super) fn next(&mut self) -> Result<Token<'a>> {
        loop {
            if self.empty {
                self.empty = false;
                self.open.pop();
                return Ok(Token::Close);
            }
            let rest = &self.text[self.at..];
            match rest.as_bytes() {
                [] if self.open.is_empty() && self.begun => return Ok(Token::End),
                [] => return Err(invalid_document("unexpected end of the document")),
                [b'<', b'/', ..] => return self.close(&rest[2..]),
                [b'<', b'!' | b'?', ..] => {
                    if let Some(text) = self.markup(rest)? {
                        return Ok(Token::Text(text));
                    }
                }
                [b'<', ..] => return self.element(&rest[1..]),
                bytes => {
                    let length = memchr::memchr(b'<', bytes).unwrap_or(bytes.len());
                    self.at += length;
                    let text = &rest[..length];
                    if !self.open.is_empty() {
                        return resolve_references(text).map(Token::Text);
                    }
                    if !text.bytes().all(is_space) {
                        return Err(invalid_document("text outside of the root element"));
                    }
                }
            }
        }
    }

    /// Reads the element at the current position if `find` knows its tags and it has only plain text, as nearly all do;
    /// returns the result of `find` and the text. Otherwise nothing is consumed.
    #[inline]
    pub(super) fn leaf<T>(
        &mut self,
        find: impl FnOnce(&[u8]) -> Option<(T, [&'static str; 2])>,
    ) -> Option<(T, &'a str)> {
        if self.empty {
            return None;
        }
        let rest = self.text.as_bytes().get(self.at..)?;
        let (found, [open, close]) = find(rest)?;
        let text = rest.get(open.len()..)?;
        let length = memchr::memchr3(b'<', b'&', b'\r', text)?;
        if !begins_with(&text[length..], close.as_bytes()) {
            return None;
        }
        let start = self.at + open.len();
        self.at = start + length + close.len();
        Some((found, &self.text[start..start + length]))
    }

    /// Reads a start tag, after its angle bracket.
    fn element(&mut self, rest: &'a str) -> Result<Token<'a>> {
        let bytes = rest.as_bytes();
        let (mut prefix, mut odd) = (0, false);
        let end = bytes.iter().enumerate().position(|(at, byte)| {
            match byte {
                b'>' | b'/' => return true,
                b':' => prefix = at + 1,
                b'<' | b'&' | b'=' | b'"' | b'\'' => odd = true,
                _ => {}
            }
            is_space(*byte)
        });
        let end = end.ok_or_else(|| invalid_document("unclosed tag"))?;
        let name = &rest[..end];
        if name.is_empty() || odd {
            return Err(invalid_document(format!("invalid tag <{name}")));
        }
        // Attributes are ignored.
        let mut at = end;
        loop {
            match bytes.get(at) {
                None => return Err(invalid_document("unclosed tag")),
                Some(b'>') => break,
                Some(b'<') => return Err(invalid_document(format!("invalid tag <{name}"))),
                Some(quote @ (b'"' | b'\'')) => {
                    let length = memchr::memchr(*quote, &bytes[at + 1..]);
                    at += 2 + length.ok_or_else(|| invalid_document("unclosed tag"))?;
                }
                Some(_) => at += 1,
            }
        }
        if self.open.is_empty() && self.begun {
            return Err(invalid_document("the document has two root elements"));
        }
        if self.open.len() == MAX_DEPTH {
            return Err(invalid_document(format!("elements can be nested at most {MAX_DEPTH} deep")));
        }
        self.empty = bytes[at - 1] == b'/';
        self.begun = true;
        self.open.push(name);
        self.at += 1 + at + 1;
        Ok(Token::Open(&name[prefix..]))
    }

    /// Reads an end tag, after its slash.
    fn close(&mut self, rest: &'a str) -> Result<Token<'a>> {
        let open = self.open.pop();
        // Fast path: nearly all are written without spaces.
        if let Some(open) = open
            && rest.as_bytes().strip_prefix(open.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'>'))
        {
            self.at += 2 + open.len() + 1;
            return Ok(Token::Close);
        }
        let end = memchr::memchr(b'>', rest.as_bytes()).ok_or_else(|| invalid_document("unclosed tag"))?;
        let name = rest[..end].trim_end();
        match open {
            Some(open) if open == name => {}
            Some(open) => return Err(invalid_document(format!("expected </{open}>, got </{name}>"))),
            None => return Err(invalid_document(format!("</{name}> without a start tag"))),
        }
        self.at += 2 + end + 1;
        Ok(Token::Close)
    }

    /// Skips a comment, a processing instruction or a declaration; returns the text of a CDATA section.
    fn markup(&mut self, rest: &'a str) -> Result<Option<Cow<'a, str>>> {
        let until = |begin: &str, end: &str| {
            let within = rest.strip_prefix(begin)?;
            let length = memchr::memmem::find(within.as_bytes(), end.as_bytes());
            Some(length.map(|length| (&within[..length], begin.len() + length + end.len())))
        };
        let marked = until("<![CDATA[", "]]>");
        let passed = until("<!--", "-->").or_else(|| until("<?", "?>"));
        let (text, length) = match (marked, passed) {
            (Some(Some((text, length))), _) if !self.open.is_empty() => {
                (Some(normalize_line_breaks(text)), length)
            }
            (None, Some(Some((_, length)))) => (None, length),
            (None, None) if self.open.is_empty() => (None, declaration(rest)?),
            _ => {
                return Err(invalid_document(
                    "unclosed or misplaced comment, instruction, declaration or CDATA section",
                ));
            }
        };
        self.at += length;
        Ok(text)
    }
}

/// Returns the length of the declaration at the beginning of `rest`, with nested declarations.
fn declaration(rest: &str) -> Result<usize> {
    let mut depth = 0_usize;
    for (at, byte) in rest.bytes().enumerate() {
        match byte {
            b'<' => depth += 1,
            b'>' if depth == 1 => return Ok(at + 1),
            b'>' => depth -= 1,
            _ => {}
        }
    }
    Err(invalid_document("unclosed declaration"))
}

fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Converts line breaks to line feeds.
fn normalize_line_breaks(text: &str) -> Cow<'_, str> {
    match memchr::memchr(b'\r', text.as_bytes()) {
        None => Cow::Borrowed(text),
        Some(_) => Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n")),
    }
}

/// Resolves the references in `text`.
fn resolve_references(text: &str) -> Result<Cow<'_, str>> {
    let Some(first) = memchr::memchr(b'&', text.as_bytes()) else { return Ok(normalize_line_breaks(text)) };
    let mut out = normalize_line_breaks(&text[..first]).into_owned();
    let mut rest = &text[first..];
    while let Some(reference) = rest.strip_prefix('&') {
        let (name, after) =
            reference.split_once(';').ok_or_else(|| invalid_document("unclosed reference"))?;
        out.push(reference_char(name)?);
        let next = memchr::memchr(b'&', after.as_bytes()).unwrap_or(after.len());
        out.push_str(&normalize_line_breaks(&after[..next]));
        rest = &after[next..];
    }
    Ok(Cow::Owned(out))
}

/// Returns the character of a reference.
fn reference_char(name: &str) -> Result<char> {
    let number = name.strip_prefix('#').map(|number| match number.strip_prefix('x') {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    });
    let character = match (name, number) {
        ("lt", _) => Some('<'),
        ("gt", _) => Some('>'),
        ("amp", _) => Some('&'),
        ("quot", _) => Some('"'),
        ("apos", _) => Some('\''),
        // Not a character in XML.
        (_, Some(Ok(0))) => None,
        (_, Some(Ok(number))) => char::from_u32(number),
        _ => None,
    };
    character.ok_or_else(|| invalid_document(format!("unknown reference &{name};")))
}

pub(super) fn invalid_document(message: impl Into<String>) -> Error {
    Error::new(ErrorKind::Invalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use quick_xml::events::Event;

    /// Returns the tokens of a document as text, with adjacent texts joined.
    fn scanned(document: &str) -> Option<Vec<String>> {
        let mut scanner = Scanner::new(document.as_bytes()).ok()?;
        let mut tokens = Vec::new();
        loop {
            match scanner.next().ok()? {
                Token::Open(name) => tokens.push(format!("<{name}")),
                Token::Close => tokens.push(">".to_owned()),
                Token::Text(text) => add(&mut tokens, &text),
                Token::End => return Some(tokens),
            }
        }
    }

    fn add(tokens: &mut Vec<String>, text: &str) {
        match tokens.last_mut() {
            Some(last) if last.starts_with('=') => last.push_str(text),
            _ if text.is_empty() => {}
            _ => tokens.push(format!("={text}")),
        }
    }

    /// Returns the same for a general parser.
    fn parsed(document: &str) -> Option<Vec<String>> {
        let mut reader = quick_xml::Reader::from_str(document);
        reader.config_mut().expand_empty_elements = true;
        let (mut tokens, mut depth, mut roots) = (Vec::new(), 0, 0);
        loop {
            match reader.read_event().ok()? {
                Event::Start(tag) => {
                    roots += usize::from(depth == 0);
                    depth += 1;
                    tokens.push(format!("<{}", tag.local_name().as_ref()));
                }
                Event::End(_) => {
                    depth -= 1;
                    tokens.push(">".to_owned());
                }
                Event::Text(text) if depth > 0 => add(&mut tokens, &text.xml10_content()),
                Event::Text(text) if text.xml10_content().trim().is_empty() => {}
                Event::CData(text) if depth > 0 => add(&mut tokens, &text.xml10_content()),
                Event::GeneralRef(reference) if depth > 0 => {
                    let name = reference.xml10_content();
                    let character = match reference.resolve_char_ref().ok()? {
                        Some(character) => character,
                        None => reference_char(&name).ok()?,
                    };
                    add(&mut tokens, character.encode_utf8(&mut [0; 4]));
                }
                Event::Text(_) | Event::CData(_) | Event::GeneralRef(_) => return None,
                Event::Eof => return (depth == 0 && roots == 1).then_some(tokens),
                _ => {}
            }
        }
    }

    #[test]
    fn scanner_matches_general_parser() {
        for document in [
            "<a/>",
            "<a></a>",
            "<a b='>' c=\"/\" />",
            "<?xml version=\"1.0\"?>\n<!DOCTYPE x [<!ENTITY e 'v'>]>\n<!-- <b> --><a>x<!-- y -->z</a>\n",
            "<n:a xmlns:n='u'><n:b>1</n:b ><c/></n:a>",
            "<a>&lt;&#65;&#x42;&amp;\r\n\r<![CDATA[<b>&amp;]]></a>",
            "<a>é😀</a>",
            "<a><b></a></b>",
            "<a>",
            "</a>",
            "<a/><b/>",
            "x<a/>",
            "<a/>x",
            "<a>&nope;</a>",
            "<a>&#0;</a>",
            "<a>&lt</a>",
            "<a",
            "<",
            "",
            "<!--",
            "<![CDATA[x]]><a/>",
        ] {
            assert_eq!(scanned(document), parsed(document), "{document}");
        }
        assert_eq!(scanned("\u{FEFF}<a/>"), scanned("<a/>"));
        let deep = |n: usize| format!("{}{}", "<a>".repeat(n), "</a>".repeat(n));
        assert!(scanned(&deep(MAX_DEPTH)).is_some() && scanned(&deep(MAX_DEPTH + 1)).is_none());
    }

    #[test]
    fn leaf_reads_only_plain_text_elements() {
        let leaf = |document: &'static str| {
            let mut scanner = Scanner::new(document.as_bytes()).unwrap();
            scanner.next().unwrap();
            let text = scanner.leaf(|rest| rest.starts_with(b"<b>").then_some(((), ["<b>", "</b>"])));
            let text = text.map(|(_, text)| text);
            (text, scanner.next().ok())
        };
        assert_eq!(leaf("<a><b>x > y</b></a>"), (Some("x > y"), Some(Token::Close)));
        assert_eq!(leaf("<a><b></b><c/></a>"), (Some(""), Some(Token::Open("c"))));
        for other in ["<a><b/></a>", "<a><b >x</b></a>", "<a><b>&lt;</b></a>", "<a><b>x\r</b></a>"] {
            assert_eq!(leaf(other), (None, Some(Token::Open("b"))), "{other}");
        }
        for other in ["<a><b>x</b ></a>", "<a><b>x</bb></a>", "<a><b>x<c/></b></a>", "<a><b>x"] {
            assert_eq!(leaf(other), (None, Some(Token::Open("b"))), "{other}");
        }
        assert_eq!(leaf("<a><bb>x</bb></a>"), (None, Some(Token::Open("bb"))));
        assert_eq!(leaf("<a/><b>x</b>"), (None, Some(Token::Close)), "the root element is empty");
    }

    proptest! {
        #[test]
        fn scanner_matches_general_parser_on_valid_documents(
            texts in proptest::collection::vec(("[a-z]{1,3}", "[ a-zé\r\n]{0,5}(&lt;|&#9;|<!--x-->|<!\\[CDATA\\[<]\\]>)?", 0..3usize), 0..12),
        ) {
            let (mut document, mut open) = ("<root a='1'>".to_owned(), Vec::new());
            for (name, text, closes) in &texts {
                document.extend(["<", name, ">", text]);
                open.push(name);
                for _ in 0..*closes {
                    if let Some(name) = open.pop() {
                        document.extend(["</", name, ">", text]);
                    }
                }
            }
            while let Some(name) = open.pop() {
                document.extend(["</", name, ">"]);
            }
            document.push_str("</root>");
            let tokens = scanned(&document);
            prop_assert!(tokens.is_some());
            prop_assert_eq!(tokens, parsed(&document));
        }

        #[test]
        fn scanner_never_panics(document in "(<|>|/|a|b|&|;|#|!|-|\\[|\\]|\\?|'|\"| |CDATA){0,24}") {
            let _ = scanned(&document);
        }
    }
}
