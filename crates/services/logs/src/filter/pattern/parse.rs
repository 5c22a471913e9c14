//! Parser of patterns: the cursor, and the parts that all forms of patterns share.

use super::{
    super::errors,
    FIELD,
    condition::{Condition, OPERATORS, Operand, Operator, Wildcard, parse_number},
    dialect,
};
use nephos_core::{Error, Result};
use regex::Regex;

/// Maximum nesting depth of parentheses.
const MAX_NESTING: usize = 32;

/// Maximum number of regular expressions in a pattern.
const MAX_REGEXES: usize = 2;

/// Tests joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub(super) enum Expression<T> {
    All(Vec<Expression<T>>),
    Any(Vec<Expression<T>>),
    Test(T),
}

impl<T> Expression<T> {
    /// Evaluates the expression; `test` evaluates one test.
    pub(super) fn holds(&self, test: &mut dyn FnMut(&T) -> bool) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(test)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(test)),
            Self::Test(leaf) => test(leaf),
        }
    }

    /// Calls `visit` with every test, in the order of the text.
    pub(super) fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a T)) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Self::Test(leaf) => visit(leaf),
        }
    }
}

/// Position in the text of a pattern.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// Number of open parentheses.
    depth: usize,
    /// Number of regular expressions parsed so far.
    regexes: usize,
    /// Error for an invalid pattern.
    invalid: fn() -> Error,
}

