//! Secrets that must not be printed.

use std::fmt;

/// A text that is never printed. [`expose`](Self::expose) is the only way to read it.
///
/// ```
/// let password = nephos_core::Secret::from("hunter2");
/// assert_eq!(format!("{password:?} {password}"), "<secret> <secret>");
/// assert_eq!(password.expose(), "hunter2");
/// ```
#[derive(Clone, Default)]
pub struct Secret(zeroize::Zeroizing<String>);

impl Secret {
    /// Returns the text. Do not print it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Secret {
    fn from(text: T) -> Self {
        Self(zeroize::Zeroizing::new(text.into()))
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        // Constant time, so that timing does not show where the two differ.
        let (a, b) = (self.0.as_bytes(), other.0.as_bytes());
        a.len() == b.len() && a.iter().zip(b).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<secret>")
    }
}
