//! Values that are computed from many rows and kept between transactions, such as the index of the rules of an event bus.
//!
//! A cached value has a version: a row, which a transaction replaces when it changes the rows behind the value. A transaction
//! uses the value only if it sees the same version, so that no transaction sees the rows of another one.

use crate::{Key, Tx};
use nephos_core::Result;
use std::{
    any::Any,
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

/// Maximum number of values that are kept.
const MAX_CACHED: usize = 1024;

/// Table of the versions of cached values.
const VERSIONS: &str = "version";

/// Cached values of a cloud, with their versions.
#[derive(Default)]
pub(crate) struct Cache(Mutex<Values>);

type Values = HashMap<Key, (Vec<u8>, Cached), foldhash::fast::RandomState>;

type Cached = Arc<dyn Any + Send + Sync>;

impl Cache {
    fn lock(&self) -> std::sync::MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, key: &Key, version: &[u8]) -> Option<Cached> {
        self.lock().get(key).filter(|(found, _)| found == version).map(|(_, value)| value.clone())
    }

    /// Forgets all values, after the rows were replaced: a cloud with the same seed may have made the same version of other rows.
    pub(crate) fn forget(&self) {
        self.lock().clear();
    }

    fn add(&self, key: Key, version: Vec<u8>, value: Cached) {
        let mut cached = self.lock();
        if cached.len() >= MAX_CACHED {
            cached.clear();
        }
        cached.insert(key, (version, value));
    }
}

impl Tx<'_> {
    /// Returns the value `name` of this scope from the cache, or else computes it from the rows.
    pub fn cached<T: Any + Send + Sync>(
        &self,
        name: &str,
        compute: impl FnOnce(&Self) -> Result<T>,
    ) -> Result<Arc<T>> {
        let key = self.scope.key(VERSIONS).text(name);
        let version = self.row(&key)?.map(|row| row.to_vec()).unwrap_or_default();
        if let Some(found) = self.cache.find(&key, &version)
            && let Ok(value) = found.downcast::<T>()
        {
            return Ok(value);
        }
        let value = Arc::new(compute(self)?);
        // The version of a transaction that is not committed may never become visible.
        if !self.changed_versions.contains(&key) {
            self.cache.add(key, version, value.clone());
        }
        Ok(value)
    }

    /// Notes that rows behind the cached value `name` of this scope change.
    pub fn change_cached(&mut self, name: &str) -> Result<()> {
        let key = self.scope.key(VERSIONS).text(name);
        if self.changed_versions.contains(&key) {
            return Ok(());
        }
        let version = self.ids.uuid();
        self.put_row(&key, version.as_bytes())?;
        self.changed_versions.push(key);
        Ok(())
    }
}
