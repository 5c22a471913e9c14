//! Reading patterns: the position in the text, and what all forms of patterns have in common.

use super::{
    super::errors,
    condition::{Condition, OPERATORS, Operand, Operator, Wildcard, parse_number},
    dialect,
};
use nephos_core::{Error, Result};
use regex::Regex;

/// How deep parentheses may stand within each other.
const MAX_NESTING: usize = 32;

/// How many regular expressions a pattern may have.
const MAX_REGEXES: usize = 2;

/// The pattern is wrong, for this reason.
pub(super) fn invalid(message: String) -> Error {
    errors::invalid("filterPattern", message)
}

/// Tests joined by `&&` and `||`.
#[derive(Clone, Debug)]
pub(super) enum Expression<T> {
    All(Vec<Expression<T>>),
    Any(Vec<Expression<T>>),
    Test(T),
}

impl<T> Expression<T> {
    /// Whether it holds, if `test` says which tests do.
    pub(super) fn holds(&self, test: &mut dyn FnMut(&T) -> bool) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(test)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(test)),
            Self::Test(leaf) => test(leaf),
        }
    }

    /// Shows every test to `visit`, in the order of the text.
    pub(super) fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a T)) {
        match self {
            Self::All(parts) | Self::Any(parts) => parts.iter().for_each(|part| part.visit(visit)),
            Self::Test(leaf) => visit(leaf),
        }
    }
}

/// The text of a pattern, and how far it has been read.
#[derive(Clone)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    at: usize,
    /// How many parentheses are open.
    depth: usize,
    regexes: usize,
}

/// What reads one test of an expression.
type Leaf<'l, 'a, T> = dyn FnMut(&mut Cursor<'a>) -> Result<T> + 'l;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0, depth: 0, regexes: 0 }
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

    /// Reads on over `what`, if it stands here.
    pub(super) fn eat(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        if found {
            self.at += what.len();
        }
        found
    }

    /// Reads on over spaces and `what`, which has to follow them.
    fn expect_token(&mut self, what: &str, message: &str) -> Result<()> {
        self.skip_space();
        if self.eat(what) { Ok(()) } else { Err(self.error(message)) }
    }

    /// Reads on for as long as characters are `wanted`.
    pub(super) fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Reads a name of letters, digits, `-` and `_`, which may be empty.
    pub(super) fn take_name(&mut self) -> &'a str {
        self.take_while(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    }

    /// Where it stands, for [`text_since`](Self::text_since) and [`error_at`](Self::error_at).
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn text_since(&self, position: usize) -> &'a str {
        &self.text[position..self.at]
    }

    /// What is wrong here.
    pub(super) fn error(&self, message: impl AsRef<str>) -> Error {
        self.error_at(self.at, message)
    }

    /// What is wrong at a position before.
    pub(super) fn error_at(&self, position: usize, message: impl AsRef<str>) -> Error {
        let position = self.text[..position].chars().count() + 1;
        invalid(format!("{}, at character {position}", message.as_ref()))
    }

    /// Reads the bracket that opens the whole pattern, after making sure that the pattern also ends with one.
    pub(super) fn open_bracket(&mut self, open: char, close: char) -> Result<()> {
        if !self.rest().trim_end().ends_with(close) {
            let message = format!("if a filter pattern starts with '{open}' it must end with '{close}'");
            return Err(invalid(message));
        }
        self.next();
        Ok(())
    }

    /// Reads the bracket that closes the whole pattern.
    pub(super) fn close_bracket(&mut self, close: &str, message: &str) -> Result<()> {
        self.expect_token(close, message)?;
        self.skip_space();
        if self.peek().is_some() { Err(self.error("expected nothing more")) } else { Ok(()) }
    }

    /// Tests joined by `&&` and `||`, of which `&&` binds tighter.
    pub(super) fn parse_expression<T>(&mut self, leaf: &mut Leaf<'_, 'a, T>) -> Result<Expression<T>> {
        self.parse_joined("||", Expression::Any, &mut |this| {
            this.parse_joined("&&", Expression::All, &mut |this| this.parse_test(leaf))
        })
    }

    /// Parts with an operator between them; one alone stands for itself.
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
            return Err(self.error_at(start, format!("parentheses are nested deeper than {MAX_NESTING}")));
        }
        self.depth += 1;
        let inner = self.parse_expression(leaf)?;
        self.depth -= 1;
        self.expect_token(")", "expected && or || or ')'")?;
        Ok(inner)
    }

    /// An operator and what to compare with.
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
            Some(next) => {
                Err(self.error(format!("{next:?} in a value needs double quotes around the value")))
            }
            None if bare.is_empty() => Err(self.error("expected a value")),
            None => Ok(parse_number(bare).map_or_else(
                || Operand::Text(Wildcard::new(bare)),
                |value| Operand::Number { value, text: bare.to_owned() },
            )),
        }
    }

    /// Text in double quotes, in which `\"` is a quote and `\\` a backslash.
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

    /// A regular expression between percent signs.
    pub(super) fn parse_regex(&mut self) -> Result<Regex> {
        let start = self.at;
        self.next();
        let body = self.take_while(|c| c != '%');
        if !self.eat("%") {
            return Err(self.error_at(start, "the % is not closed"));
        }
        self.regexes += 1;
        if self.regexes > MAX_REGEXES {
            let message = format!("there are more than {MAX_REGEXES} regular expressions");
            return Err(self.error_at(start, message));
        }
        dialect::compile(body, dialect::FILTER_SYMBOLS).map_err(|message| self.error_at(start, message))
    }
}
