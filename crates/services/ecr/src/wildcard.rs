//! Patterns in which `*` stands for any characters, or none.

/// True if a pattern matches the whole text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let (inner, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in inner.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn wildcards_stand_for_any_characters() {
        for (pattern, text) in [
            ("*", ""),
            ("*", "web"),
            ("prod-*", "prod-"),
            ("*web", "a/web"),
            ("a*b*c", "abbc"),
            ("a**b", "ab"),
            ("a", "a"),
        ] {
            assert!(matches(pattern, text), "{pattern} matches {text}");
        }
        for (pattern, text) in
            [("prod-*", "x-prod-a"), ("*web", "web/a"), ("a*b*c", "acb"), ("ab*ba", "aba"), ("a", "ab")]
        {
            assert!(!matches(pattern, text), "{pattern} does not match {text}");
        }
    }
}
