//! A running cloud: store, clock and the handlers of its services.

use crate::{
    Blobs, CloudClock, Entry, Function, Key, Service, access,
    cache::Cache,
    callbacks::Callbacks,
    clock::{Stop, Time},
    corrupt,
    driver::NextDue,
    due, from_store_error, key,
    lease::{self, Lease},
    outside::Functions,
    own_events, root,
    seal::{self, Seals},
    shared::{self, SeenSettings},
    tokens::Tokens,
    transport::Endpoint,
};
use nephos_core::{Ids, Result, Session, SignedDuration, Text, Timestamp, hex};
use nephos_store::{Health, Stats, Store, View};
use sha2::{Digest as _, Sha256};
use std::{
    collections::{BTreeMap, HashMap},
    ops::{ControlFlow, Deref},
    path::Path,
    sync::{Arc, Mutex, PoisonError, RwLock},
};

/// A running cloud, without its set of services as a type. A clone is another handle of the same cloud.
#[derive(Clone)]
pub struct Kernel(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    parts: Parts,
    pub(crate) handlers: HashMap<usize, Entry, foldhash::fast::RandomState>,
    pub(crate) next_due: NextDue,
    /// Held while due work runs.
    pub(crate) working: async_lock::Mutex<()>,
    pub(crate) callbacks: Callbacks,
    /// Held while a call or an advance runs a callback: its function may call the cloud, and that call must not start callbacks.
    pub(crate) running_callback: async_lock::Mutex<()>,
    pub(crate) policies: access::PolicyCache,
    pub(crate) cache: Cache,
    /// Settings of a shared cloud, as they were read last.
    pub(crate) seen: SeenSettings,
    pub(crate) lease: Lease,
    /// Name of this server among those that share the cloud.
    pub(crate) server: Text,
    /// Keys of settings that stay on when the state is replaced.
    kept_settings: Mutex<Vec<Key>>,
}

impl Deref for Inner {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.parts
    }
}

/// Parts that a kernel is created from.
pub(crate) struct Parts {
    pub(crate) services: &'static [&'static Service],
    pub(crate) store: Store,
    pub(crate) time: Time,
    pub(crate) ids: Ids,
    pub(crate) tokens: RwLock<Arc<Tokens>>,
    pub(crate) seals: Seals,
    pub(crate) functions: Functions,
    pub(crate) settings: Settings,
    pub(crate) permissions: access::Setting,
    pub(crate) own_events: own_events::Setting,
    pub(crate) blobs: Blobs,
}

/// Settings of a cloud that do not change while it is open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) transitions: Transitions,
    /// True if the quotas of the provider hold.
    pub(crate) quotas: bool,
}

/// Duration of transitions, such as from pending to running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transitions {
    /// No time: the answer of the call that starts the transition shows the first state, the next call the final one.
    #[default]
    Instant,
    /// About as long as at the provider, on the clock of the cloud.
    Realistic,
}

/// Size from which on a file is compacted when it is closed.
const SPARSE_FILE: u64 = 16 << 20;

impl Kernel {
    pub(crate) fn new(parts: Parts) -> Self {
        let handlers = parts.services.iter().flat_map(|service| {
            let controls = service.controls.iter().map(|control| &control.entry);
            service.handlers.iter().chain(controls)
        });
        let handlers = handlers.map(|entry| (std::ptr::from_ref(entry.operation).addr(), *entry)).collect();
        if parts.store.is_shared() {
            parts.store.set_first_reads(shared::first_reads());
        }
        let inner = Arc::new(Inner {
            seen: SeenSettings::default(),
            lease: Lease::default(),
            server: Ids::system().uuid(),
            parts,
            handlers,
            next_due: NextDue::default(),
            working: async_lock::Mutex::new(()),
            callbacks: Callbacks::default(),
            running_callback: async_lock::Mutex::new(()),
            policies: access::PolicyCache::default(),
            cache: Cache::default(),
            kept_settings: Mutex::default(),
        });
        inner.blobs.add_user(&inner);
        Self(inner)
    }

