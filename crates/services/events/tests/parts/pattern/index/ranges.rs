//! Tests of `pattern::index::ranges`.

use nephos_events::pattern::index::ranges::Ranges;
use proptest::{collection::vec, prelude::*};

fn owners(ranges: &Ranges, number: f64) -> Vec<u32> {
    let mut owners = Vec::new();
    ranges.find(number, |owner| {
        owners.push(owner);
        true
    });
    owners.sort_unstable();
    owners
}

proptest! {
    #[test]
    fn finds_exactly_the_ranges_that_have_the_number(
        bounds in vec((-40_i32..40, 0_i32..30), 0..30),
        numbers in vec(-50_i32..80, 1..20),
    ) {
        let bounds: Vec<(f64, f64)> =
            bounds.iter().map(|(low, width)| (f64::from(*low) / 4.0, f64::from(low + width) / 4.0)).collect();
        let mut ranges = Ranges::default();
        for (owner, (low, high)) in (0..).zip(&bounds) {
            ranges.insert(*low, *high, owner);
        }
        for kept in [0, bounds.len() / 2] {
            for (owner, (low, high)) in (0..).zip(&bounds).take(kept) {
                ranges.remove(*low, *high, owner);
            }
            for number in numbers.iter().map(|number| f64::from(*number) / 4.0) {
                let expected: Vec<u32> = (0..)
                    .zip(&bounds)
                    .skip(kept)
                    .filter(|(_, (low, high))| (*low..=*high).contains(&number))
                    .map(|(owner, _)| owner)
                    .collect();
                prop_assert_eq!(owners(&ranges, number), expected);
            }
        }
    }
}
