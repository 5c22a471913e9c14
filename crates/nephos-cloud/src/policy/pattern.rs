//! Patterns of policies: texts with `*`, `?` and variables such as `${aws:username}`.

use super::request::Context;

/// A pattern in which `*` stands for any characters, `?` for one, and `${key}` for the value of a context key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// The texts between the `*` of a pattern that has neither `?` nor variables, as most do. They take little space, and
    /// are compared fast.
    Pieces(Box<[Box<str>]>),
    Parts(Vec<Part>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Char(char),
    AnyChar,
    AnyChars,
    /// A context key, and the text to use if the request does not have it.
    Variable(String, Option<String>),
}

impl Pattern {
    /// Parses a pattern. Policies of the older version have no variables.
    pub(super) fn parse(text: &str, has_variables: bool) -> Self {
        Self::parse_with(text, has_variables, |wildcard| match wildcard {
            '*' => Part::AnyChars,
            _ => Part::AnyChar,
        })
    }

    /// Parses a text in which `*` and `?` stand for themselves; variables count.
    pub(super) fn parse_exact(text: &str, has_variables: bool) -> Self {
        Self::parse_with(text, has_variables, Part::Char)
    }

    fn parse_with(text: &str, has_variables: bool, wildcard: impl Fn(char) -> Part) -> Self {
        let mut parts = Vec::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if has_variables && let Some((part, after)) = parse_variable(rest) {
                parts.push(part);
                rest = after;
                continue;
            }
            parts.push(match first {
                '*' | '?' => wildcard(first),
                other => Part::Char(other),
            });
            rest = &rest[first.len_utf8()..];
        }
        match read_pieces(&parts) {
            Some(pieces) => Self::Pieces(pieces),
            None => Self::Parts(parts),
        }
    }

    /// Replaces variables by their values in `context`; `None` if one has no value.
    fn expand(&self, context: &Context) -> Option<Vec<Part>> {
        let parts = match self {
            Self::Pieces(pieces) => return Some(to_parts(pieces)),
            Self::Parts(parts) => parts,
        };
        let mut expanded = Vec::with_capacity(parts.len());
        for part in parts {
            let Part::Variable(key, default) = part else {
                expanded.push(part.clone());
                continue;
            };
            let value = match context.get(key) {
                [value] => value.as_str(),
                _ => default.as_deref()?,
            };
            expanded.extend(value.chars().map(Part::Char));
        }
        Some(expanded)
    }

    /// True if all variables have a value in `context`, or a default.
    pub(super) fn has_values(&self, context: &Context) -> bool {
        let Self::Parts(parts) = self else { return true };
        parts.iter().all(|part| match part {
            Part::Variable(key, default) => default.is_some() || context.get(key).len() == 1,
            _ => true,
        })
    }

    /// True if `text` matches, with the values of variables from `context`.
    pub(super) fn matches(&self, text: &str, ignore_case: bool, context: &Context) -> bool {
        match self {
            Self::Pieces(pieces) => return matches_pieces(pieces, text, ignore_case),
            Self::Parts(parts) if !parts.iter().any(|part| matches!(part, Part::Variable(..))) => {
                return matches(parts, text, ignore_case);
            }
            Self::Parts(_) => {}
        }
        self.expand(context).is_some_and(|parts| matches(&parts, text, ignore_case))
    }

    /// True if the six parts of the ARN in `text` match the six parts of this pattern, each by itself.
    pub(super) fn matches_arn(&self, text: &str, context: &Context) -> bool {
        let Some(parts) = self.expand(context) else { return false };
        let mut patterns = parts.splitn(6, |part| *part == Part::Char(':'));
        let mut texts = text.splitn(6, ':');
        loop {
            match (patterns.next(), texts.next()) {
                (Some(pattern), Some(text)) if matches(pattern, text, false) => {}
                (None, None) => return true,
                _ => return false,
            }
        }
    }
}

