//! The index of the rules of one bus.
//!
//! Each alternative of a pattern is stored under the choices of one of its fields, the field whose choices the fewest other
//! alternatives are stored under. If many share each of them, it is stored under the values of all its fields together, of which
//! an index knows a limited number of combinations of names. An event looks up its values: whole values, prefixes, suffixes and
//! networks by their hash, in all lengths that rules have; ranges of numbers in a tree. The alternatives that are found are then
//! compared as a whole.
//!
//! The time of one event depends on its size and on the number of alternatives found. It does not depend on the number of rules as
//! long as each rule has a field that few rules share. Worst cases, linear in the number of the rules concerned:
//! - rules whose operators are each shared by many rules, though not together: n prefixes in one field and n in another, in all
//!   n² combinations, are compared 2 n times;
//! - rules that have only `anything-but`, `exists` or the wildcard text `*`: they are compared with each event that has the field
//!   (for `exists: false`, with each event that has it not), and most of them match.

mod access;
pub mod ranges;
mod shapes;
mod storage;

use super::{Alternative, Event, Leaf, Pattern, event::Scalar};
use access::{Hashes, Key, Probe};
use foldhash::fast::RandomState;
use ranges::Ranges;
use shapes::{Shape, Shapes};
use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    hash::Hash,
    sync::Arc,
};
use storage::{Bucket, Slots};

type Hashed<K, V> = HashMap<K, V, RandomState>;

/// Number of ranges with the same number up to which a field is compared with others.
const MAX_COUNTED_RANGES: usize = 256;

/// Number of entries that share a key from which on several fields are looked up together.
const MAX_SHARED: usize = 4;

/// Compiled rules of one bus, by id. Rules are added and removed one by one.
///
/// ```
/// use nephos_core::json;
/// use nephos_events::pattern::{Event, Index, Pattern};
///
/// let mut index = Index::default();
/// index.add("large", &Pattern::parse(r#"{"detail": {"total": [{"numeric": [">", 100]}]}}"#)?);
/// index.add("shop", &Pattern::parse(r#"{"source": ["shop"]}"#)?);
/// let value = json::parse(br#"{"source": "shop", "detail": {"total": 20}}"#).expect("it is JSON");
/// assert_eq!(index.matches(&Event::prepare(&value).expect("it is an object")), [&"shop"]);
/// # Ok::<(), nephos_events::pattern::PatternError>(())
/// ```
pub struct Index<Id> {
    hashes: Hashes,
    numbers: Hashed<Id, u32>,
    rules: Slots<Rule<Id>>,
    entries: Slots<Entry>,
    /// Ways to look up values of a field, by hash of its name, and the number of keys for each.
    probes: Hashed<u64, Vec<(Probe, u32)>>,
    buckets: Hashed<u64, Bucket>,
    ranges: Hashed<u64, Ranges>,
    /// Alternatives that are found by the absence of a field.
    absent: BTreeMap<Arc<str>, Bucket>,
    absent_count: usize,
    shapes: Shapes,
}

struct Rule<Id> {
    id: Id,
    pattern: Pattern,
    entries: Box<[u32]>,
}

/// An alternative of a rule, and its place.
#[derive(Clone, Copy)]
struct Entry {
    rule: u32,
    alternative: u16,
    place: Place,
}

/// Fields under whose choices an alternative is stored.
#[derive(Clone, Copy)]
enum Place {
    /// One field, and the number of the key where a choice has several.
    Field { leaf: u16, option: u8 },
    /// All fields whose choices are values.
    Shape,
}

impl<Id> Default for Index<Id> {
    fn default() -> Self {
        Self {
            hashes: Hashes::default(),
            numbers: Hashed::default(),
            rules: Slots::default(),
            entries: Slots::default(),
            probes: Hashed::default(),
            buckets: Hashed::default(),
            ranges: Hashed::default(),
            absent: BTreeMap::new(),
            absent_count: 0,
            shapes: Shapes::default(),
        }
    }
}

impl<Id: Clone + Eq + Hash + Ord> Index<Id> {
    /// Adds a rule, or replaces the rule that has the id.
    pub fn add(&mut self, id: Id, pattern: &Pattern) {
        self.remove(&id);
        let rule =
            self.rules.insert(Rule { id: id.clone(), pattern: pattern.clone(), entries: Box::default() });
        let entries = (0..).zip(&*pattern.alternatives).map(|(number, alternative)| {
            let place = self.choose(alternative);
            let entry = self.entries.insert(Entry { rule, alternative: number, place });
            match place {
                Place::Field { leaf, option } => {
                    self.store(entry, &alternative.leaves[usize::from(leaf)], option)
                }
                Place::Shape => self.store_shape(entry, alternative),
            }
            entry
        });
        let entries = entries.collect();
        if let Some(rule) = self.rules.get_mut(rule) {
            rule.entries = entries;
        }
        self.numbers.insert(id, rule);
    }

