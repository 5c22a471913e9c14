//! Cache of parsed private keys, because parsing and checking a key takes longer than a signature.

use super::Failure;
use crate::KeySpec;
use aws_lc_rs::digest;
use std::{
    collections::HashMap,
    mem::{Discriminant, discriminant},
    sync::{Arc, LazyLock, Mutex, PoisonError},
};

/// Largest number of parsed keys.
const CAPACITY: usize = 64;

/// Parsed keys by their spec and the SHA-256 digest of their stored bytes, so that no key is found without its stored bytes. When
/// it is full, the key that was unused for longest leaves it, and the library wipes it.
pub(super) struct KeyCache<K>(LazyLock<Mutex<Entries<K>>>);

struct Entries<K> {
    keys: HashMap<Name, Entry<K>>,
    uses: u64,
}

type Name = (Discriminant<KeySpec>, [u8; digest::SHA256_OUTPUT_LEN]);

struct Entry<K> {
    last_use: u64,
    key: Arc<K>,
}

impl<K> KeyCache<K> {
    /// Creates an empty cache.
    pub(super) const fn new() -> Self {
        Self(LazyLock::new(|| Mutex::new(Entries { keys: HashMap::new(), uses: 0 })))
    }

    /// Returns the parsed key of `stored`, and parses it only if it is not here.
    pub(super) fn get(
        &self,
        spec: &KeySpec,
        stored: &[u8],
        parse: impl FnOnce() -> Result<K, Failure>,
    ) -> Result<Arc<K>, Failure> {
        let mut name = (discriminant(spec), [0; digest::SHA256_OUTPUT_LEN]);
        name.1.copy_from_slice(digest::digest(&digest::SHA256, stored).as_ref());
        if let Some(key) = self.with(|entries| entries.find(&name)) {
            return Ok(key);
        }
        // No lock is held while a key is parsed; two threads may parse the same key.
        let key = Arc::new(parse()?);
        self.with(|entries| entries.insert(name, key.clone()));
        Ok(key)
    }

    fn with<R>(&self, work: impl FnOnce(&mut Entries<K>) -> R) -> R {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<K> Entries<K> {
    fn find(&mut self, name: &Name) -> Option<Arc<K>> {
        self.uses += 1;
        let entry = self.keys.get_mut(name)?;
        entry.last_use = self.uses;
        Some(entry.key.clone())
    }

    fn insert(&mut self, name: Name, key: Arc<K>) {
        if self.keys.len() >= CAPACITY {
            let oldest = self.keys.iter().min_by_key(|(_, entry)| entry.last_use).map(|(name, _)| *name);
            oldest.and_then(|name| self.keys.remove(&name));
        }
        self.keys.insert(name, Entry { last_use: self.uses, key });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
