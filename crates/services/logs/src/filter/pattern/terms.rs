//! Patterns of terms: all required terms, any of the optional terms, none of the excluded terms.

use super::{FIELD, parse::Cursor};
use crate::errors;
use nephos_core::Result;
use regex::Regex;

/// Terms of a pattern. Without terms, every message matches.
#[derive(Clone, Debug, Default)]
pub(super) struct Terms {
    required: Vec<Term>,
    optional: Vec<Term>,
    excluded: Vec<Term>,
}

#[derive(Clone, Debug)]
enum Term {
    Text(String),
    Regex(Regex),
}

impl Term {
    fn occurs_in(&self, message: &str) -> bool {
        match self {
            Self::Text(text) => message.contains(text.as_str()),
            Self::Regex(regex) => regex.is_match(message),
        }
    }

    /// True if the term is blank: a documented pattern that matches every message, also without a space.
    fn is_blank(&self) -> bool {
        matches!(self, Self::Text(text) if text.trim().is_empty())
    }
}

impl Terms {
    pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Self> {
        let mut terms = Self::default();
        loop {
            cursor.skip_space();
            let sign = cursor.peek();
            let list = match sign {
                None => break,
                Some('-') => &mut terms.excluded,
                Some('?') => &mut terms.optional,
                Some(_) => &mut terms.required,
            };
            if let Some('-' | '?') = sign {
                cursor.next();
                cursor.skip_space();
            }
            let term = parse_term(cursor)?;
            if !term.is_blank() {
                list.push(term);
            }
        }
        // The service ignores optional terms next to required or excluded ones.
        if !terms.required.is_empty() || !terms.excluded.is_empty() {
            terms.optional.clear();
        }
        Ok(terms)
    }

    pub(super) fn matches(&self, message: &str) -> bool {
        self.required.iter().all(|term| term.occurs_in(message))
            && !self.excluded.iter().any(|term| term.occurs_in(message))
            && (self.optional.is_empty() || self.optional.iter().any(|term| term.occurs_in(message)))
    }
}

fn parse_term(cursor: &mut Cursor<'_>) -> Result<Term> {
    let start = cursor.position();
    let term = match cursor.peek() {
        None => return Err(cursor.error("expected a term")),
        Some('"') => Term::Text(cursor.parse_quoted()?),
        Some('%') => Term::Regex(cursor.parse_regex()?),
        Some(_) => {
            let text = cursor.take_while(|c| !c.is_whitespace());
            if !text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
                let reason =
                    "terms with characters other than letters, digits and _ must be in double quotes";
                let hint = cursor.reason_at(start, reason);
                return Err(errors::invalid_term(text).with_field(FIELD).with_hint(hint));
            }
            Term::Text(text.to_owned())
        }
    };
    match cursor.peek() {
        Some(next) if !next.is_whitespace() => Err(cursor.error("expected a space between terms")),
        _ => Ok(term),
    }
}
