//! Texts with wildcards.

use super::{PatternError, reasons};
use std::{collections::BTreeSet, fmt};

/// Number of places in a wildcard text at which the match of one value can stand at the same time, from which on the
/// provider refuses the text.
const MAX_PLACES: usize = 10;
/// Number of sets of places that are looked at.
const MAX_SETS: usize = 4096;

/// A text in which `*` matches any characters, or none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Wildcard {
    /// Texts between the wildcards. One text without wildcards is compared as a whole.
    pub(super) parts: Box<[Box<str>]>,
}

impl Wildcard {
    /// Parses `text`. A backslash escapes `*` and itself; the error is a reason without a position.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut part = String::new();
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let next = characters.peek().map(|(_, next)| *next);
            match (character, next) {
                ('*', Some('*')) => return Err(reasons::consecutive_wildcards(at + 1)),
                ('*', _) => parts.push(std::mem::take(&mut part).into_boxed_str()),
                ('\\', Some(escaped @ ('*' | '\\'))) => {
                    part.push(escaped);
                    characters.next();
                }
                ('\\', _) => return Err(reasons::invalid_escape(at + 1)),
                _ => part.push(character),
            }
        }
        parts.push(part.into_boxed_str());
        Ok(Self { parts: parts.into() })
    }

    /// Refuses a text whose matching could take too long.
    pub(super) fn check_complexity(&self) -> Result<(), PatternError> {
        if self.is_too_complex() { Err(PatternError::new(reasons::TOO_COMPLEX.to_owned())) } else { Ok(()) }
    }

    /// Walks through all sets of places that a value can reach. A place is a byte of the text that was just matched, or a
    /// wildcard.
    fn is_too_complex(&self) -> bool {
        // `None` is a wildcard.
        let mut places: Vec<Option<u8>> = Vec::new();
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                places.push(None);
            }
            places.extend(part.bytes().map(Some));
        }
        // Items of a set are numbers of matched places.
        let start = with_wildcards(&places, [0]);
        let mut seen = BTreeSet::from([start.clone()]);
        let mut queue = vec![start];
        while let Some(set) = queue.pop() {
            if set.len() >= MAX_PLACES || seen.len() > MAX_SETS {
                return true;
            }
            let bytes: BTreeSet<u8> = set.iter().filter_map(|matched| *places.get(*matched)?).collect();
            for byte in &bytes {
                let stay =
                    set.iter().copied().filter(|matched| *matched > 0 && places[matched - 1].is_none());
                let forward = set
                    .iter()
                    .filter(|matched| places.get(**matched) == Some(&Some(*byte)))
                    .map(|matched| matched + 1);
                let next = with_wildcards(&places, stay.chain(forward));
                if seen.insert(next.clone()) {
                    queue.push(next);
                }
            }
        }
        false
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let (Some(first), Some(last)) = (self.parts.first(), self.parts.last()) else { return false };
        if self.parts.len() == 1 {
            return text == &**first;
        }
        let Some(rest) = text.strip_prefix(&**first).and_then(|rest| rest.strip_suffix(&**last)) else {
            return false;
        };
        let mut rest = rest;
        self.parts[1..self.parts.len() - 1].iter().all(|part| match rest.find(&**part) {
            Some(at) => {
                rest = &rest[at + part.len()..];
                true
            }
            None => false,
        })
    }
}

/// Adds the wildcards that directly follow the places, because they match no characters too.
fn with_wildcards(places: &[Option<u8>], matched: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut set = BTreeSet::new();
    for matched in matched {
        set.insert(matched);
        if places.get(matched) == Some(&None) {
            set.insert(matched + 1);
        }
    }
    set.into_iter().collect()
}

impl fmt::Display for Wildcard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, part) in self.parts.iter().enumerate() {
            if index > 0 {
                f.write_str("*")?;
            }
            f.write_str(&part.replace('\\', "\\\\").replace('*', "\\*"))?;
        }
        Ok(())
    }
}
