//! Sets of fields of a record.

use std::{fmt, iter};

/// A set of fields of one record, by index.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct FieldSet([u64; 2]);

impl FieldSet {
    /// Maximum number of fields of a record.
    pub const MAX_FIELDS: usize = 128;

    /// The empty set.
    pub const NONE: Self = Self([0; 2]);

    /// Returns the first `count` fields.
    pub(crate) fn first(count: usize) -> Self {
        let word = |count: usize| if count < 64 { (1 << count) - 1 } else { u64::MAX };
        Self([word(count), word(count.saturating_sub(64))])
    }

    /// Returns a set of one field.
    pub fn single(index: usize) -> Self {
        let mut set = Self::NONE;
        set.insert(index);
        set
    }

    /// Adds a field.
    #[inline]
    pub const fn insert(&mut self, index: usize) {
        self.0[index / 64] |= 1 << (index % 64);
    }

    /// Adds all fields of another set.
    pub fn extend(&mut self, other: Self) {
        self.0 = [self.0[0] | other.0[0], self.0[1] | other.0[1]];
    }

    /// Removes a field.
    pub fn remove(&mut self, index: usize) {
        self.0[index / 64] &= !(1 << (index % 64));
    }

    /// True if the set has the field.
    pub fn contains(&self, index: usize) -> bool {
        self.0.get(index / 64).is_some_and(|word| word & (1 << (index % 64)) != 0)
    }

    /// True if the set has no fields.
    pub fn is_empty(&self) -> bool {
        *self == Self::NONE
    }

    /// Iterates over the indices of the fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + use<> {
        self.0.into_iter().enumerate().flat_map(|(word, mut bits)| {
            iter::from_fn(move || {
                let index = (bits != 0).then(|| 64 * word + bits.trailing_zeros() as usize);
                bits &= bits.wrapping_sub(1);
                index
            })
        })
    }
}

impl FromIterator<usize> for FieldSet {
    fn from_iter<I: IntoIterator<Item = usize>>(indices: I) -> Self {
        let mut set = Self::NONE;
        indices.into_iter().for_each(|index| set.insert(index));
        set
    }
}

impl fmt::Debug for FieldSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
