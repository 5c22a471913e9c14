//! Ranges of numbers of one field, found by a number in them.
//!
//! Numbers are ordered bits. A range belongs to the longest prefix of bits that its two ends share, so a number is in ranges of at
//! most 65 prefixes: its own. Below a prefix, the next bit divides the numbers: each range there has numbers on both sides, so one
//! of its ends decides.

use foldhash::fast::RandomState;
use std::collections::{BTreeSet, HashMap};

/// Ranges, each with the number of its owner.
#[derive(Default)]
pub struct Ranges {
    /// By number of bits that are no part of the prefix, and prefix.
    prefixes: HashMap<(u32, u64), Ends, RandomState>,
    /// Number of ranges for each number of bits that are no part of the prefix.
    lengths: Vec<u32>,
}

#[derive(Default)]
struct Ends {
    by_low: BTreeSet<(u64, u32)>,
    by_high: BTreeSet<(u64, u32)>,
}

/// Returns bits with the order of the numbers.
fn ordered(number: f64) -> u64 {
    // Both zeros are equal.
    let bits = (number + 0.0).to_bits();
    if bits >> 63 == 1 { !bits } else { bits | 1 << 63 }
}

fn prefix_of(bits: u64, length: u32) -> u64 {
    bits.checked_shr(length).unwrap_or(0)
}

impl Ranges {
    fn place(low: f64, high: f64) -> (u64, u64, u32) {
        let (low, high) = (ordered(low), ordered(high));
        (low, high, u64::BITS - (low ^ high).leading_zeros())
    }

    /// Adds a range of an owner.
    pub fn insert(&mut self, low: f64, high: f64, owner: u32) {
        let (low, high, length) = Self::place(low, high);
        let ends = self.prefixes.entry((length, prefix_of(low, length))).or_default();
        if ends.by_low.insert((low, owner)) | ends.by_high.insert((high, owner)) {
            self.lengths.resize(65, 0);
            self.lengths[length as usize] += 1;
        }
    }

    /// Removes a range of an owner.
    pub fn remove(&mut self, low: f64, high: f64, owner: u32) {
        let (low, high, length) = Self::place(low, high);
        let key = (length, prefix_of(low, length));
        let Some(ends) = self.prefixes.get_mut(&key) else { return };
        if ends.by_low.remove(&(low, owner)) | ends.by_high.remove(&(high, owner)) {
            self.lengths[length as usize] -= 1;
        }
        if ends.by_low.is_empty() && ends.by_high.is_empty() {
            self.prefixes.remove(&key);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.prefixes.is_empty()
    }

    /// Calls `found` with the owner of each range that has the number, until it returns false.
    pub fn find(&self, number: f64, mut found: impl FnMut(u32) -> bool) {
        let bits = ordered(number);
        for (length, _) in (0..).zip(&self.lengths).filter(|(_, count)| **count > 0) {
            let Some(ends) = self.prefixes.get(&(length, prefix_of(bits, length))) else { continue };
            let is_below = length > 0 && bits >> (length - 1) & 1 == 0;
            let goes_on = if is_below {
                ends.by_low.range(..=(bits, u32::MAX)).all(|(_, owner)| found(*owner))
            } else {
                ends.by_high.range((bits, 0)..).all(|(_, owner)| found(*owner))
            };
            if !goes_on {
                return;
            }
        }
    }
}
