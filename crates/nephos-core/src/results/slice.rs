//! Slices with Python's rules.

use crate::{Error, Result};

#[derive(Clone, Copy, Debug)]
pub(super) struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
}

impl Slice {
    pub(super) fn new(start: Option<i64>, end: Option<i64>, step: i64) -> Result<Self> {
        if step == 0 {
            return Err(Error::invalid("step", "cannot be 0"));
        }
        Ok(Self { start, end, step })
    }

    /// Returns the indices, if they do not depend on the number of models.
    pub(super) fn forward(&self) -> Option<impl Iterator<Item = usize> + use<>> {
        let step = usize::try_from(self.step).ok()?;
        let start = usize::try_from(self.start.unwrap_or(0)).ok()?;
        let end = match self.end {
            Some(end) => usize::try_from(end).ok()?,
            None => usize::MAX,
        };
        Some((start..end).step_by(step))
    }

    /// Returns the indices into a list of `len` models, in the order of the slice.
    pub(super) fn indices(&self, len: usize) -> Vec<usize> {
        let len = i64::try_from(len).unwrap_or(i64::MAX);
        let (lowest, highest) = if self.step > 0 { (0, len) } else { (-1, len - 1) };
        let place =
            |bound: i64| (if bound < 0 { bound.saturating_add(len) } else { bound }).clamp(lowest, highest);
        let (start, end) = if self.step > 0 {
            (self.start.map_or(0, place), self.end.map_or(len, place))
        } else {
            (self.start.map_or(len - 1, place), self.end.map_or(-1, place))
        };
        let mut indices = Vec::new();
        let mut at = start;
        while if self.step > 0 { at < end } else { at > end } {
            indices.extend(usize::try_from(at));
            at = match at.checked_add(self.step) {
                Some(next) => next,
                None => break,
            };
        }
        indices
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: Option<i64>, end: Option<i64>, step: i64) -> Vec<usize> {
        Slice::new(start, end, step).unwrap().indices(5)
    }

    #[test]
    fn slices_follow_the_rules_of_python() {
        assert_eq!(slice(None, None, 1), [0, 1, 2, 3, 4]);
        assert_eq!(slice(Some(1), Some(-1), 1), [1, 2, 3]);
        assert_eq!(slice(Some(-2), None, 1), [3, 4]);
        assert_eq!(slice(None, None, -1), [4, 3, 2, 1, 0]);
        assert_eq!(slice(Some(3), Some(0), -2), [3, 1]);
        assert_eq!(slice(Some(-1), Some(-9), -1), [4, 3, 2, 1, 0]);
        assert_eq!(slice(Some(9), None, 1), [] as [usize; 0]);
        assert_eq!(slice(Some(9), None, -2), [4, 2, 0]);
        assert_eq!(slice(None, Some(-9), 1), [] as [usize; 0]);
        assert_eq!(slice(Some(i64::MIN), Some(i64::MAX), i64::MAX), [0]);
        assert_eq!(slice(Some(i64::MAX), Some(i64::MIN), i64::MIN), [4]);
        assert!(Slice::new(None, None, 0).is_err());
    }

    #[test]
    fn forward_slice_does_not_depend_on_the_length() {
        for (start, end, step) in [(0, 5, 1), (1, 4, 2), (3, 3, 1), (4, 2, 1)] {
            let known = slice(Some(start), Some(end), step);
            let unknown: Vec<_> =
                Slice::new(Some(start), Some(end), step).unwrap().forward().unwrap().collect();
            assert_eq!(known, unknown);
        }
        assert!(Slice::new(Some(-1), None, 1).unwrap().forward().is_none());
        assert!(Slice::new(None, None, -1).unwrap().forward().is_none());
    }
}
