//! Random changes of inputs.

use nephos::{
    REGISTRY,
    shape::{Protocol, Type},
};
use std::collections::BTreeSet;

/// Maximum size of a changed input.
const MAX_BYTES: usize = 64 << 10;

/// Words that are special to a parser, and values at limits.
const SPECIAL_WORDS: [&str; 40] = [
    "null",
    "true",
    "false",
    "0",
    "-1",
    "1e400",
    "-0.0",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "253402300800",
    "\"\"",
    "{}",
    "[]",
    "[[[[[[[[",
    "{\"\":",
    "\\u0000",
    "\\ud800",
    "\u{fffd}",
    "\u{130}",
    "%00",
    "%",
    "%2F",
    "../",
    "//",
    "&",
    "=",
    ".1",
    ".member.1",
    ".4294967296",
    "<",
    "</",
    "<![CDATA[",
    "&#0;",
    "&#x110000;",
    "*",
    "${aws:username}",
    "arn:aws:iam::123456789012:role/x",
    "9999-12-31T23:59:59Z",
];

/// Source of random numbers (SplitMix64).
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `limit`, and 0 if that is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() % u64::try_from(limit.max(1)).unwrap_or(u64::MAX)).unwrap_or(0)
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }
}

/// Collects the words of all services: names of operations and members, targets and versions.
pub(crate) fn dictionary() -> Vec<Vec<u8>> {
    let mut words: BTreeSet<&str> = SPECIAL_WORDS.into();
    let mut seen = BTreeSet::new();
    for service in REGISTRY.services {
        words.extend([service.name, service.signing, service.api_version]);
        if let Protocol::AwsJson { target, .. } = service.protocol {
            words.insert(target);
        }
        for operation in service.operations {
            words.insert(operation.name);
            let answer = operation.output.into_iter();
            answer
                .chain([Type::Record(operation.params)])
                .for_each(|ty| add_words(ty, &mut words, &mut seen));
        }
    }
    words.into_iter().map(|word| word.as_bytes().to_vec()).collect()
}

/// Adds the names of members and choices in a type. `seen` has the addresses of the records that were added.
fn add_words(ty: Type, words: &mut BTreeSet<&'static str>, seen: &mut BTreeSet<usize>) {
    match ty {
        Type::Record(record) if seen.insert(std::ptr::from_ref(record).addr()) => {
            words.extend(record.fields.iter().map(|field| field.name));
            record.fields.iter().for_each(|field| add_words(field.ty, words, seen));
        }
        Type::List(item) | Type::Map(item) => add_words(*item, words, seen),
        Type::Choice(choice) => words.extend(choice.values.iter().map(|value| value.name)),
        _ => {}
    }
}

/// Returns one of `inputs` with one to eight random changes.
pub(crate) fn mutate(inputs: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut input = inputs[random.below(inputs.len())].clone();
    for _ in 0..=random.below(8) {
        change(&mut input, inputs, words, random);
    }
    input.truncate(MAX_BYTES);
    input
}

fn change(input: &mut Vec<u8>, inputs: &[Vec<u8>], words: &[Vec<u8>], random: &mut Random) {
    let at = random.below(input.len());
    let end = (at + 1 + random.below(16)).min(input.len());
    match random.below(10) {
        0 if !input.is_empty() => input[at] ^= 1 << random.below(8),
        1 if !input.is_empty() => input[at] = random.byte(),
        2 => input.insert(at, random.byte()),
        3 if !input.is_empty() => drop(input.drain(at..end)),
        4 if !input.is_empty() => {
            let copy = input[at..end].repeat(1 + random.below(64));
            input.splice(at..at, copy);
        }
        5 => {
            let other = &inputs[random.below(inputs.len())];
            let from = random.below(other.len());
            input.truncate(at);
            input.extend_from_slice(&other[from.min(other.len())..]);
        }
        6 => input.truncate(at),
        7 => {
            let word = words[random.below(words.len())].clone();
            input.splice(at..at, word);
        }
        _ => {
            let word = words[random.below(words.len())].clone();
            input.splice(word_around(input, at), word);
        }
    }
}

/// Returns the range of the word or number that the position is in.
fn word_around(input: &[u8], at: usize) -> std::ops::Range<usize> {
    let in_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_".contains(byte);
    let before = input[..at].iter().rev().take_while(|byte| in_word(byte)).count();
    let after = input[at..].iter().take_while(|byte| in_word(byte)).count();
    at - before..at + after
}