    /// Services of the cloud.
    pub fn services(&self) -> &'static [&'static Service] {
        self.0.services
    }

    /// Creates a session in the default account and Region.
    pub fn session(&self) -> Session {
        Session::new(Arc::new(Endpoint(self.clone())))
    }

    /// Clock of the cloud.
    pub fn clock(&self) -> CloudClock {
        CloudClock(self.clone(), Stop::default())
    }

    /// Forks the cloud: a cloud in memory with the current state and key of this one. Neither sees later changes of the
    /// other. The cost does not depend on the size of the state.
    pub fn fork(&self) -> Result<Self> {
        let inner = &*self.0;
        let store = inner.store.fork().map_err(from_store_error)?;
        let ids = inner.ids.fork();
        Ok(Self::new(Parts {
            services: inner.services,
            time: inner.time.fork(),
            tokens: RwLock::new(read_tokens(&store, &ids)?),
            seals: inner.seals.fork(&ids),
            ids,
            functions: inner.functions.fork(),
            settings: inner.settings,
            permissions: inner.permissions.fork(),
            own_events: inner.own_events.fork(),
            blobs: inner.blobs.clone(),
            store,
        }))
    }

    /// Verifies the whole state and saves it to a new file at `path`, while calls continue. `progress` gets the number of
    /// rows written so far. Sealed data stays sealed: a cloud that opens the file needs the key of this one. Blobs are in a folder
    /// next to the file, as links to the files of this cloud if they are on the same disk.
    pub fn save_to(&self, path: impl AsRef<Path>, progress: impl FnMut(u64)) -> Result<()> {
        let (path, blobs) = (path.as_ref(), &self.0.blobs);
        // Blobs that are released meanwhile stay until the copy has them.
        let _held = blobs.hold();
        let mut copied = Ok(());
        let copy = |view: &nephos_store::Snapshot| {
            copied = blobs.save_to(path, view);
            let stop = |_: &_| nephos_store::Error::new(nephos_store::ErrorKind::Unavailable, "no blobs");
            copied.as_ref().map(drop).map_err(stop)
        };
        let saved = self.0.store.save_with(path, copy, progress).map_err(from_store_error);
        copied.and(saved)
    }

    /// Replaces the whole state, including the time, with a file of [`save_to`](Self::save_to). The change is atomic: on an
    /// error nothing changes. A file that is damaged or was sealed with another key is refused. The file is only read, and
    /// the root key of this cloud stays.
    pub fn restore_from(&self, path: impl AsRef<Path>, progress: impl FnMut(u64)) -> Result<()> {
        let path = path.as_ref();
        let source = Store::read_file(path).map_err(from_store_error)?;
        self.0.seals.check(&source)?;
        let held = self.0.blobs.hold();
        self.0.blobs.take_from(path, &source)?;
        // Due work of the new rows runs only by their own time, which may be earlier.
        let _working = nephos_core::wait(self.0.working.lock());
        let kept = self.0.kept_settings.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let kept_rows = move |current: &dyn View| root::kept_rows(current, &kept);
        self.0.store.replace_with(source, kept_rows, progress).map_err(from_store_error)?;
        self.0.next_due.forget();
        self.0.callbacks.forget();
        self.0.cache.forget();
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        self.0.time.reload(&snapshot)?;
        let tokens = read_tokens(&self.0.store, &self.0.ids)?;
        *self.0.tokens.write().unwrap_or_else(PoisonError::into_inner) = tokens;
        self.0.permissions.set(access::Setting::read(&snapshot)?.get());
        self.0.own_events.set(own_events::Setting::read(&snapshot)?.get());
        self.0.take_settings(&snapshot)?;
        drop(held);
        self.0.blobs.suspect_all();
        self.sweep_blobs().map(drop)
    }

    /// Keeps the enforcement of policies on when a snapshot is restored that has it off, as long as nobody switches it off.
    pub fn keep_permissions(&self) {
        self.keep_setting(access::setting_key());
    }

    /// Keeps the cloud's own events on when a snapshot is restored that has them off, as long as nobody switches them off.
    pub fn keep_own_events(&self) {
        self.keep_setting(own_events::setting_key());
    }

    fn keep_setting(&self, key: Key) {
        self.0.kept_settings.lock().unwrap_or_else(PoisonError::into_inner).push(key);
    }

    /// Reason why the state refuses reads or writes, if it does: its file is damaged, was removed or replaced while it was
    /// open, or is in an unknown state after a failure of the disk.
    pub fn storage_problem(&self) -> Option<Text> {
        self.0.store.problem().map(|problem| problem.message().into())
    }

    /// Returns the time by which the clock of this machine is ahead of that of the database that keeps the state; none if it is
    /// less than two seconds, without a database, or with a clock that stands still.
    pub fn clock_difference(&self) -> Result<Option<SignedDuration>> {
        if !self.0.time.follows_system() {
            return Ok(None);
        }
        let time = self.0.store.time().map_err(from_store_error)?;
        let ahead = time.map(|time| self.0.time.since(time));
        Ok(ahead.filter(|ahead| ahead.abs() >= SignedDuration::from_secs(2)))
    }

    /// Deletes everything but the time and the root key.
    pub fn reset(&self) -> Result<()> {
        let wiped = self.0.store.transact(|txn| {
            let own = Key::table(key::CLOUD_TABLE);
            let rows =
                txn.range(&nephos_store::KeyRange::all(), nephos_store::Direction::Ascending, usize::MAX)?;
            // Without sealed data, the state can be opened with any key.
            let of_keys = [seal::check_key(), seal::earlier_keys_key()];
            let is_sealed = txn.get(root::row_key().as_bytes())?.is_some();
            let is_of_keys = |key: &[u8]| of_keys.iter().any(|of_keys| of_keys.as_bytes() == key);
            let kept = |key: &[u8]| key.starts_with(own.as_bytes()) && (is_sealed || !is_of_keys(key));
            let wiped = rows.iter().filter(|row| !kept(row.key()));
            wiped.map(nephos_store::Row::key).try_for_each(|key| txn.delete(key))
        });
        wiped.wait().map_err(from_store_error)?;
        self.0.callbacks.forget();
        self.0.blobs.suspect_all();
        self.sweep_blobs().map(drop)
    }

    /// Verifies the checksums of all data on disk, and the blobs that are used.
    pub fn check(&self) -> Result<Health> {
        let health = self.0.store.check().map_err(from_store_error)?;
        self.0.blobs.check(&self.0.store.snapshot().map_err(from_store_error)?)?;
        Ok(health)
    }

    /// Verifies the file and rewrites it without unused space. Unused blobs are removed.
    pub fn compact(&self, progress: impl FnMut(u64)) -> Result<()> {
        self.sweep_blobs()?;
        self.0.store.compact(progress).map_err(from_store_error)
    }

    /// Compacts a large file of which more than half is unused; returns true if it did.
    pub fn compact_if_sparse(&self) -> Result<bool> {
        if self.is_shared() {
            return Ok(false);
        }
        let large = self.counters()?.file_bytes.filter(|bytes| *bytes >= SPARSE_FILE);
        let Some(file_bytes) = large else { return Ok(false) };
        // Rows take up more than their bytes, and a file grows by doubling.
        if self.stats()?.bytes.saturating_mul(4) >= file_bytes {
            return Ok(false);
        }
        self.compact(|_| ())?;
        Ok(true)
    }

    /// Counters of the store, without the number of rows and bytes.
    pub fn counters(&self) -> Result<Stats> {
        self.0.store.counters().map_err(from_store_error)
    }

    /// Number of rows of each table, and bytes of their keys and values. Reads all rows.
    pub fn tables(&self) -> Result<BTreeMap<String, (u64, u64)>> {
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let mut tables = BTreeMap::<String, (u64, u64)>::new();
        let all = nephos_store::KeyRange::all();
        let scanned = snapshot.scan(&all, nephos_store::Direction::Ascending, &mut |key, row| {
            let name = key::read(key).map_or_else(String::new, |(table, _)| table.to_string());
            let (rows, bytes) = tables.entry(name).or_default();
            *rows += 1;
            *bytes += (key.len() + row.len()) as u64;
            ControlFlow::Continue(())
        });
        scanned.map_err(from_store_error)?;
        Ok(tables)
    }

    /// Statistics of the store. Reads all rows.
    pub fn stats(&self) -> Result<Stats> {
        self.0.store.stats().map_err(from_store_error)
    }

    /// Calls `visit` with all keys and rows in order, without the log of decisions.
    pub fn scan_rows(&self, mut visit: impl FnMut(&[u8], &[u8])) -> Result<()> {
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let (all, log) = (nephos_store::KeyRange::all(), Key::table(access::LOG_TABLE));
        let scanned = snapshot.scan(&all, nephos_store::Direction::Ascending, &mut |key, row| {
            if !key.starts_with(log.as_bytes()) {
                visit(key, row);
            }
            ControlFlow::Continue(())
        });
        scanned.map_err(from_store_error)
    }

    /// Returns the SHA-256 digest of all keys and rows, without the log of decisions and the lease of callbacks, and their number.
    pub fn digest(&self) -> Result<(String, u64)> {
        let mut rows = 0;
        let mut digest = Sha256::new();
        let lease = lease::keys();
        self.scan_rows(|key, row| {
            if lease.iter().any(|lease| lease.as_bytes() == key) {
                return;
            }
            rows += 1;
            for part in [key, row] {
                digest.update((part.len() as u64).to_le_bytes());
                digest.update(part);
            }
        })?;
        Ok((hex::encode(&digest.finalize()), rows))
    }

    /// True if the cloud has no resources yet: only rows of its own.
    pub fn is_new(&self) -> Result<bool> {
        let snapshot = self.0.store.snapshot().map_err(from_store_error)?;
        let own = Key::table(key::CLOUD_TABLE);
        let mut is_new = true;
        let all = nephos_store::KeyRange::all();
        let scanned = snapshot.scan(&all, nephos_store::Direction::Ascending, &mut |key, _| {
            is_new = key.starts_with(own.as_bytes());
            if is_new { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        scanned.map(|()| is_new).map_err(from_store_error)
    }

    /// Returns what [`scan_rows`](Self::scan_rows) visits, for tests that compare whole states.
    pub fn rows(&self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let mut rows = Vec::new();
        self.scan_rows(|key, row| rows.push((key.to_vec(), row.to_vec())))?;
        Ok(rows)
    }

    /// Due work that failed: its time, its name and the error.
    pub fn failed_work(&self) -> Result<Vec<(Timestamp, Text, Text)>> {
        due::failed(&self.0.store.snapshot().map_err(from_store_error)?)
    }

    /// Completes accepted writes and closes the file.
    pub fn close(&self) -> Result<()> {
        if self.0.is_shared() {
            // Otherwise another server takes it after a while.
            let _ = self.give_lease_back();
        }
        self.0.store.close().map_err(from_store_error)
    }

    /// Registers a function that callbacks call by this name or ARN, replacing a previous one.
    pub fn register(&self, name: impl Into<Text>, function: Function) {
        self.0.functions.register(name.into(), function);
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kernel").field(&self.0.store).finish()
    }
}

/// Key of the row with the key that signs pagination tokens.
pub(crate) fn token_key_key() -> Key {
    Key::of_cloud("token-key")
}

/// Returns the signer of pagination tokens, with the key of the store; it is generated for a new cloud.
pub(crate) fn read_tokens(store: &Store, ids: &Ids) -> Result<Arc<Tokens>> {
    let snapshot = store.snapshot().map_err(from_store_error)?;
    if let Some(found) = read_tokens_of(&snapshot)? {
        return Ok(found);
    }
    drop(snapshot);
    let mut new = [0; 32];
    ids.fill(&mut new);
    // Another server may have been first.
    let written = store.transact(move |txn| match txn.get(token_key_key().as_bytes())? {
        Some(_) => Ok(()),
        None => txn.put(token_key_key().as_bytes(), &new),
    });
    written.wait().map_err(from_store_error)?;
    let snapshot = store.snapshot().map_err(from_store_error)?;
    read_tokens_of(&snapshot)?.ok_or_else(|| corrupt("the row of the pagination token key is missing"))
}

/// Returns the signer of pagination tokens with the key in `view`, if there is one.
pub(crate) fn read_tokens_of(view: &dyn View) -> Result<Option<Arc<Tokens>>> {
    let Some(found) = view.get(token_key_key().as_bytes()).map_err(from_store_error)? else {
        return Ok(None);
    };
    let key = found.as_ref().try_into();
    let key = key.map_err(|_| corrupt("the row of the pagination token key has the wrong length"))?;
    Ok(Some(Arc::new(Tokens::new(key))))
}

/// Key of the row with the number of times that the store was opened with a seed.
pub(crate) fn openings_key() -> Key {
    Key::of_cloud("opened")
}

/// Counts the times that the store is opened with a seed, so that IDs do not repeat; returns the number before.
pub(crate) fn count_opening(store: &Store) -> Result<u64> {
    let key = openings_key();
    let counted = store.transact(move |txn| {
        let before = txn.get(key.as_bytes())?;
        let before = before.and_then(|row| row.as_ref().try_into().ok()).map_or(0, u64::from_le_bytes);
        txn.put(key.as_bytes(), &(before + 1).to_le_bytes())?;
        Ok::<_, nephos_store::Error>(before)
    });
    counted.wait().map_err(from_store_error)
}