    /// Removes a rule. False if there is none with this id.
    pub fn remove(&mut self, id: &Id) -> bool {
        let Some(rule) = self.numbers.remove(id).and_then(|number| self.rules.remove(number)) else {
            return false;
        };
        for entry in rule.entries {
            let Some(Entry { alternative, place, .. }) = self.entries.remove(entry) else { continue };
            let alternative = &rule.pattern.alternatives[usize::from(alternative)];
            match place {
                Place::Field { leaf, option } => {
                    self.unstore(entry, &alternative.leaves[usize::from(leaf)], option)
                }
                Place::Shape => self.unstore_shape(entry, alternative),
            }
        }
        true
    }

    /// Number of rules.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// True if there is no rule.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Returns the ids of the rules that the event matches, sorted.
    pub fn matches(&self, event: &Event<'_>) -> Vec<&Id> {
        let mut matched: Vec<u32> = Vec::new();
        for entry in self.candidates(event) {
            let Some(Entry { rule, alternative, .. }) = self.entries.get(entry) else { continue };
            let Some(pattern) = self.rules.get(*rule).map(|rule| &rule.pattern) else { continue };
            if pattern.alternatives[usize::from(*alternative)].matches(event) {
                matched.push(*rule);
            }
        }
        matched.sort_unstable();
        matched.dedup();
        let mut ids: Vec<&Id> =
            matched.into_iter().filter_map(|rule| Some(&self.rules.get(rule)?.id)).collect();
        ids.sort_unstable();
        ids
    }

