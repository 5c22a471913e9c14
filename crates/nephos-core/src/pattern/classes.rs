//! Patterns that are a sequence of character classes, as most are: `[a-z][a-z0-9-]*`, `[0-9]{12}`. Bytes are
//! looked up independently, while in a table of states each lookup waits for the one before.

/// Character classes, each with a fixed number of bytes except the last.
#[derive(Debug)]
pub(super) struct Classes {
    fixed: Vec<(Class, usize)>,
    last: Class,
    min: usize,
    max: usize,
}

/// Membership of each byte in a class.
type Class = [bool; 256];

impl Classes {
    /// Parses a pattern that has only ASCII classes with counts.
    pub(super) fn parse(pattern: &str) -> Option<Self> {
        let mut fixed = Vec::new();
        let mut rest = pattern;
        loop {
            let (inside, after) = rest.strip_prefix('[')?.split_once(']')?;
            let (min, max, after) = count(after)?;
            let class = class(inside.as_bytes())?;
            if after.is_empty() {
                return Some(Self { fixed, last: class, min, max });
            }
            if min != max {
                return None;
            }
            fixed.push((class, min));
            rest = after;
        }
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        let all_in = |bytes: &[u8], class: &Class| bytes.iter().all(|byte| class[usize::from(*byte)]);
        let mut rest = text.as_bytes();
        for (class, count) in &self.fixed {
            match rest.split_at_checked(*count) {
                Some((these, after)) if all_in(these, class) => rest = after,
                _ => return false,
            }
        }
        (self.min..=self.max).contains(&rest.len()) && all_in(rest, &self.last)
    }
}

/// Parses the content of brackets: characters and ranges of them.
fn class(inside: &[u8]) -> Option<Class> {
    let mut class = [false; 256];
    let mut at = 0;
    while at < inside.len() {
        let (first, next) = character(inside, at)?;
        let (last, next) = match inside.get(next) {
            Some(b'-') if next + 1 < inside.len() => character(inside, next + 1)?,
            _ => (first, next),
        };
        if first > last {
            return None;
        }
        class[usize::from(first)..=usize::from(last)].fill(true);
        at = next;
    }
    Some(class).filter(|_| !inside.is_empty())
}

/// Parses one character and returns the position of the next; `None` for a special character.
fn character(inside: &[u8], at: usize) -> Option<(u8, usize)> {
    match (*inside.get(at)?, inside.get(at + 1)) {
        (b'\\', Some(escaped)) if escaped.is_ascii_punctuation() => Some((*escaped, at + 2)),
        (b'-', Some(next)) if at > 0 || *next == b'-' => None,
        (b'\\' | b'[' | b'^' | b'&' | b'~', _) => None,
        (byte, _) if byte.is_ascii() => Some((byte, at + 1)),
        _ => None,
    }
}

/// Parses the minimum and maximum count of a class, and returns the rest of the pattern.
fn count(after: &str) -> Option<(usize, usize, &str)> {
    let mut chars = after.chars();
    let (min, max, rest) = match chars.next() {
        Some('*') => (0, usize::MAX, chars.as_str()),
        Some('+') => (1, usize::MAX, chars.as_str()),
        Some('?') => (0, 1, chars.as_str()),
        Some('{') => {
            let (inside, rest) = chars.as_str().split_once('}')?;
            let (min, max) = match inside.split_once(',') {
                Some((min, "")) => (min.parse().ok()?, usize::MAX),
                Some((min, max)) => (min.parse().ok()?, max.parse().ok()?),
                None => (inside.parse().ok()?, inside.parse().ok()?),
            };
            (min, max, rest)
        }
        _ => return Some((1, 1, after)),
    };
    // These would modify the count.
    (!rest.starts_with(['?', '+', '*', '{'])).then_some((min, max, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;

    #[test]
    fn only_sequences_of_classes_are_parsed() {
        for pattern in
            ["[a-z]", "[a-z][a-z0-9-]*", "[0-9]{12}", r"[.\-_/#A-Za-z0-9]+", "[ab]{2}[-c]{1,3}", "[a]{2,}"]
        {
            assert!(Classes::parse(pattern).is_some(), "{pattern}");
        }
        for pattern in [
            "",
            "a",
            "[a-z]*[0-9]",
            "[^a]",
            "[[:alpha:]]",
            r"[\d]",
            r"[\w-]+",
            "[é]",
            "[a&&b]",
            "[a-z]+?",
            "[a]|b",
            "(?i)[a]",
            "[a--b]",
            "[]a]",
            "[b-a]",
            "[a]{1,2}?",
            ".",
            "[a~~b]",
        ] {
            assert!(Classes::parse(pattern).is_none(), "{pattern}");
        }
    }

    proptest! {
        #[test]
        fn classes_match_the_same_texts_as_the_regular_expression(
            pattern in r"(\[(a|b-d|\\-|_|\.|/|0-9|#|X-Z| ){1,4}-?\](\{[0-3]\}|\{1,3\})?){0,2}\[[a-c0-2_]{1,3}\]([*+?]|\{[0-4]\}|\{2,\}|\{0,3\})?",
            texts in prop::collection::vec("[a-d0-2_.é -]{0,8}", 1..20),
        ) {
            let regex = Regex::new(&format!(r"\A(?:{pattern})\z")).unwrap();
            if let Some(classes) = Classes::parse(&pattern) {
                for text in texts {
                    prop_assert_eq!(classes.matches(&text), regex.is_match(&text), "{} on {:?}", pattern, text);
                }
            }
        }
    }
}
