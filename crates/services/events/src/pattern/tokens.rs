//! A reader of JSON tokens that reports positions and syntax errors as the provider's parser does.
//!
//! The provider's position is the column after the last character that its parser has consumed. The parser consumes a value
//! together with the name before it, and the content of a text only when it is used.

use super::PatternError;
use std::fmt::Write as _;

/// Maximum depth of nested objects and arrays.
const MAX_DEPTH: usize = 1000;
/// Maximum number of characters of the pattern that an error repeats.
const MAX_EXCERPT: usize = 500;

/// A token. The content of a text is read by [`Tokens::text`].
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token<'a> {
    BeginObject,
    EndObject,
    BeginArray,
    EndArray,
    Name(String),
    Text,
    Number(&'a str),
    True,
    False,
    Null,
    /// End of the pattern, outside of all objects and arrays.
    End,
}

impl Token<'_> {
    /// Returns the characters of a token that is no name and no text.
    pub(super) fn characters(&self) -> &str {
        match self {
            Self::BeginObject => "{",
            Self::EndObject => "}",
            Self::BeginArray => "[",
            Self::EndArray => "]",
            Self::Name(name) => name,
            Self::Text | Self::End => "",
            Self::Number(digits) => digits,
            Self::True => "true",
            Self::False => "false",
            Self::Null => "null",
        }
    }
}

struct Container {
    is_object: bool,
    /// Position after the opening bracket.
    start: usize,
    has_items: bool,
}

/// Reader of the tokens of a pattern.
pub(super) struct Tokens<'a> {
    source: &'a str,
    at: usize,
    open: Vec<Container>,
    /// True after the opening quote of a text whose content is not read yet.
    in_text: bool,
    value_of_name: Option<Token<'a>>,
}

const VALUES: &str = "(JSON String, Number, Array, Object or token 'null', 'true' or 'false')";

impl<'a> Tokens<'a> {
    pub(super) fn new(source: &'a str) -> Self {
        Self { source, at: 0, open: Vec::new(), in_text: false, value_of_name: None }
    }

