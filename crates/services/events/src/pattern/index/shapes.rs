//! Alternatives that are found by the values of several fields together.
//!
//! A key is computed from the values field by field. The keys of the first fields are stored too, so that an event with many values
//! goes on only where a rule does.

use super::access::{Hashes, Key};
use crate::pattern::{
    Alternative, Event, Leaf,
    choice::{Choice, TextTest},
};
use foldhash::fast::RandomState;
use std::{collections::HashMap, sync::Arc};

/// Maximum number of combinations of names; each event tries all of them.
const MAX_SHAPES: usize = 16;
/// Maximum number of fields that are looked up together.
const MAX_FIELDS: usize = 6;
/// Maximum number of combinations of the values of an alternative.
const MAX_COMBINATIONS: usize = 16;

/// Fields of an alternative whose choices are values.
pub(super) struct Shape<'a> {
    leaves: Vec<&'a Leaf>,
}

/// Known combinations of names, and the keys of the first fields.
#[derive(Default)]
pub(super) struct Shapes {
    names: Vec<(Box<[Arc<str>]>, u32)>,
    /// Number of combinations of values that have the key.
    keys: HashMap<u64, u32, RandomState>,
}

impl<'a> Shape<'a> {
    /// Returns the fields, if there are several and not too many.
    pub(super) fn of(alternative: &'a Alternative) -> Option<Self> {
        let is_value = |choice: &Choice| {
            use Choice::{Address, Bool, Null, Number, Text};
            matches!(choice, Bool(_) | Null | Number(_) | Address(..) | Text(TextTest::Equals(_)))
        };
        let has_values = |leaf: &&Leaf| leaf.choices.iter().all(is_value);
        let leaves: Vec<&Leaf> = alternative.leaves.iter().filter(has_values).collect();
        let combinations =
            leaves.iter().try_fold(1_usize, |product, leaf| product.checked_mul(leaf.choices.len()));
        let is_small = combinations.is_some_and(|combinations| combinations <= MAX_COMBINATIONS);
        ((2..=MAX_FIELDS).contains(&leaves.len()) && is_small).then_some(Self { leaves })
    }

    /// Returns the keys of each combination of values, one for each number of first fields.
    pub(super) fn keys(&self, hashes: &Hashes) -> Vec<Vec<u64>> {
        let mut combinations = vec![Vec::new()];
        let mut keys = vec![hashes.shape(self.names())];
        for leaf in &self.leaves {
            let path = hashes.path(&leaf.path);
            let choices: Vec<u64> = leaf
                .choices
                .iter()
                .flat_map(|choice| hashes.keys_of(path, choice))
                .filter_map(|key| if let Key::Bucket(_, key) = key { Some(key) } else { None })
                .collect();
            let mut next = Vec::new();
            for (combination, key) in combinations.iter().zip(&keys) {
                for choice in &choices {
                    let mut longer: Vec<u64> = Vec::clone(combination);
                    longer.push(hashes.chain(*key, *choice));
                    next.push(longer);
                }
            }
            keys = next.iter().filter_map(|combination| combination.last().copied()).collect();
            combinations = next;
        }
        combinations
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.leaves.iter().map(|leaf| &*leaf.path)
    }
}

impl Shapes {
    fn position(&self, shape: &Shape<'_>) -> Option<usize> {
        self.names.iter().position(|(names, _)| names.iter().map(|name| &**name).eq(shape.names()))
    }

    /// True if the names are known, or can still be added.
    pub(super) fn accepts(&self, shape: &Shape<'_>) -> bool {
        self.names.len() < MAX_SHAPES || self.position(shape).is_some()
    }

    /// Adds the keys of an alternative.
    pub(super) fn add(&mut self, shape: &Shape<'_>, keys: &[Vec<u64>]) {
        match self.position(shape) {
            Some(at) => self.names[at].1 += 1,
            None => self.names.push((shape.leaves.iter().map(|leaf| leaf.path.clone()).collect(), 1)),
        }
        for key in keys.iter().flatten() {
            *self.keys.entry(*key).or_default() += 1;
        }
    }

    pub(super) fn remove(&mut self, shape: &Shape<'_>, keys: &[Vec<u64>]) {
        if let Some(at) = self.position(shape) {
            self.names[at].1 -= 1;
            if self.names[at].1 == 0 {
                self.names.swap_remove(at);
            }
        }
        for key in keys.iter().flatten() {
            if let Some(count) = self.keys.get_mut(key) {
                *count -= 1;
                if *count == 0 {
                    self.keys.remove(key);
                }
            }
        }
    }

    /// Adds the keys of an event to `found`.
    pub(super) fn find(&self, hashes: &Hashes, event: &Event<'_>, found: &mut Vec<u64>) {
        for (names, _) in &self.names {
            let mut keys = vec![hashes.shape(names.iter().map(|name| &**name))];
            for name in names {
                let path = hashes.path(name);
                let mut next = Vec::new();
                for value in event.values(name) {
                    hashes.keys_of_whole_value(path, &value.scalar, |choice| {
                        let longer = keys.iter().map(|key| hashes.chain(*key, choice));
                        next.extend(longer.filter(|key| self.keys.contains_key(key)));
                    });
                }
                next.sort_unstable();
                next.dedup();
                keys = next;
                if keys.is_empty() {
                    break;
                }
            }
            found.append(&mut keys);
        }
    }
}
