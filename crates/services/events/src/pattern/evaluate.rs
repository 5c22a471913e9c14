//! Decides if an event matches an alternative of a pattern.
//!
//! The provider's rule about arrays: all values that are chosen for the fields of a pattern must agree about the item of each
//! array that they come from. Fields are chosen in the order of their names, and a field that must not exist is compared with
//! the items chosen before it.

use super::{
    Alternative, Leaf,
    choice::Choice,
    event::{Event, FieldValue, Item},
};
use std::collections::{BTreeSet, HashMap, HashSet};

impl Leaf {
    /// True if a missing field is one of the choices.
    pub(super) fn accepts_absence(&self) -> bool {
        self.choices.contains(&Choice::Exists(false))
    }

    pub(super) fn accepts(&self, value: &FieldValue<'_>) -> bool {
        self.choices.iter().any(|choice| choice.accepts(&value.scalar))
    }
}

impl Alternative {
    /// True if the event matches all fields.
    pub(super) fn matches(&self, event: &Event<'_>) -> bool {
        let mut has_items = false;
        for leaf in &self.leaves {
            let values = event.values(&leaf.path);
            has_items |= values.iter().any(|value| !event.items(value).is_empty());
            // A field in an array can be missing in the items chosen before it.
            let may_be_absent =
                leaf.accepts_absence() && values.iter().all(|value| !event.items(value).is_empty());
            if !may_be_absent && !values.iter().any(|value| leaf.accepts(value)) {
                return false;
            }
        }
        !has_items || Search::new(&self.leaves, event).solve(0, &[])
    }
}

/// Search for one item of each array in which all fields match.
struct Search<'a> {
    fields: Vec<Candidates<'a>>,
    /// Number of the last field for which an array matters.
    last_fields: HashMap<u32, usize>,
    /// Field numbers and chosen items without a solution.
    failed: HashSet<(usize, Vec<Item>)>,
}

struct Candidates<'a> {
    /// Items around the accepted values.
    accepted: BTreeSet<&'a [Item]>,
    /// Items around all values, if a missing field is accepted.
    present: Option<BTreeSet<&'a [Item]>>,
}

impl<'a> Search<'a> {
    fn new(leaves: &[Leaf], event: &'a Event<'_>) -> Self {
        let mut fields = Vec::with_capacity(leaves.len());
        let mut last_fields = HashMap::new();
        for (at, leaf) in leaves.iter().enumerate() {
            let values = event.values(&leaf.path);
            let accepted: BTreeSet<&[Item]> =
                values.iter().filter(|value| leaf.accepts(value)).map(|value| event.items(value)).collect();
            let present = leaf
                .accepts_absence()
                .then(|| values.iter().map(|value| event.items(value)).collect::<BTreeSet<_>>());
            let items = accepted.iter().chain(present.iter().flatten());
            last_fields.extend(items.flat_map(|items| items.iter().map(|item| (item.array, at))));
            fields.push(Candidates { accepted, present });
        }
        Self { fields, last_fields, failed: HashSet::new() }
    }

    /// True if the fields from number `at` on match together with the chosen items, which are sorted.
    fn solve(&mut self, at: usize, chosen: &[Item]) -> bool {
        let Some(field) = self.fields.get(at) else { return true };
        let matters = |item: &&Item| self.last_fields.get(&item.array).is_some_and(|last| *last >= at);
        let chosen: Vec<Item> = chosen.iter().filter(matters).copied().collect();
        let state = (at, chosen);
        if self.failed.contains(&state) {
            return false;
        }
        let chosen = &state.1;
        let is_absent = |present: &BTreeSet<&[Item]>| !present.iter().any(|items| agree(chosen, items));
        if field.present.as_ref().is_some_and(is_absent) && self.solve(at + 1, chosen) {
            return true;
        }
        let options: Vec<Vec<Item>> = self.fields[at]
            .accepted
            .iter()
            .filter(|items| agree(chosen, items))
            .map(|items| {
                let both: BTreeSet<Item> = chosen.iter().chain(*items).copied().collect();
                both.into_iter().collect()
            })
            .collect();
        if options.iter().any(|option| self.solve(at + 1, option)) {
            return true;
        }
        self.failed.insert(state);
        false
    }
}

/// True if no array has different indexes in the two sorted lists.
fn agree(left: &[Item], right: &[Item]) -> bool {
    right.iter().all(|item| match left.binary_search_by_key(&item.array, |other| other.array) {
        Ok(at) => left[at].index == item.index,
        Err(_) => true,
    })
}
