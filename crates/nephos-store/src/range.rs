//! Key ranges and scan directions.

use std::ops::{Bound, RangeBounds};

/// Order of a scan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest key first.
    Ascending,
    /// Largest key first.
    Descending,
}

/// A contiguous range of keys in byte order.
///
/// ```
/// use nephos_store::KeyRange;
///
/// assert!(KeyRange::prefix(b"log/").contains(b"log/web"));
/// assert!(!KeyRange::prefix(b"log/").contains(b"log0"));
/// assert!(KeyRange::from_bounds("a".."c").contains(b"b"));
/// assert!(KeyRange::from_bounds("c".."a").is_empty());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyRange {
    start: Bound<Vec<u8>>,
    end: Bound<Vec<u8>>,
}

impl KeyRange {
    /// Returns the range of all keys.
    pub fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// Returns the range of keys within Rust range bounds: `KeyRange::from_bounds("a"..="b")`.
    pub fn from_bounds<K: AsRef<[u8]>>(bounds: impl RangeBounds<K>) -> Self {
        let own = |bound: Bound<&K>| bound.map(|key| key.as_ref().to_vec());
        Self { start: own(bounds.start_bound()), end: own(bounds.end_bound()) }
    }

    /// Returns the range of keys that begin with `prefix`.
    pub fn prefix(prefix: &[u8]) -> Self {
        // The first key after the prefix: without trailing 0xFF bytes, the last byte plus one.
        let end = match prefix.iter().rposition(|&byte| byte != u8::MAX) {
            Some(last) => {
                let mut end = prefix[..=last].to_vec();
                end[last] += 1;
                Bound::Excluded(end)
            }
            None => Bound::Unbounded,
        };
        Self { start: Bound::Included(prefix.to_vec()), end }
    }

    /// Returns the rest of this range after `key` in `direction`, for the next page.
    #[must_use]
    pub fn after(&self, key: &[u8], direction: Direction) -> Self {
        let mut rest = self.clone();
        match direction {
            Direction::Ascending if !self.before_start(key) => rest.start = Bound::Excluded(key.to_vec()),
            Direction::Descending if !self.past_end(key) => rest.end = Bound::Excluded(key.to_vec()),
            _ => {}
        }
        rest
    }

    /// True if `key` is in the range.
    pub fn contains(&self, key: &[u8]) -> bool {
        !self.before_start(key) && !self.past_end(key)
    }

    /// True if no key can be in the range.
    pub fn is_empty(&self) -> bool {
        match (&self.start, &self.end) {
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
            // No key lies between a key and the same key followed by a zero byte.
            (Bound::Excluded(start), Bound::Excluded(end)) => {
                start >= end
                    || (end.len() == start.len() + 1 && end.starts_with(start) && end.ends_with(&[0]))
            }
            (Bound::Unbounded, Bound::Excluded(end)) => end.is_empty(),
            _ => false,
        }
    }

    /// Bounds as borrowed slices, for maps that take them.
    pub fn bounds(&self) -> (Bound<&[u8]>, Bound<&[u8]>) {
        (self.start.as_ref().map(Vec::as_slice), self.end.as_ref().map(Vec::as_slice))
    }

    fn before_start(&self, key: &[u8]) -> bool {
        match &self.start {
            Bound::Included(start) => key < start.as_slice(),
            Bound::Excluded(start) => key <= start.as_slice(),
            Bound::Unbounded => false,
        }
    }

    fn past_end(&self, key: &[u8]) -> bool {
        match &self.end {
            Bound::Included(end) => key > end.as_slice(),
            Bound::Excluded(end) => key >= end.as_slice(),
            Bound::Unbounded => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefix_of_0xff_bytes_has_no_upper_bound() {
        let range = KeyRange::prefix(&[0xFF, 0xFF]);
        assert!(range.contains(&[0xFF, 0xFF, 0xFF, 0xFF]));
        assert!(!range.contains(&[0xFF, 0xFE]));
        let range = KeyRange::prefix(&[1, 0xFF]);
        assert!(range.contains(&[1, 0xFF, 7]));
        assert!(!range.contains(&[2]));
        assert_eq!(KeyRange::prefix(b"").bounds().1, Bound::Unbounded);
    }

    #[test]
    fn next_page_stays_within_the_range() {
        let range = KeyRange::from_bounds("b"..="d");
        assert!(!range.after(b"c", Direction::Ascending).contains(b"c"));
        assert!(range.after(b"c", Direction::Ascending).contains(b"d"));
        assert!(range.after(b"c", Direction::Descending).contains(b"b"));
        assert!(!range.after(b"a", Direction::Ascending).contains(b"a"));
        assert!(!range.after(b"e", Direction::Descending).contains(b"e"));
        assert!(range.after(b"d", Direction::Ascending).is_empty());
    }
}
