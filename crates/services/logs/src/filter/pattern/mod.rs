//! Filter patterns of CloudWatch Logs, for metric filters, subscription filters and searches.
//!
//! A pattern has one of three forms: terms (`ERROR -"retry 1"`), a condition on JSON (`{ $.status >= 500 }`), or the
//! columns of space-delimited text (`[ip, ..., status = 5*]`).

mod columns;
pub(crate) mod condition;
pub(crate) mod dialect;
mod json;
mod parse;
mod selector;
mod terms;

use crate::errors;
use columns::Columns;
use json::Json;
use nephos_core::{Error, Result};
use parse::Cursor;
use terms::Terms;

/// Name of the parameter with a pattern.
const FIELD: &str = "filterPattern";

/// Maximum number of characters of a pattern.
const MAX_LENGTH: usize = 1024;

/// A parsed filter pattern.
#[derive(Clone, Debug)]
pub struct Pattern(Form);

#[derive(Clone, Debug)]
enum Form {
    Terms(Terms),
    Json(Json),
    Columns(Columns),
}

impl Pattern {
    /// Parses a filter pattern.
    pub fn parse(text: &str) -> Result<Self> {
        Self::parse_for(text, errors::invalid_filter_pattern)
    }

    /// Parses the pattern of a kind of filter, which has its own error for an invalid pattern.
    pub(crate) fn parse_for(text: &str, invalid: fn() -> Error) -> Result<Self> {
        let mut cursor = Cursor::new(text, invalid);
        let length = text.chars().count();
        if length > MAX_LENGTH {
            let reason = format!("a pattern can have at most {MAX_LENGTH} characters, got {length}");
            return Err(cursor.invalid(reason));
        }
        cursor.skip_space();
        let form = match cursor.peek() {
            Some('{') => Form::Json(Json::parse(&mut cursor)?),
            Some('[') => Form::Columns(Columns::parse(&mut cursor)?),
            _ => Form::Terms(Terms::parse(&mut cursor)?),
        };
        Ok(Self(form))
    }

    /// True if the pattern matches `message`.
    pub fn matches(&self, message: &str) -> bool {
        match &self.0 {
            Form::Terms(terms) => terms.matches(message),
            Form::Json(json) => json.matches(message),
            Form::Columns(columns) => columns.matches(message),
        }
    }

    /// Returns the values that the pattern extracts from `message`, if it matches.
    ///
    /// Columns are named `$name`, or `$4` by their position; JSON values are named by their selector, `$.a.b`.
    pub fn extract(&self, message: &str) -> Option<Vec<(String, String)>> {
        match &self.0 {
            Form::Terms(terms) => terms.matches(message).then(Vec::new),
            Form::Json(json) => json.extract(message),
            Form::Columns(columns) => columns.extract(message),
        }
    }
}
