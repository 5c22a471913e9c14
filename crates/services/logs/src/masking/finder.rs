//! Detection of the values of a data identifier in messages.

use super::{identifiers::Identifier, keywords::KeywordPositions};
use nephos_core::{Error, ErrorKind, Result};
use regex::Regex;
use std::{cell::OnceCell, ops::Range};

/// A compiled data identifier.
#[derive(Clone, Debug)]
pub struct Finder {
    value: Regex,
    /// Capture group of the value.
    group: usize,
    /// Keywords of which at least one must be near the value; empty if no keyword is required.
    keywords: Vec<&'static str>,
    check: fn(&str) -> bool,
}

impl Finder {
    /// Compiles a managed data identifier.
    pub fn managed(identifier: &Identifier) -> Result<Self> {
        let (start, end) =
            if identifier.bounded { ("(?:^|[^0-9A-Za-z])", "(?:$|[^0-9A-Za-z])") } else { ("", "") };
        // A test compiles every row of the table, so this does not fail.
        let value = Regex::new(&format!("{start}({}){end}", identifier.value))
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        let keywords = identifier.keywords.iter().flat_map(|text| text.split(", ")).collect();
        Ok(Self { value, group: 1, keywords, check: identifier.check })
    }

    /// Makes the finder of a custom data identifier.
    pub(super) fn custom(value: Regex) -> Self {
        Self { value, group: 0, keywords: Vec::new(), check: |_| true }
    }

    /// Adds the byte ranges of the values in `message` to `found`.
    pub(super) fn find(&self, message: &str, found: &mut Vec<Range<usize>>) {
        let positions = OnceCell::new();
        let is_near = |range: &Range<usize>| {
            let positions = || positions.get_or_init(|| KeywordPositions::new(&self.keywords, message));
            self.keywords.is_empty() || positions().is_near(message, range)
        };
        let mut at = 0;
        // The character after a value may be the boundary before the next one, so continue at the end of the value.
        while let Some(value) =
            self.value.captures_at(message, at).and_then(|captures| captures.get(self.group))
        {
            if !value.is_empty() && (self.check)(value.as_str()) && is_near(&value.range()) {
                found.push(value.range());
            }
            at = value.end();
            if value.is_empty() {
                let Some(next) = message[at..].chars().next() else { break };
                at += next.len_utf8();
            }
        }
    }
}