    /// Returns the entries that an event may match.
    fn candidates(&self, event: &Event<'_>) -> Vec<u32> {
        let mut keys: Vec<u64> = Vec::new();
        let mut found: Vec<u32> = Vec::new();
        for (name, values) in event.fields() {
            let path = self.hashes.path(name);
            let probes = self.probes.get(&path).map_or(&[][..], Vec::as_slice);
            if probes.iter().any(|(probe, _)| *probe == Probe::Present)
                && let Key::Bucket(_, key) = self.hashes.present(path)
            {
                keys.push(key);
            }
            for value in values {
                let mut lower = None;
                for (probe, _) in probes {
                    self.hashes.keys_of_value(path, *probe, &value.scalar, &mut lower, |key| {
                        if self.buckets.contains_key(&key) {
                            keys.push(key);
                        }
                    });
                }
            }
            let Some(ranges) = self.ranges.get(&path) else { continue };
            for value in values {
                if let Scalar::Number(number) = value.scalar
                    && let Some(number) = number.compared()
                {
                    ranges.find(number, |entry| {
                        found.push(entry);
                        true
                    });
                }
            }
        }
        self.shapes.find(&self.hashes, event, &mut keys);
        keys.sort_unstable();
        keys.dedup();
        found.extend(keys.iter().filter_map(|key| self.buckets.get(key)).flat_map(Bucket::entries));
        for (name, bucket) in &self.absent {
            // A field in an array can be missing in the items of other fields.
            if event.values(name).iter().all(|value| !event.items(value).is_empty()) {
                found.extend(bucket.entries());
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Chooses the field, and the number of the key, that the fewest entries share; all fields together if many share each.
    fn choose(&self, alternative: &Alternative) -> Place {
        let costs = (0..).zip(&alternative.leaves).flat_map(|(number, leaf)| {
            let path = self.hashes.path(&leaf.path);
            let keys: Vec<Vec<Key>> =
                leaf.choices.iter().map(|choice| self.hashes.keys_of(path, choice)).collect();
            let options = keys.iter().map(Vec::len).max().unwrap_or(1);
            let depth = leaf.path.matches('.').count();
            (0..options)
                .map(|option| {
                    let cost =
                        keys.iter().map(|keys| self.cost(path, keys[option.min(keys.len() - 1)])).max();
                    let place = Place::Field { leaf: number, option: option as u8 };
                    ((cost.unwrap_or(0), leaf.choices.len(), Reverse(depth)), place)
                })
                .collect::<Vec<_>>()
        });
        let first = ((0, 0, Reverse(0)), Place::Field { leaf: 0, option: 0 });
        let ((cost, ..), place) = costs.min_by_key(|(cost, _)| *cost).unwrap_or(first);
        if cost > MAX_SHARED
            && let Some(shape) = Shape::of(alternative)
            && self.shapes.accepts(&shape)
        {
            let keys = shape.keys(&self.hashes);
            let shared = keys.iter().filter_map(|keys| self.buckets.get(keys.last()?)).map(Bucket::len).max();
            if shared.unwrap_or(0) < cost {
                return Place::Shape;
            }
        }
        place
    }

    fn store_shape(&mut self, entry: u32, alternative: &Alternative) {
        let Some(shape) = Shape::of(alternative) else { return };
        let keys = shape.keys(&self.hashes);
        for key in keys.iter().filter_map(|keys| keys.last()) {
            self.buckets.entry(*key).or_default().insert(entry);
        }
        self.shapes.add(&shape, &keys);
    }

    fn unstore_shape(&mut self, entry: u32, alternative: &Alternative) {
        let Some(shape) = Shape::of(alternative) else { return };
        let keys = shape.keys(&self.hashes);
        for key in keys.iter().filter_map(|keys| keys.last()) {
            let Some(bucket) = self.buckets.get_mut(key) else { continue };
            bucket.remove(entry);
            if bucket.len() == 0 {
                self.buckets.remove(key);
            }
        }
        self.shapes.remove(&shape, &keys);
    }

    fn cost(&self, path: u64, key: Key) -> usize {
        match key {
            Key::Bucket(probe, key) => (self.buckets.get(&key).map_or(0, Bucket::len) + 1) * probe.weight(),
            Key::Absent => (self.absent_count + 1) * 16,
            Key::Range(low, high) => {
                let Some(ranges) = self.ranges.get(&path) else { return 2 };
                let count = |number| {
                    let mut count = 0;
                    ranges.find(number, |_| {
                        count += 1;
                        count < MAX_COUNTED_RANGES
                    });
                    count
                };
                (count(low).max(count(high)) + 1) * 2
            }
        }
    }

    fn store(&mut self, entry: u32, leaf: &Leaf, option: u8) {
        let path = self.hashes.path(&leaf.path);
        for choice in &*leaf.choices {
            let keys = self.hashes.keys_of(path, choice);
            match keys[usize::from(option).min(keys.len() - 1)] {
                Key::Range(low, high) => self.ranges.entry(path).or_default().insert(low, high, entry),
                Key::Absent => {
                    let is_new = self.absent.entry(leaf.path.clone()).or_default().insert(entry);
                    self.absent_count += usize::from(is_new);
                }
                Key::Bucket(probe, key) => {
                    if self.buckets.entry(key).or_default().insert(entry) {
                        let probes = self.probes.entry(path).or_default();
                        match probes.iter_mut().find(|(other, _)| *other == probe) {
                            Some((_, count)) => *count += 1,
                            None => probes.push((probe, 1)),
                        }
                    }
                }
            }
        }
    }

    fn unstore(&mut self, entry: u32, leaf: &Leaf, option: u8) {
        let path = self.hashes.path(&leaf.path);
        for choice in &*leaf.choices {
            let keys = self.hashes.keys_of(path, choice);
            match keys[usize::from(option).min(keys.len() - 1)] {
                Key::Range(low, high) => {
                    let Some(ranges) = self.ranges.get_mut(&path) else { continue };
                    ranges.remove(low, high, entry);
                    if ranges.is_empty() {
                        self.ranges.remove(&path);
                    }
                }
                Key::Absent => {
                    let Some(bucket) = self.absent.get_mut(&leaf.path) else { continue };
                    self.absent_count -= usize::from(bucket.remove(entry));
                    if bucket.len() == 0 {
                        self.absent.remove(&leaf.path);
                    }
                }
                Key::Bucket(probe, key) => {
                    let Some(bucket) = self.buckets.get_mut(&key) else { continue };
                    let is_removed = bucket.remove(entry);
                    if bucket.len() == 0 {
                        self.buckets.remove(&key);
                    }
                    if is_removed {
                        self.forget_probe(path, probe);
                    }
                }
            }
        }
    }

    fn forget_probe(&mut self, path: u64, probe: Probe) {
        let Some(probes) = self.probes.get_mut(&path) else { return };
        if let Some((_, count)) = probes.iter_mut().find(|(other, _)| *other == probe) {
            *count -= 1;
        }
        probes.retain(|(_, count)| *count > 0);
        if probes.is_empty() {
            self.probes.remove(&path);
        }
    }
}
