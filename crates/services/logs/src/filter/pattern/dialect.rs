//! Regular expressions of CloudWatch Logs: an ASCII subset without groups.

use regex::{Regex, RegexBuilder};
use std::{iter::Peekable, str::Chars};

/// Literal symbols in the regular expressions of filter patterns.
pub const FILTER_SYMBOLS: &str = ":_#=@/;,- ";

/// Literal symbols in the regular expressions of custom data identifiers.
pub const IDENTIFIER_SYMBOLS: &str = "_#=@/;,- ";

const OPERATORS: &str = "^$?[]{}|\\*+.";

/// Compiles a regular expression, or returns a message if it is not allowed.
pub fn compile(text: &str, symbols: &str) -> Result<Regex, String> {
    if text.is_empty() {
        return Err("the regular expression is empty".to_owned());
    }
    let translated =
        Translation { rest: text.chars().peekable(), symbols, out: String::new() }.translate()?;
    RegexBuilder::new(&translated).dot_matches_new_line(true).build().map_err(|error| {
        // The last line of the message of the library is the reason.
        let reason = error.to_string();
        let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
        format!("invalid regular expression: {reason}")
    })
}

/// Translation into the syntax of the crate `regex`, in which `\d` would match the digits of every script.
struct Translation<'a> {
    rest: Peekable<Chars<'a>>,
    symbols: &'a str,
    out: String,
}

impl Translation<'_> {
    fn translate(mut self) -> Result<String, String> {
        while let Some(next) = self.rest.next() {
            match next {
                '[' => self.translate_class()?,
                '{' => self.translate_repetition()?,
                ']' | '}' => {
                    return Err(format!("{next} has no opening bracket; write \\{next} for the character"));
                }
                '^' | '$' | '?' | '|' | '*' | '+' | '.' => self.out.push(next),
                _ => {
                    let item = self.parse_item(next)?;
                    self.push(item);
                }
            }
        }
        Ok(self.out)
    }

    fn push(&mut self, item: Item) {
        match item {
            Item::Char(char) => self.out.push_str(&format!("\\x{{{:x}}}", u32::from(char))),
            Item::Set(set) => self.out.push_str(set),
        }
    }

    /// Parses a literal character or an escape sequence.
    fn parse_item(&mut self, char: char) -> Result<Item, String> {
        match char {
            '\\' => self.parse_escape(),
            _ if char.is_ascii_alphanumeric() || self.symbols.contains(char) => Ok(Item::Char(char)),
            '(' | ')' => Err("parentheses are not supported in regular expressions".to_owned()),
            _ if char.is_ascii() => {
                let code = u32::from(char);
                Err(format!("{char:?} is not supported in regular expressions; write \\x{code:02X}"))
            }
            _ => Err(format!("{char:?} is not supported in regular expressions; only ASCII is")),
        }
    }

    fn parse_escape(&mut self) -> Result<Item, String> {
        let next = self.rest.next().ok_or("the regular expression ends with a backslash")?;
        Ok(match next {
            'd' => Item::Set("[0-9]"),
            'D' => Item::Set("[^0-9]"),
            'w' => Item::Set("[0-9A-Za-z_]"),
            'W' => Item::Set("[^0-9A-Za-z_]"),
            's' => Item::Set(r"[\t\n\x0b\x0c\r ]"),
            'S' => Item::Set(r"[^\t\n\x0b\x0c\r ]"),
            'x' => {
                let mut digit = || self.rest.next().and_then(|digit| digit.to_digit(16));
                let code = digit().zip(digit()).map(|(high, low)| high * 16 + low);
                let code = code.and_then(char::from_u32).filter(char::is_ascii);
                Item::Char(code.ok_or("\\x must have two hexadecimal digits, at most 7F")?)
            }
            _ if OPERATORS.contains(next) || self.symbols.contains(next) => Item::Char(next),
            _ => return Err(format!("\\{next} is not supported in regular expressions")),
        })
    }

    /// Translates the characters between square brackets.
    fn translate_class(&mut self) -> Result<(), String> {
        self.out.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.out.push('^');
        }
        let mut empty = true;
        loop {
            let first = match self.parse_class_item()? {
                Some(item) => item,
                None if empty => return Err("[] is empty; write \\] for the character".to_owned()),
                None => break,
            };
            empty = false;
            let mut ahead = self.rest.clone();
            let is_range = ahead.next() == Some('-') && ahead.next().is_some_and(|next| next != ']');
            if !is_range {
                self.push(first);
                continue;
            }
            self.rest.next();
            let (Item::Char(low), Some(Item::Char(high))) = (first, self.parse_class_item()?) else {
                return Err("a range in square brackets must have a character at both ends".to_owned());
            };
            self.push(Item::Char(low));
            self.out.push('-');
            self.push(Item::Char(high));
        }
        self.out.push(']');
        Ok(())
    }

    /// Parses the next item between square brackets; `None` at the closing bracket.
    fn parse_class_item(&mut self) -> Result<Option<Item>, String> {
        match self.rest.next().ok_or("[ is not closed")? {
            ']' => Ok(None),
            '[' => Err("[ within square brackets must be written \\[".to_owned()),
            char if char != '\\' && OPERATORS.contains(char) => Ok(Some(Item::Char(char))),
            char => self.parse_item(char).map(Some),
        }
    }

    /// Translates `{3}`, `{3,}`, `{,5}` or `{3,5}`.
    fn translate_repetition(&mut self) -> Result<(), String> {
        let mut body = String::new();
        loop {
            match self.rest.next().ok_or("{ is not closed")? {
                '}' => break,
                ' ' => {}
                next => body.push(next),
            }
        }
        let (min, max) = body.split_once(',').unwrap_or((&body, &body));
        let count = |text: &str| text.len() <= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        if !count(min) || !count(max) || (min.is_empty() && max.is_empty()) {
            return Err(format!("{{{}}} is not a number of repetitions", body.escape_debug()));
        }
        let min = if min.is_empty() { "0" } else { min };
        self.out.push_str(&format!("{{{min},{max}}}"));
        Ok(())
    }
}

/// Item of a regular expression that matches one character.
enum Item {
    Char(char),
    Set(&'static str),
}
