//! Data protection policies: detect sensitive values in messages and mask them.

pub mod checks;
pub mod document;
pub mod finder;
pub mod identifiers;
pub mod keywords;

use finder::Finder;
use nephos_core::{Error, Result};
use std::{borrow::Cow, ops::Range};

/// Name of the parameter with a policy document.
const FIELD: &str = "policyDocument";

/// Returns the error for a policy document that is invalid for this reason.
fn invalid(reason: impl Into<String>) -> Error {
    super::errors::invalid_data_protection_policy().with_field(FIELD).with_hint(reason)
}

/// A data protection policy, ready to mask messages.
#[derive(Clone, Debug)]
pub struct Policy {
    finders: Vec<Finder>,
}

impl Policy {
    /// Parses a policy document.
    ///
    /// A managed data identifier that cannot be detected here is an error, as its values would not be masked.
    pub fn parse(document: &str) -> Result<Self> {
        Ok(Self { finders: document::parse_finders(document)? })
    }

    /// Replaces every character of the sensitive values in the message with an asterisk.
    pub fn mask<'a>(&self, message: &'a str) -> Cow<'a, str> {
        let mut found: Vec<Range<usize>> = Vec::new();
        self.finders.iter().for_each(|finder| finder.find(message, &mut found));
        if found.is_empty() {
            return Cow::Borrowed(message);
        }
        found.sort_unstable_by_key(|range| range.start);
        let mut masked = String::with_capacity(message.len());
        let mut at = 0;
        for range in found {
            // Values may overlap, like a phone number in an account number.
            let start = range.start.max(at);
            let end = range.end.max(at);
            masked.push_str(&message[at..start]);
            masked.extend(message[start..end].chars().map(|_| '*'));
            at = end;
        }
        masked.push_str(&message[at..]);
        Cow::Owned(masked)
    }
}
