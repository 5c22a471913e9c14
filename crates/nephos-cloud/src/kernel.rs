//! A running cloud: store, clock and the behaviour of the services it was opened with.

use crate::{
    CloudClock, Entry, Function, Key, Service,
    clock::Time,
    corrupt, due,
    outside::Functions,
    root,
    seal::{self, Seals},
    stored,
    tokens::Tokens,
    transport::Endpoint,
};
use nephos_core::{Ids, Result, Session, Text, Timestamp};
use nephos_store::{Health, OpenOptions, Stats, Store, View};
use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};

/// A running cloud, whatever services it was opened with. Cloning gives another handle of the same cloud.
#[derive(Clone)]
pub struct Kernel(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) services: &'static [&'static Service],
    pub(crate) store: Store,
    pub(crate) time: Time,
    pub(crate) ids: Ids,
    pub(crate) tokens: RwLock<Arc<Tokens>>,
    pub(crate) seals: Seals,
    pub(crate) handlers: HashMap<usize, Entry, foldhash::fast::RandomState>,
    /// When the earliest work falls due, in microseconds since 1970; it may be earlier than that, never later.
    pub(crate) next_due: AtomicI64,
    /// Held by whoever does the work that is due.
    pub(crate) working: async_lock::Mutex<()>,
    /// Held by whoever is on a callback: a function that it calls may call the cloud, and must not be called by that.
    pub(crate) on_errand: async_lock::Mutex<()>,
    pub(crate) functions: Functions,
    pub(crate) transitions: Transitions,
}

/// What a kernel is made of.
pub(crate) struct Parts {
    pub(crate) services: &'static [&'static Service],
    pub(crate) store: Store,
    pub(crate) time: Time,
    pub(crate) ids: Ids,
    pub(crate) tokens: Tokens,
    pub(crate) seals: Seals,
    pub(crate) functions: Functions,
    pub(crate) transitions: Transitions,
}

/// How long a resource takes from one state to the next, such as from pending to running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transitions {
    /// No time: the answer of the call that begins it shows the first state, the next look the last one.
    #[default]
    Instant,
    /// About as long as at the provider, on the cloud's clock.
    Realistic,
}

impl Kernel {
    pub(crate) fn new(parts: Parts) -> Self {
        let Parts { services, store, time, ids, tokens, seals, functions, transitions } = parts;
        let handlers = services.iter().flat_map(|service| {
            let controls = service.controls.iter().map(|control| &control.entry);
            service.handlers.iter().chain(controls)
        });
        let handlers = handlers.map(|entry| (std::ptr::from_ref(entry.operation).addr(), *entry)).collect();
        let (tokens, next_due) = (RwLock::new(Arc::new(tokens)), AtomicI64::new(i64::MIN));
        let [working, on_errand] = [(), ()].map(async_lock::Mutex::new);
        Self(Arc::new(Inner {
            services,
            store,
            time,
            ids,
            tokens,
            seals,
            handlers,
            next_due,
            working,
            on_errand,
            functions,
            transitions,
        }))
    }

