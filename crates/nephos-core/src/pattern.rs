//! Patterns: regular expressions that match whole texts.

mod classes;

use crate::Error;
use classes::Classes;
use regex::Regex;
use regex_automata::{
    Anchored, MatchKind,
    dfa::{Automaton, StartKind, dense},
    util::{primitives::StateID, start},
};
use std::{fmt, sync::OnceLock};

/// A regular expression that has to match the whole text, compiled at its first use.
pub struct Pattern {
    text: &'static str,
    /// Error of the service for a text that does not match, if it has one of its own.
    refusal: Option<fn() -> Error>,
    compiled: OnceLock<Compiled>,
}

/// Character classes for a simple pattern, a table of states (DFA) if it is small enough, and a general engine
/// otherwise.
enum Compiled {
    Classes(Box<Classes>),
    Table { dfa: Box<dense::DFA<Vec<u32>>>, start: StateID },
    General(Regex),
}

/// Maximum size of a table of states.
const MAX_TABLE_BYTES: usize = 1 << 18;

impl Compiled {
    fn new(text: &str) -> Self {
        if let Some(classes) = Classes::parse(text) {
            return Self::Classes(Box::new(classes));
        }
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            // All matches are followed, because only those that end at the end of the text count.
            .match_kind(MatchKind::All)
            .dfa_size_limit(Some(MAX_TABLE_BYTES))
            .determinize_size_limit(Some(MAX_TABLE_BYTES));
        let whole = format!("(?:{text})");
        if let Ok(dfa) = dense::Builder::new().configure(config).build(&whole)
            && let Ok(start) = dfa.start_state(&start::Config::new().anchored(Anchored::Yes))
        {
            return Self::Table { dfa: Box::new(dfa), start };
        }
        Self::General(Regex::new(&format!(r"\A(?:{text})\z")).expect("the derive compiled this pattern"))
    }

    fn matches(&self, text: &str) -> bool {
        match self {
            Self::Classes(classes) => classes.matches(text),
            Self::Table { dfa, start } => {
                let mut state = *start;
                // A dead state leads to itself, so only the last state is checked.
                for &byte in text.as_bytes() {
                    state = dfa.next_state(state, byte);
                }
                dfa.is_match_state(dfa.next_eoi_state(state))
            }
            Self::General(regex) => regex.is_match(text),
        }
    }
}

impl Pattern {
    /// Makes a pattern of `text`, which the derives have checked.
    pub const fn new(text: &'static str) -> Self {
        Self { text, refusal: None, compiled: OnceLock::new() }
    }

    /// The same pattern with the service's own error for texts that do not match.
    #[must_use]
    pub const fn refusing(mut self, refusal: fn() -> Error) -> Self {
        self.refusal = Some(refusal);
        self
    }

    /// The service's own error for a text that does not match, if it has one.
    pub(crate) fn refusal(&self) -> Option<Error> {
        self.refusal.map(|refusal| refusal())
    }

    /// Regular expression of the pattern.
    pub fn as_str(&self) -> &'static str {
        self.text
    }

    /// True if all of `text` matches.
    pub fn matches(&self, text: &str) -> bool {
        self.compiled.get_or_init(|| Compiled::new(self.text)).matches(text)
    }
}

impl fmt::Debug for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_of_patterns_matches_the_whole_text() {
        // The second pattern has a word boundary, which the table cannot do for all of Unicode.
        for text in ["[a-z]+|[a-z]+-[0-9]{2}", r"\b(?:[a-z]+|[a-z]+-[0-9]{2})"] {
            let pattern = Pattern::new(text);
            for (value, expected) in [
                ("abc", true),
                ("abc-12", true),
                ("abc-1", false),
                ("abc-123", false),
                ("", false),
                ("x\n", false),
                ("é", false),
            ] {
                assert_eq!(pattern.matches(value), expected, "{text} on {value:?}");
            }
        }
        assert!(matches!(Compiled::new("[a-z]+"), Compiled::Classes(_)));
        assert!(matches!(Compiled::new("[a-z]+|[0-9]"), Compiled::Table { .. }));
        assert!(matches!(Compiled::new(r"\b[a-z]+"), Compiled::General(_)));
        assert!(Pattern::new("").matches("") && !Pattern::new("").matches("a"));
    }
}
