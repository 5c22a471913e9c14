//! Event patterns: parsed with the provider's refusals, matched one by one or by an [`Index`] of all rules of a bus.
//!
//! A pattern names fields and choices for each of them. An event matches if each field of the pattern has a value that one of its
//! choices accepts. Choices are values, or operators: `prefix`, `suffix`, `equals-ignore-case`, `wildcard`, `anything-but`,
//! `numeric`, `cidr` and `exists`. `$or` combines objects of fields.

mod address;
mod choice;
mod evaluate;
mod event;
mod explain;
pub mod index;
mod number;
mod operators;
mod parse;
mod reasons;
mod tokens;
mod wildcard;

pub use event::Event;
pub use explain::{AlternativeExplanation, Explanation, FieldExplanation};
pub use index::Index;

use choice::Choice;
use std::{fmt, sync::Arc};

/// Maximum number of characters of a pattern, unless the quota is raised.
pub const MAX_LENGTH: usize = 2048;

/// A parsed event pattern. Clones share its content.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::pattern::{Event, Pattern};
///
/// let pattern = Pattern::parse(r#"{"source": ["shop"], "detail": {"total": [{"numeric": [">", 100]}]}}"#)?;
/// let large = json::parse(br#"{"source": "shop", "detail": {"total": 250.5}}"#).expect("it is JSON");
/// assert!(pattern.matches(&Event::prepare(&large).expect("it is an object")));
/// # Ok::<(), nephos_events::pattern::PatternError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Pattern {
    /// Combinations of the objects of `$or`; one if there is no `$or`.
    alternatives: Arc<[Alternative]>,
}

/// Fields of a pattern that must all match, sorted by name.
#[derive(Debug, PartialEq)]
struct Alternative {
    leaves: Box<[Leaf]>,
}

/// A field of a pattern.
#[derive(Debug, PartialEq)]
struct Leaf {
    /// Names of the objects around the field and of the field itself, with dots between them.
    path: Arc<str>,
    choices: Arc<[Choice]>,
}

impl Pattern {
    /// Parses a pattern of at most [`MAX_LENGTH`] characters.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        Self::parse_up_to(text, MAX_LENGTH)
    }

    /// Parses a pattern of at most `max_length` characters.
    pub fn parse_up_to(text: &str, max_length: usize) -> Result<Self, PatternError> {
        if text.chars().nth(max_length).is_some() {
            return Err(PatternError::new(reasons::too_long(max_length)));
        }
        Ok(Self { alternatives: parse::parse(text)?.into() })
    }

    /// True if the event matches the pattern.
    pub fn matches(&self, event: &Event<'_>) -> bool {
        self.alternatives.iter().any(|alternative| alternative.matches(event))
    }
}

/// Refusal of a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    reason: String,
}

impl PatternError {
    fn new(reason: String) -> Self {
        Self { reason }
    }

    /// Reason of the refusal in the provider's words, with the position in the pattern where the provider gives it.
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Event pattern is not valid. Reason: {}", self.reason)
    }
}

impl std::error::Error for PatternError {}