/// Parses `${key}`, `${key, 'default'}` or an escaped character (`${*}`) at the start of `text`; returns the rest.
fn parse_variable(text: &str) -> Option<(Part, &str)> {
    let (inner, rest) = text.strip_prefix("${")?.split_once('}')?;
    if let "*" | "?" | "$" = inner {
        return inner.chars().next().map(|escaped| (Part::Char(escaped), rest));
    }
    let (key, default) = match inner.split_once(',') {
        Some((key, default)) => {
            let default = default.trim().strip_prefix('\'')?.strip_suffix('\'')?;
            (key, Some(default.to_owned()))
        }
        None => (inner, None),
    };
    Some((Part::Variable(key.trim().to_ascii_lowercase(), default), rest))
}

/// Returns the texts between the `*`; `None` if the pattern has other parts than characters and `*`.
fn read_pieces(parts: &[Part]) -> Option<Box<[Box<str>]>> {
    let character = |part: &Part| match part {
        Part::Char(character) => Some(*character),
        _ => None,
    };
    let piece = |parts: &[Part]| parts.iter().map(character).collect::<Option<String>>().map(Box::from);
    parts.split(|part| *part == Part::AnyChars).map(piece).collect()
}

/// Returns the parts of a pattern with these texts between its `*`.
fn to_parts(pieces: &[Box<str>]) -> Vec<Part> {
    let mut parts = Vec::new();
    for (n, piece) in pieces.iter().enumerate() {
        parts.extend((n > 0).then_some(Part::AnyChars));
        parts.extend(piece.chars().map(Part::Char));
    }
    parts
}

/// Matches the first piece at the start, the last one at the end, and the others in between, each at the first place.
fn matches_pieces(pieces: &[Box<str>], text: &str, ignore_case: bool) -> bool {
    let (Some((first, rest)), text) = (pieces.split_first(), text.as_bytes()) else { return text.is_empty() };
    let Some((last, middle)) = rest.split_last() else { return is_same(first.as_bytes(), text, ignore_case) };
    if text.len() < first.len() + last.len() {
        return false;
    }
    let (start, text) = text.split_at(first.len());
    if !is_same(first.as_bytes(), start, ignore_case) {
        return false;
    }
    let (mut text, end) = text.split_at(text.len() - last.len());
    if !is_same(last.as_bytes(), end, ignore_case) {
        return false;
    }
    for piece in middle.iter().map(|piece| piece.as_bytes()).filter(|piece| !piece.is_empty()) {
        let Some(at) = find_piece(text, piece, ignore_case) else { return false };
        text = &text[at + piece.len()..];
    }
    true
}

/// Finds the first place of a piece that is not empty.
fn find_piece(text: &[u8], piece: &[u8], ignore_case: bool) -> Option<usize> {
    let last = text.len().checked_sub(piece.len())?;
    if ignore_case {
        return (0..=last).find(|at| is_same(piece, &text[*at..at + piece.len()], true));
    }
    // Comparing the ends first rules out most places without a call.
    let (first_byte, last_byte) = (piece[0], piece[piece.len() - 1]);
    let is_near = |at: usize| text[at] == first_byte && text[at + piece.len() - 1] == last_byte;
    (0..=last).find(|at| is_near(*at) && text[*at..at + piece.len()] == *piece)
}

fn is_same(one: &[u8], other: &[u8], ignore_case: bool) -> bool {
    // The library's comparison of empty texts is slow where it loads from their address, which is no memory.
    if one.is_empty() {
        return other.is_empty();
    }
    one == other || (ignore_case && one.eq_ignore_ascii_case(other))
}

