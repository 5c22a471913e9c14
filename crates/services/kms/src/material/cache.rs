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
pub const CAPACITY: usize = 64;

/// Parsed keys by their spec and the SHA-256 digest of their stored bytes, so that no key is found without its stored bytes. When
/// it is full, the key that was unused for longest leaves it, and the library wipes it.
pub struct KeyCache<K>(LazyLock<Mutex<Entries<K>>>);

pub struct Entries<K> {
    pub keys: HashMap<Name, Entry<K>>,
    uses: u64,
}

type Name = (Discriminant<KeySpec>, [u8; digest::SHA256_OUTPUT_LEN]);

pub struct Entry<K> {
    last_use: u64,
    key: Arc<K>,
}

impl<K> Default for KeyCache<K> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K> KeyCache<K> {
    /// Creates an empty cache.
    pub const fn new() -> Self {
        Self(LazyLock::new(|| Mutex::new(Entries { keys: HashMap::new(), uses: 0 })))
    }

    /// Returns the parsed key of `stored`, and parses it only if it is not here.
    pub fn get(
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

    pub fn with<R>(&self, work: impl FnOnce(&mut Entries<K>) -> R) -> R {
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
