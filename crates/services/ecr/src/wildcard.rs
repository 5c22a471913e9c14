//! Patterns in which `*` stands for any characters, or none.

/// True if a pattern matches the whole text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut left) = text.strip_prefix(start) else { return false };
    let (inner, end) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in inner.split('*') {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}