/// Matches from the left and returns to the last `*` on a mismatch: the cost is at most the product of the lengths.
fn matches(parts: &[Part], text: &str, ignore_case: bool) -> bool {
    let is_same = |one: char, other: char| one == other || (ignore_case && one.eq_ignore_ascii_case(&other));
    let (mut at, mut rest) = (0, text.chars());
    // The part after the last `*`, and the text that it was tried on.
    let mut retry = None;
    loop {
        let mut after = rest.clone();
        let next = after.next();
        match (parts.get(at), next) {
            (Some(Part::AnyChars), _) => {
                at += 1;
                retry = Some((at, rest.clone()));
                continue;
            }
            (Some(Part::AnyChar), Some(_)) => (at, rest) = (at + 1, after),
            (Some(Part::Char(wanted)), Some(found)) if is_same(*wanted, found) => {
                (at, rest) = (at + 1, after)
            }
            (None, None) => return true,
            _ => {
                let Some((again, tried)) = &mut retry else { return false };
                if tried.next().is_none() {
                    return false;
                }
                (at, rest) = (*again, tried.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_match_any_and_one_character() {
        let matches = |pattern: &str, text: &str| {
            Pattern::parse(pattern, true).matches(text, false, &Context::default())
        };
        for (pattern, text) in [
            ("", ""),
            ("*", ""),
            ("*", "anything"),
            ("a*c", "abbc"),
            ("a*b*c", "a-bb-b-c"),
            ("??", "äö"),
            ("a?c*", "abc"),
            ("*abc", "ababc"),
            ("${*}${?}${$}", "*?$"),
        ] {
            assert!(matches(pattern, text), "{pattern} {text}");
        }
        for (pattern, text) in
            [("", "a"), ("a", ""), ("a*c", "abb"), ("?", ""), ("A", "a"), ("${*}", "a"), ("*a?", "a")]
        {
            assert!(!matches(pattern, text), "{pattern} {text}");
        }
        assert!(Pattern::parse("LOGS:get*", true).matches("logs:GetLogEvents", true, &Context::default()));
        let exact = Pattern::parse_exact("a**?", true);
        assert!(exact.matches("a**?", false, &Context::default()));
        assert!(!exact.matches("abcd", false, &Context::default()));
        assert!(Pattern::parse_exact("${*}", true).matches("*", false, &Context::default()));
    }

    /// Returns all texts of these characters with at most `length` characters.
    fn texts(characters: &[char], length: usize) -> Vec<String> {
        let mut all = vec![String::new()];
        for start in 0.. {
            let Some(text) = all.get(start).cloned() else { break };
            if text.len() < length {
                all.extend(characters.iter().map(|character| format!("{text}{character}")));
            }
        }
        all
    }

    #[test]
    fn pieces_match_as_the_parts_do() {
        for pattern in texts(&['a', 'B', '*'], 5) {
            let parsed = Pattern::parse(&pattern, true);
            let Pattern::Pieces(pieces) = &parsed else { panic!("{pattern} has only characters and *") };
            let parts = to_parts(pieces);
            for text in texts(&['a', 'B', 'b'], 4) {
                for ignore_case in [false, true] {
                    let expected = matches(&parts, &text, ignore_case);
                    assert_eq!(matches_pieces(pieces, &text, ignore_case), expected, "{pattern} {text}");
                }
            }
        }
    }

    #[test]
    fn hostile_pattern_takes_bounded_time() {
        let pattern = Pattern::parse(&"*a".repeat(5000), true);
        assert!(!pattern.matches(&"a".repeat(4999), false, &Context::default()));
    }

    #[test]
    fn variables_have_the_values_of_the_request() {
        let context = Context::default().with("aws:username", "a*").with("aws:PrincipalTag/team", "web");
        let matches =
            |pattern: &str, text: &str| Pattern::parse(pattern, true).matches(text, false, &context);
        assert!(matches("home/${aws:username}/*", "home/a*/x"));
        assert!(!matches("home/${aws:username}/*", "home/ab/x"), "a value has no wildcards");
        assert!(matches("${AWS:PrincipalTag/Team}", "web"));
        assert!(!matches("${aws:userid}", ""));
        assert!(matches("${aws:userid, 'nobody'}", "nobody"));
        assert!(Pattern::parse("${aws:username}", false).matches("${aws:username}", false, &context));
    }

    #[test]
    fn arn_parts_match_by_themselves() {
        let matches =
            |pattern: &str, arn: &str| Pattern::parse(pattern, true).matches_arn(arn, &Context::default());
        let arn = "arn:aws:iam::123456789012:role/web:blue";
        assert!(matches("arn:*:iam::*:role/web*", arn) && matches(arn, arn));
        assert!(!matches("arn:*:role/web*", arn) && !matches("arn:aws:iam:*", arn));
    }
}