    /// The services that it was opened with.
    pub fn services(&self) -> &'static [&'static Service] {
        self.0.services
    }

    /// A caller in the default account and Region.
    pub fn session(&self) -> Session {
        Session::new(Arc::new(Endpoint(self.clone())))
    }

    /// The time, to be looked at and moved.
    pub fn clock(&self) -> CloudClock {
        CloudClock(self.clone())
    }

    /// A cloud in memory that begins as this one is now, with the same key; neither sees what the other does later. It
    /// costs the same however much there is.
    pub fn fork(&self) -> Result<Self> {
        let inner = &*self.0;
        let store = inner.store.fork().map_err(stored)?;
        let tokens = Tokens::new(&token_key(&store, &inner.ids)?);
        let (time, ids) = (inner.time.fork(), inner.ids.fork());
        let (seals, functions) = (inner.seals.fork(), inner.functions.fork());
        let (services, transitions) = (inner.services, inner.transitions);
        Ok(Self::new(Parts { services, store, time, ids, tokens, seals, functions, transitions }))
    }

    /// Writes everything into a new file at `path`, while calls go on. `progress` is told the rows written so far. What is
    /// sealed stays sealed: a cloud that opens the file needs the key of this one.
    pub fn save_to(&self, path: impl AsRef<Path>, progress: impl FnMut(u64)) -> Result<()> {
        self.0.store.save_to(path, progress).map_err(stored)
    }

    /// Puts what [`save_to`](Self::save_to) wrote in place of everything, the time included: all at once or, on an error,
    /// not at all. What was sealed with another key than this cloud's is refused. The root key stays.
    pub fn restore_from(&self, path: impl AsRef<Path>, progress: impl FnMut(u64)) -> Result<()> {
        self.check_seals_of(path.as_ref())?;
        let root = self.kept_root_key()?;
        self.0.store.restore_from(path, progress).map_err(stored)?;
        self.0.next_due.store(i64::MIN, Ordering::Release);
        let tokens = Tokens::new(&token_key(&self.0.store, &self.0.ids)?);
        *self.0.tokens.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(tokens);
        self.0.time.read_again(&self.0.store.snapshot().map_err(stored)?)?;
        root.map_or(Ok(()), |root| self.keep_root_key(root))
    }

    /// Refuses the file at `path` if something in it was sealed with another key.
    fn check_seals_of(&self, path: &Path) -> Result<()> {
        // What is no state is told of by whoever reads all of it; an empty file would be made one here.
        if !std::fs::metadata(path).is_ok_and(|found| found.len() > 0) {
            return Ok(());
        }
        let Ok(store) = OpenOptions::new().open(path) else { return Ok(()) };
        let checked = store.snapshot().map_err(stored).and_then(|snapshot| self.0.seals.check(&snapshot));
        checked.and(store.close().map_err(stored))
    }

    /// Forgets everything but the time and the root key.
    pub fn reset(&self) -> Result<()> {
        let wiped = self.0.store.transact(|txn| {
            let own = Key::table(OWN);
            let rows =
                txn.range(&nephos_store::KeyRange::all(), nephos_store::Direction::Ascending, usize::MAX)?;
            // If nothing that was sealed is left, any key will do.
            let (check, sealed) = (seal::check_key(), txn.get(root::row_key().as_bytes())?.is_some());
            let kept = |key: &[u8]| key.starts_with(own.as_bytes()) && (sealed || key != check.as_bytes());
            let wiped = rows.iter().filter(|row| !kept(row.key()));
            wiped.map(nephos_store::Row::key).try_for_each(|key| txn.delete(key))
        });
        wiped.wait().map_err(stored)
    }

    /// Verifies every byte on disk.
    pub fn check(&self) -> Result<Health> {
        self.0.store.check().map_err(stored)
    }

    /// Writes the file anew without the gaps that changes leave.
    pub fn compact(&self, progress: impl FnMut(u64)) -> Result<()> {
        self.0.store.compact(progress).map_err(stored)
    }

    /// Figures of the store. Counting reads all rows.
    pub fn stats(&self) -> Result<Stats> {
        self.0.store.stats().map_err(stored)
    }

    /// Every row as it stands, in order, for tests that compare whole states.
    pub fn rows(&self) -> Result<Vec<(Vec<u8>, Vec<u8>)>> {
        let snapshot = self.0.store.snapshot().map_err(stored)?;
        let range = nephos_store::KeyRange::all();
        let rows = snapshot.range(&range, nephos_store::Direction::Ascending, usize::MAX).map_err(stored)?;
        Ok(rows.iter().map(|row| (row.key().to_vec(), row.value().to_vec())).collect())
    }

    /// Work that was due and failed: when, what, and why.
    pub fn failed_work(&self) -> Result<Vec<(Timestamp, Text, Text)>> {
        due::failed(&self.0.store.snapshot().map_err(stored)?)
    }

    /// Finishes what was accepted and lets go of the file.
    pub fn close(&self) -> Result<()> {
        self.0.store.close().map_err(stored)
    }

    /// Registers a function that the cloud calls by this name or resource name, in place of one registered before.
    pub fn register(&self, name: impl Into<Text>, function: Function) {
        self.0.functions.register(name.into(), function);
    }
}

impl Kernel {
    /// Puts one row that belongs to no operation.
    pub(crate) fn put_meta(&self, key: &Key, row: Vec<u8>) -> Result<()> {
        let key = key.clone();
        let written = self.0.store.transact(move |txn| txn.put(key.as_bytes(), &row));
        written.wait().map_err(stored)
    }
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Kernel").field(&self.0.store).finish()
    }
}

/// The table of what belongs to the cloud itself.
pub(crate) const OWN: &str = "cloud";

/// The key that signs page tokens, made when the cloud is.
pub(crate) fn token_key(store: &Store, ids: &Ids) -> Result<[u8; 32]> {
    let key = Key::table(OWN).text("token-key");
    let found = store.snapshot().and_then(|snapshot| snapshot.get(key.as_bytes())).map_err(stored)?;
    if let Some(found) = found {
        return found.as_ref().try_into().map_err(|_| corrupt("the key of page tokens has the wrong length"));
    }
    let mut made = [0; 32];
    ids.fill(&mut made);
    store.transact(move |txn| txn.put(key.as_bytes(), &made)).wait().map_err(stored)?;
    Ok(made)
}

/// How often the store was opened with a seed: what follows from the seed must not come again.
pub(crate) fn opened(store: &Store) -> Result<u64> {
    let key = Key::table(OWN).text("opened");
    let counted = store.transact(move |txn| {
        let before = txn.get(key.as_bytes())?;
        let before = before.and_then(|row| row.as_ref().try_into().ok()).map_or(0, u64::from_le_bytes);
        txn.put(key.as_bytes(), &(before + 1).to_le_bytes())?;
        Ok::<_, nephos_store::Error>(before)
    });
    let before = counted.wait().map_err(stored)?;
    Ok(before.wrapping_mul(0x9E37_79B9_7F4A_7C15))
}