/// Function that parses one test of an expression.
type Leaf<'l, 'a, T> = dyn FnMut(&mut Cursor<'a>) -> Result<T> + 'l;

impl<'a> Cursor<'a> {
    /// Creates a cursor at the start of a pattern; `invalid` is the error for an invalid one.
    pub(super) fn new(text: &'a str, invalid: fn() -> Error) -> Self {
        Self { text, at: 0, depth: 0, regexes: 0, invalid }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn skip_space(&mut self) {
        self.take_while(char::is_whitespace);
    }

    /// Skips `token` if it is next; returns true if it was.
    pub(super) fn eat(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
        }
        found
    }

    /// Skips spaces and `token`, or returns an error if `token` is not next.
    fn expect_token(&mut self, token: &str, message: &str) -> Result<()> {
        self.skip_space();
        if self.eat(token) { Ok(()) } else { Err(self.error(message)) }
    }

    /// Reads characters while `is_wanted` accepts them.
    pub(super) fn take_while(&mut self, is_wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !is_wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a name of letters, digits, `-` and `_`, which may be empty.
    pub(super) fn take_name(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    }

    /// Returns the position, for [`text_since`](Self::text_since) and [`error_at`](Self::error_at).
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Returns the text between `position` and the cursor.
    pub(super) fn text_since(&self, position: usize) -> &'a str {
        &self.text[position..self.at]
    }

    /// Returns the error for a pattern that is invalid for this reason.
    pub(super) fn invalid(&self, reason: impl Into<String>) -> Error {
        (self.invalid)().with_field(FIELD).with_hint(reason)
    }

    /// Returns an error at the cursor.
    pub(super) fn error(&self, message: impl AsRef<str>) -> Error {
        self.error_at(self.at, message)
    }

    /// Returns an error at `position`.
    pub(super) fn error_at(&self, position: usize, message: impl AsRef<str>) -> Error {
        self.invalid(self.reason_at(position, message))
    }

    /// Returns the reason of an error at `position`.
    pub(super) fn reason_at(&self, position: usize, message: impl AsRef<str>) -> String {
        let position = self.text[..position].chars().count() + 1;
        format!("{}, at character {position}", message.as_ref())
    }

    /// Reads the bracket that opens the pattern, and checks that the pattern ends with the closing one.
    pub(super) fn open_bracket(&mut self, open: char, close: char) -> Result<()> {
        if !self.rest().trim_end().ends_with(close) {
            return Err(errors::unclosed_filter_pattern(open, close).with_field(FIELD));
        }
        self.next();
        Ok(())
    }

    /// Reads the bracket that closes the pattern.
    pub(super) fn close_bracket(&mut self, close: &str, message: &str) -> Result<()> {
        self.expect_token(close, message)?;
        self.skip_space();
        if self.peek().is_some() { Err(self.error("expected the end of the pattern")) } else { Ok(()) }
    }

    /// Parses tests joined by `&&` and `||`; `&&` binds tighter.
    pub(super) fn parse_expression<T>(&mut self, leaf: &mut Leaf<'_, 'a, T>) -> Result<Expression<T>> {
        self.parse_joined("||", Expression::Any, &mut |this| {
            this.parse_joined("&&", Expression::All, &mut |this| this.parse_test(leaf))
        })
    }

    /// Parses parts separated by an operator; a single part is returned as is.
    fn parse_joined<T>(
        &mut self,
        operator: &str,
        join: fn(Vec<Expression<T>>) -> Expression<T>,
        part: &mut Leaf<'_, 'a, Expression<T>>,
    ) -> Result<Expression<T>> {
        let mut parts = vec![part(self)?];
        self.skip_space();
        while self.eat(operator) {
            parts.push(part(self)?);
            self.skip_space();
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { join(parts) })
    }

    fn parse_test<T>(&mut self, leaf: &mut Leaf<'_, 'a, T>) -> Result<Expression<T>> {
        self.skip_space();
        let start = self.at;
        if !self.eat("(") {
            return leaf(self).map(Expression::Test);
        }
        if self.depth == MAX_NESTING {
            return Err(self.error_at(start, format!("parentheses can be nested at most {MAX_NESTING} deep")));
        }
        self.depth += 1;
        let inner = self.parse_expression(leaf)?;
        self.depth -= 1;
        self.expect_token(")", "expected && or || or ')'")?;
        Ok(inner)
    }

    /// Parses an operator and its operand.
    pub(super) fn parse_condition(&mut self) -> Result<Condition> {
        let found = OPERATORS.into_iter().find(|(symbol, _)| self.eat(symbol));
        let (symbol, operator) = found.ok_or_else(|| self.error("expected one of = != < <= > >="))?;
        self.skip_space();
        let start = self.at;
        let operand = self.parse_operand()?;
        if matches!(operator, Operator::Order(_)) && !matches!(operand, Operand::Number { .. }) {
            return Err(self.error_at(start, format!("{symbol} needs a number")));
        }
        Ok(Condition { operator, operand })
    }

    fn parse_operand(&mut self) -> Result<Operand> {
        match self.peek() {
            Some('"') => return Ok(Operand::Text(Wildcard::new(&self.parse_quoted()?))),
            Some('%') => return Ok(Operand::Regex(self.parse_regex()?)),
            _ => {}
        }
        let bare = self.take_while(|c| c.is_ascii_alphanumeric() || "_.*-+".contains(c));
        let ends = |c: char| c.is_whitespace() || ")&|}],".contains(c);
        match self.peek().filter(|next| !ends(*next)) {
            Some(next) => Err(self.error(format!("a value with {next:?} must be in double quotes"))),
            None if bare.is_empty() => Err(self.error("expected a value")),
            None => Ok(parse_number(bare).map_or_else(
                || Operand::Text(Wildcard::new(bare)),
                |value| Operand::Number { value, text: bare.to_owned() },
            )),
        }
    }

    /// Parses text in double quotes, in which `\"` is a quote and `\\` a backslash.
    pub(super) fn parse_quoted(&mut self) -> Result<String> {
        let start = self.at;
        self.next();
        let mut text = String::new();
        while let Some(next) = self.next() {
            match next {
                '"' => return Ok(text),
                '\\' if matches!(self.peek(), Some('"' | '\\')) => text.extend(self.next()),
                _ => text.push(next),
            }
        }
        Err(self.error_at(start, "the double quote is not closed"))
    }

    /// Parses a regular expression between percent signs.
    pub(super) fn parse_regex(&mut self) -> Result<Regex> {
        let start = self.at;
        self.next();
        let body = self.take_while(|c| c != '%');
        if !self.eat("%") {
            return Err(self.error_at(start, "the % is not closed"));
        }
        self.regexes += 1;
        if self.regexes > MAX_REGEXES {
            let message = format!("a pattern can have at most {MAX_REGEXES} regular expressions");
            return Err(self.error_at(start, message));
        }
        dialect::compile(body, dialect::FILTER_SYMBOLS).map_err(|message| self.error_at(start, message))
    }
}
