//! Conditions on one value: `= 4*`, `>= 3.5`, `!= %^5\d\d$%`.

use nephos_core::{Ref, Value};
use regex::Regex;
use std::cmp::Ordering;

/// Comparison operator.
#[derive(Clone, Copy, Debug)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    /// Comparison of two numbers by their order.
    Order(fn(Ordering) -> bool),
}

/// Symbols of the operators, the longer ones first.
pub(super) const OPERATORS: [(&str, Operator); 6] = [
    ("!=", Operator::NotEqual),
    ("<=", Operator::Order(Ordering::is_le)),
    (">=", Operator::Order(Ordering::is_ge)),
    ("=", Operator::Equal),
    ("<", Operator::Order(Ordering::is_lt)),
    (">", Operator::Order(Ordering::is_gt)),
];

/// Right side of a comparison.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    /// A number, and its text in the pattern.
    Number { value: Value, text: String },
    /// Text, with or without wildcards.
    Text(Wildcard),
    /// A regular expression, which matches anywhere in the value.
    Regex(Regex),
}

/// Text with a wildcard `*` at the start or end; an asterisk in the middle is literal.
#[derive(Clone, Debug)]
pub struct Wildcard {
    text: String,
    open_start: bool,
    open_end: bool,
}

impl Wildcard {
    /// Parses a text in which a star at either end stands for any text.
    pub fn new(text: &str) -> Self {
        let (open_start, text) = text.strip_prefix('*').map_or((false, text), |rest| (true, rest));
        let (open_end, text) = text.strip_suffix('*').map_or((false, text), |rest| (true, rest));
        Self { text: text.to_owned(), open_start, open_end }
    }

    /// True if it matches any text.
    pub(super) fn is_anything(&self) -> bool {
        self.open_start && self.text.is_empty()
    }

    /// True if the value matches.
    pub fn matches(&self, value: &str) -> bool {
        match (self.open_start, self.open_end) {
            (false, false) => value == self.text,
            (true, false) => value.ends_with(&self.text),
            (false, true) => value.starts_with(&self.text),
            (true, true) => value.contains(&self.text),
        }
    }
}

/// Comparison of a value with an operand.
#[derive(Clone, Debug)]
pub(super) struct Condition {
    pub(super) operator: Operator,
    pub(super) operand: Operand,
}

impl Condition {
    /// True if the condition holds for a value with this text and, if it is a number, this number.
    pub(super) fn holds(&self, text: &str, number: Option<Ref<'_>>) -> bool {
        let order = match (&self.operand, number) {
            (Operand::Number { value, .. }, Some(number)) => number.compare(&value.view()),
            _ => None,
        };
        let equal = || match &self.operand {
            Operand::Number { text: written, .. } => {
                order.map_or(text == written, |order| order == Ordering::Equal)
            }
            Operand::Text(wildcard) => wildcard.matches(text),
            Operand::Regex(regex) => regex.is_match(text),
        };
        match self.operator {
            Operator::Equal => equal(),
            Operator::NotEqual => !equal(),
            Operator::Order(holds) => order.is_some_and(holds),
        }
    }

    /// True if the condition only tests that a value is present.
    pub(super) fn is_presence(&self) -> bool {
        matches!((&self.operator, &self.operand), (Operator::Equal, Operand::Text(text)) if text.is_anything())
    }
}

/// Parses a number: digits with an optional sign, fraction and exponent.
pub fn parse_number(text: &str) -> Option<Value> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    // Rust would also parse `inf` and `nan` as numbers.
    if !digits.starts_with(|c: char| c.is_ascii_digit()) || digits.ends_with('.') {
        return None;
    }
    if let Ok(whole) = text.parse() {
        return Some(Value::Int(whole));
    }
    text.parse().ok().filter(|number: &f64| number.is_finite()).map(Value::Float)
}