    /// Reads the next token.
    pub(super) fn next(&mut self) -> Result<Token<'a>, PatternError> {
        if let Some(token) = self.value_of_name.take() {
            return Ok(token);
        }
        if self.in_text {
            self.text()?;
        }
        self.skip_space();
        let Some(container) = self.open.last() else {
            return if self.peek().is_none() { Ok(Token::End) } else { self.value() };
        };
        let (is_object, has_items, start) = (container.is_object, container.has_items, container.start);
        let kind = if is_object { "Object" } else { "Array" };
        match self.peek() {
            None => {
                let begin = self.location(start - 1);
                let message = format!(
                    "Unexpected end-of-input: expected close marker for {kind} (start marker at {begin})"
                );
                return Err(self.error_at(self.at, &message));
            }
            Some(close @ ('}' | ']')) if !(has_items && self.follows_comma()) => {
                if (close == '}') != is_object {
                    let (wanted, begin) = (if is_object { '}' } else { ']' }, self.location(start - 1));
                    let message = format!(
                        "Unexpected close marker '{close}': expected '{wanted}' (for {kind} starting at {begin})"
                    );
                    return Err(self.error_at(self.at, &message));
                }
                self.at += 1;
                self.open.pop();
                return Ok(if is_object { Token::EndObject } else { Token::EndArray });
            }
            Some(',') if has_items => {
                self.at += 1;
                self.skip_space();
            }
            Some(_) if has_items => {
                return Err(self.unexpected(&format!("was expecting comma to separate {kind} entries")));
            }
            Some(_) => {}
        }
        if let Some(container) = self.open.last_mut() {
            container.has_items = true;
        }
        if !is_object {
            return self.value();
        }
        if self.peek() != Some('"') {
            return Err(self.unexpected("was expecting double-quote to start field name"));
        }
        self.at += 1;
        let name = self.content(" in field name")?;
        self.skip_space();
        if self.peek() != Some(':') {
            return Err(self.unexpected("was expecting a colon to separate field name and value"));
        }
        self.at += 1;
        self.skip_space();
        let value = self.value()?;
        self.value_of_name = Some(value);
        Ok(Token::Name(name))
    }

    /// Reads the content of the text whose token was the last one.
    pub(super) fn text(&mut self) -> Result<String, PatternError> {
        self.in_text = false;
        self.content(": was expecting closing quote for a string value")
    }

    /// Returns an error at the present position.
    pub(super) fn error(&self, reason: &str) -> PatternError {
        self.error_at(self.at, reason)
    }

    fn error_at(&self, at: usize, reason: &str) -> PatternError {
        PatternError::new(format!("{reason}\n at {}", self.location(at)))
    }

    fn peek(&self) -> Option<char> {
        self.source[self.at..].chars().next()
    }

    fn skip_space(&mut self) {
        let rest = &self.source[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// True if the last character before the white space is a comma; then a closing bracket is a missing value.
    fn follows_comma(&self) -> bool {
        self.source[..self.at].trim_end_matches([' ', '\t', '\r', '\n']).ends_with(',')
    }

    fn unexpected(&self, expected: &str) -> PatternError {
        let Some(character) = self.peek() else {
            return self.error_at(self.at, "Unexpected end-of-input within/between Object entries");
        };
        let description = describe(character);
        self.error_at(self.at, &format!("Unexpected character ({description}): {expected}"))
    }

    fn value(&mut self) -> Result<Token<'a>, PatternError> {
        match self.peek() {
            Some('"') => {
                self.at += 1;
                self.in_text = true;
                Ok(Token::Text)
            }
            Some(open @ ('{' | '[')) => {
                self.at += 1;
                let depth = self.open.len() + 1;
                if depth > MAX_DEPTH {
                    let reason = format!(
                        "Document nesting depth ({depth}) exceeds the maximum allowed ({MAX_DEPTH}, from `StreamReadConstraints.getMaxNestingDepth()`)"
                    );
                    return Err(self.error(&reason));
                }
                self.open.push(Container { is_object: open == '{', start: self.at, has_items: false });
                Ok(if open == '{' { Token::BeginObject } else { Token::BeginArray })
            }
            Some('-' | '0'..='9') => self.number(),
            Some(character) if character.is_alphabetic() || matches!(character, '_' | '$') => self.word(),
            _ => Err(self.unexpected(&format!("expected a valid value {VALUES}"))),
        }
    }

    fn word(&mut self) -> Result<Token<'a>, PatternError> {
        let rest = &self.source[self.at..];
        let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
        let word = &rest[..rest.find(|character| !is_part(character)).unwrap_or(rest.len())];
        self.at += word.len();
        match word {
            "true" => Ok(Token::True),
            "false" => Ok(Token::False),
            "null" => Ok(Token::Null),
            _ => Err(self.error(&format!("Unrecognized token '{word}': was expecting {VALUES}"))),
        }
    }

    fn number(&mut self) -> Result<Token<'a>, PatternError> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some('-'));
        let leading_zero = self.peek() == Some('0');
        match self.digits() {
            0 => {
                return Err(
                    self.unexpected("expected digit (0-9) to follow minus sign, for valid numeric value")
                );
            }
            digits if leading_zero && digits > 1 => {
                return Err(self.error("Invalid numeric value: Leading zeroes not allowed"));
            }
            _ => {}
        }
        if self.peek() == Some('.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.unexpected("Decimal point not followed by a digit"));
            }
        }
        if let Some('e' | 'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some('+' | '-')));
            if self.digits() == 0 {
                return Err(self.unexpected("Exponent indicator not followed by a digit"));
            }
        }
        Ok(Token::Number(&self.source[start..self.at]))
    }

    fn digits(&mut self) -> usize {
        let digits =
            self.source.as_bytes()[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.at += digits;
        digits
    }

    /// Reads the rest of a text, and its closing quote.
    fn content(&mut self, at_end: &str) -> Result<String, PatternError> {
        let mut text = String::new();
        loop {
            let Some(character) = self.peek() else {
                return Err(self.error_at(self.at, &format!("Unexpected end-of-input{at_end}")));
            };
            match character {
                '"' => {
                    self.at += 1;
                    return Ok(text);
                }
                '\\' => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                '\0'..='\x1f' => {
                    let code = u32::from(character);
                    let reason = format!(
                        "Illegal unquoted character ((CTRL-CHAR, code {code})): has to be escaped using backslash to be included in string value"
                    );
                    return Err(self.error_at(self.at, &reason));
                }
                character => {
                    self.at += character.len_utf8();
                    text.push(character);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, PatternError> {
        let Some(character) = self.peek() else {
            return Err(self.error_at(self.at, "Unexpected end-of-input in character escape sequence"));
        };
        let escaped = match character {
            '"' | '\\' | '/' => character,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                self.at += 1;
                return self.unicode_escape();
            }
            _ => {
                let reason = format!("Unrecognized character escape {}", describe(character));
                return Err(self.error_at(self.at, &reason));
            }
        };
        self.at += 1;
        Ok(escaped)
    }

    /// Reads the digits of an escape, and the second half of a pair. Half of a pair is the replacement character.
    fn unicode_escape(&mut self) -> Result<char, PatternError> {
        let first = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&first) && self.source[self.at..].starts_with("\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Result<u32, PatternError> {
        let mut code = 0;
        for _ in 0..4 {
            let Some(digit) = self.peek().and_then(|character| character.to_digit(16)) else {
                return Err(self.unexpected("expected a hex-digit for character escape sequence"));
            };
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    /// Formats the position `at`, with the beginning of the pattern. Columns count UTF-16 units.
    fn location(&self, at: usize) -> String {
        let before = self.source[..at].replace("\r\n", "\n").replace('\r', "\n");
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").encode_utf16().count() + 1;
        let mut location = String::from("[Source: (String)\"");
        for character in self.source.chars().take(MAX_EXCERPT) {
            match character {
                '\0'..='\x1f' | '\x7f'..='\u{9f}' if !matches!(character, '\r' | '\n') => {
                    let _ = write!(location, "\\u{:04X}", u32::from(character));
                }
                character => location.push(character),
            }
        }
        location.push('"');
        let hidden = self.source.chars().count().saturating_sub(MAX_EXCERPT);
        if hidden > 0 {
            let _ = write!(location, "[truncated {hidden} chars]");
        }
        let _ = write!(location, "; line: {line}, column: {column}]");
        location
    }
}

/// Describes a character in the words of the provider's parser.
fn describe(character: char) -> String {
    let code = u32::from(character);
    match code {
        0..32 => format!("(CTRL-CHAR, code {code})"),
        32..256 => format!("'{character}' (code {code})"),
        _ => format!("'{character}' (code {code} / 0x{code:x})"),
    }
}
