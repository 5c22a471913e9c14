//! Identifiers of databases and caches.

/// True for an identifier as databases and caches have them: a letter, then letters, digits and single hyphens, the last of
/// which is no hyphen.
pub fn is_identifier(given: &str) -> bool {
    given.starts_with(|first: char| first.is_ascii_alphabetic())
        && given.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !given.ends_with('-')
        && !given.contains("--")
}
