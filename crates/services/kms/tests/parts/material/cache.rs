//! Tests of `material::cache`.

use nephos_kms::{
    KeySpec,
    material::{Failure, cache::*},
};

#[test]
fn a_key_is_parsed_once_while_it_is_used() {
    let cache = KeyCache::new();
    let parse = |number: u8, fresh: bool| {
        let key = cache.get(&KeySpec::Rsa2048, &[number], || {
            assert!(fresh, "key {number} is parsed again");
            Ok(number)
        });
        assert_eq!(*key.expect("a key"), number);
    };
    parse(0, true);
    for number in 1..=u8::try_from(CAPACITY).expect("a small capacity") {
        parse(number, true);
        parse(0, false);
    }
    // Key 1 was unused for longest.
    parse(1, true);
    assert_eq!(cache.with(|entries| entries.keys.len()), CAPACITY);
}

#[test]
fn a_key_of_another_spec_is_another_key() {
    let cache = KeyCache::new();
    for (spec, number) in [(KeySpec::Rsa2048, 1), (KeySpec::Rsa3072, 2)] {
        assert_eq!(cache.get(&spec, b"key", || Ok(number)).map(|key| *key), Ok(number));
    }
}

#[test]
fn a_key_that_is_refused_is_not_kept() {
    let cache = KeyCache::new();
    let refused = cache.get(&KeySpec::Rsa2048, b"key", || Err(Failure::InvalidKey));
    assert_eq!(refused, Err(Failure::InvalidKey));
    assert_eq!(cache.get(&KeySpec::Rsa2048, b"key", || Ok(1)).map(|key| *key), Ok(1));
}
