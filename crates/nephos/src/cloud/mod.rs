//! The cloud in the process: a store, a clock, and how services behave.
//!
//! A manager's call is a script of operations; the cloud plays all of them in one transaction. Work for later is rows,
//! done when the clock reaches them: by [`CloudClock::advance`], or, while the time runs by itself, before the next call.

mod clock;
mod due;
mod key;
mod key_file;
mod names;
mod outside;
mod paging;
mod root;
mod rows;
mod scope;
mod seal;
mod service;
mod tokens;
mod transport;
mod tx;

pub use clock::{CloudClock, Moved};
pub use key::{Key, Part, Parts, read as read_key};
pub use names::Names;
pub(crate) use outside::Function;
pub use outside::Question;
pub use paging::Wanted;
pub use root::RootKey;
pub use rows::{Stored, Table};
pub use scope::Scope;
pub use seal::{CloudKey, DataKey};
pub(crate) use service::behaviours;
pub use service::{Behaviour, Entry, Errand, Service, Work, WorkEntry};
pub use tx::Tx;

use crate::services;
use clock::Time;
use nephos_core::{Clock, Error, ErrorKind, Ids, Result, Session, Text, Timestamp};
use nephos_store::{Health, OpenOptions, Stats, Store, View};
use outside::Functions;
use seal::Seals;
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{
        Arc, PoisonError, RwLock,
        atomic::{AtomicI64, Ordering},
    },
};
use tokens::Tokens;
use transport::Endpoint;

/// A cloud in this process. Cloning gives another handle of the same cloud.
///
/// ```
/// use nephos::{Cloud, LogGroup, prelude::*};
///
/// let cloud = Cloud::in_memory();
/// let session = cloud.session();
/// let group = LogGroup::builder().log_group_name("/web/api").retention_in_days(30).build()?;
/// LogGroup::objects(&session).create(&group).tags([("team", "web")]).wait()?;
///
/// let found = LogGroup::objects(&session).get("/web/api").wait()?.expect("it was created");
/// assert_eq!(found.retention_in_days(), Some(30));
/// # Ok::<(), nephos::Error>(())
/// ```
#[derive(Clone)]
pub struct Cloud(Arc<Inner>);

struct Inner {
    store: Store,
    time: Time,
    ids: Ids,
    tokens: RwLock<Arc<Tokens>>,
    seals: Seals,
    behaviours: HashMap<usize, Entry, foldhash::fast::RandomState>,
    /// When the earliest work falls due, in microseconds since 1970; it may be earlier than that, never later.
    next_due: AtomicI64,
    /// Held by whoever does the work that is due.
    working: async_lock::Mutex<()>,
    /// Held by whoever is on an errand: a function that it calls may call the cloud, and must not be called by that.
    on_errand: async_lock::Mutex<()>,
    functions: Functions,
    transitions: Transitions,
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

/// How a cloud is opened.
#[derive(Clone, Debug)]
#[must_use = "this is how a cloud will be opened; open it"]
pub struct CloudOptions {
    clock: Clock,
    seed: Option<u64>,
    key: KeyFrom,
    store: OpenOptions,
    transitions: Transitions,
}

/// Where the key comes from that a cloud seals with.
#[derive(Clone, Debug, Default)]
enum KeyFrom {
    /// The file beside the state.
    #[default]
    Beside,
    File(PathBuf),
    Given(CloudKey),
}

impl Default for CloudOptions {
    fn default() -> Self {
        let (clock, store, transitions) = (Clock::system(), OpenOptions::new(), Transitions::default());
        Self { clock, seed: None, key: KeyFrom::default(), store, transitions }
    }
}

impl CloudOptions {
    /// The time comes from `clock`.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Ids and randomness follow from `seed`: the same calls give the same answers. For tests only, because nothing that
    /// follows from a seed is secret.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// How long resources take from one state to the next: no time, by default.
    pub fn transitions(mut self, transitions: Transitions) -> Self {
        self.transitions = transitions;
        self
    }

    /// What must not stand in the clear is sealed with `key`. A state opens only with the key it was sealed with.
    pub fn key(mut self, key: CloudKey) -> Self {
        self.key = KeyFrom::Given(key);
        self
    }

    /// The key is in the file at `path`, which is made if nothing was sealed yet and there is none; by default it is the
    /// file beside the state whose name goes on with `.nephos-key`. A copy of the state needs the same file. A cloud in
    /// memory makes its own key, unless one is [given](Self::key).
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.key = KeyFrom::File(path.into());
        self
    }

    /// Whether an acknowledged write is safe on disk, as it is by default.
    pub fn durable(mut self, durable: bool) -> Self {
        self.store = self.store.durable(durable);
        self
    }

    /// A new cloud in memory.
    pub fn in_memory(self) -> Cloud {
        let store = self.store.clone().in_memory();
        self.on(store, None).expect("a new store in memory is empty and does not fail")
    }

    /// The cloud in the file at `path`, made if it does not exist.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Cloud> {
        let store = self.store.clone().open(&path).map_err(stored)?;
        self.on(store, Some(path.as_ref()))
    }

    fn on(self, store: Store, path: Option<&Path>) -> Result<Cloud> {
        let ids = match self.seed {
            Some(seed) => Ids::seeded(seed ^ opened(&store)?),
            None => Ids::system(),
        };
        let snapshot = store.snapshot().map_err(stored)?;
        let seals = Seals::new(self.key.find(path, &snapshot, &ids)?);
        seals.check(&snapshot)?;
        let time = Time::read(self.clock, &snapshot)?;
        drop(snapshot);
        let tokens = Tokens::new(&token_key(&store, &ids)?);
        Ok(Cloud::of(store, time, ids, tokens, seals, Functions::default(), self.transitions))
    }
}

impl KeyFrom {
    /// The key of the state at `path`, which holds what `view` shows. It is made if nothing was sealed with it yet.
    fn find(self, path: Option<&Path>, view: &dyn View, ids: &Ids) -> Result<CloudKey> {
        let file = match (self, path) {
            (Self::Given(key), _) => return Ok(key),
            (_, None) => return Ok(CloudKey::made(ids)),
            (Self::File(file), Some(_)) => file,
            (Self::Beside, Some(path)) => key_file::beside(path),
        };
        match key_file::read(&file)? {
            Some(key) => Ok(key),
            None if seal::needs_key(view)? => Err(key_file::missing(&file)),
            None => key_file::make(&file, ids),
        }
    }
}

impl Cloud {
    /// A new cloud in memory.
    pub fn in_memory() -> Self {
        CloudOptions::default().in_memory()
    }

    /// The cloud in the file at `path`, made if it does not exist.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        CloudOptions::default().open(path)
    }

    /// How a cloud is opened otherwise: with another clock, from a seed.
    pub fn options() -> CloudOptions {
        CloudOptions::default()
    }

    fn of(
        store: Store,
        time: Time,
        ids: Ids,
        tokens: Tokens,
        seals: Seals,
        functions: Functions,
        transitions: Transitions,
    ) -> Self {
        let entries = services::ALL.iter().flat_map(|service| service.behaviours);
        let behaviours = entries.map(|entry| (std::ptr::from_ref(entry.operation).addr(), *entry)).collect();
        let (tokens, next_due) = (RwLock::new(Arc::new(tokens)), AtomicI64::new(i64::MIN));
        let [working, on_errand] = [(), ()].map(async_lock::Mutex::new);
        Self(Arc::new(Inner {
            store,
            time,
            ids,
            tokens,
            seals,
            behaviours,
            next_due,
            working,
            on_errand,
            functions,
            transitions,
        }))
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
        Ok(Self::of(store, time, ids, tokens, seals, functions, inner.transitions))
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
    pub(crate) fn register(&self, name: impl Into<Text>, function: Function) {
        self.0.functions.register(name.into(), function);
    }

    /// Puts one row that belongs to no operation.
    pub(crate) fn put_meta(&self, key: &Key, row: Vec<u8>) -> Result<()> {
        let key = key.clone();
        let written = self.0.store.transact(move |txn| txn.put(key.as_bytes(), &row));
        written.wait().map_err(stored)
    }
}

impl std::fmt::Debug for Cloud {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Cloud").field(&self.0.store).finish()
    }
}

/// The table of what belongs to the cloud itself.
const OWN: &str = "cloud";

/// The key that signs page tokens, made when the cloud is.
fn token_key(store: &Store, ids: &Ids) -> Result<[u8; 32]> {
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
fn opened(store: &Store) -> Result<u64> {
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

/// What the store says, as the cloud's caller hears it.
fn stored(error: nephos_store::Error) -> Error {
    use nephos_store::ErrorKind as Store;
    let kind = match error.kind() {
        Store::Foreign | Store::Newer | Store::Corrupt => ErrorKind::Corrupt,
        Store::Locked | Store::Busy => ErrorKind::Conflict,
        Store::Full | Store::TooLarge => ErrorKind::LimitExceeded,
        Store::Exists => ErrorKind::AlreadyExists,
        Store::NotFound => ErrorKind::NotFound,
        Store::Unsupported => ErrorKind::Unsupported,
        _ => ErrorKind::Internal,
    };
    Error::new(kind, error.message().to_owned()).with_source(error)
}

fn internal(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Internal, why)
}

fn corrupt(why: impl Into<String>) -> Error {
    Error::new(ErrorKind::Corrupt, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_from_a_seed_does_not_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let opened = |name: &str| Cloud::options().seed(7).open(folder.path().join(name)).unwrap();
        let mut given: Vec<_> = (0..4)
            .flat_map(|_| {
                let cloud = opened("cloud");
                let ids = [0; 3].map(|_| cloud.0.ids.uuid());
                cloud.close().unwrap();
                ids
            })
            .collect();
        assert_eq!(opened("another").0.ids.uuid(), given[0], "the same seed gives the same in a new cloud");
        given.sort_unstable();
        given.dedup();
        assert_eq!(given.len(), 12);
    }

    /// Seals something in `cloud`, as a service would, and gives it back.
    fn seal(cloud: &Cloud) -> nephos_core::Blob {
        let (inner, ids) = (cloud.0.clone(), cloud.0.ids.taped());
        let sealed = inner.clone().store.transact(move |txn| {
            let scope = Scope::new("123456789012", "us-east-1");
            let mut tx = inner.tx(scope, tx::Ground::Write(txn), inner.time.now(), &ids);
            Ok::<_, nephos_store::Error>(tx.seal(&["one"], b"hunter2").unwrap())
        });
        sealed.wait().unwrap()
    }

    fn unseal(cloud: &Cloud, sealed: &nephos_core::Blob) -> Result<Vec<u8>> {
        let snapshot = cloud.0.store.snapshot().map_err(stored)?;
        let scope = Scope::new("123456789012", "us-east-1");
        let tx = cloud.0.tx(scope, tx::Ground::Read(&snapshot), cloud.0.time.now(), &cloud.0.ids);
        tx.open(&["one"], sealed).map(|opened| opened.to_vec())
    }

    #[test]
    fn what_was_sealed_opens_again_with_the_same_key_only_and_nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join("cloud"), folder.path().join("cloud.nephos-key"));
        let cloud = Cloud::open(&path).unwrap();
        let sealed = seal(&cloud);
        let copy = folder.path().join("copy");
        cloud.save_to(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&cloud.fork().unwrap(), &sealed).unwrap(), b"hunter2");
        cloud.close().unwrap();
        assert_eq!(unseal(&Cloud::open(&path).unwrap(), &sealed).unwrap(), b"hunter2");
        assert_eq!(
            unseal(&Cloud::options().key_file(&file).open(&copy).unwrap(), &sealed).unwrap(),
            b"hunter2"
        );

        let (key, state) = (std::fs::read(&file).unwrap(), std::fs::read(&path).unwrap());
        let refused = |options: CloudOptions| options.open(&path).map(drop).unwrap_err();
        let another = Cloud::options().key(CloudKey::new([7; 32]));
        assert!(refused(another.clone()).message().contains("another one"));
        let aside = folder.path().join("aside");
        std::fs::rename(&file, &aside).unwrap();
        let error = refused(Cloud::options());
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.message().contains("cloud.nephos-key"), "{error}");
        assert!(!file.exists(), "no new key is made in place of the one that is missing");
        let elsewhere = folder.path().join("key");
        assert!(refused(Cloud::options().key_file(&elsewhere)).message().contains("no key file"));
        assert!(!elsewhere.exists());
        std::fs::rename(&aside, &file).unwrap();
        std::fs::write(&file, "nonsense").unwrap();
        assert_eq!(refused(Cloud::options()).kind(), ErrorKind::Invalid);

        std::fs::write(&file, &key).unwrap();
        let given = CloudKey::parse(std::str::from_utf8(&key).unwrap()).unwrap();
        assert_eq!(
            unseal(&Cloud::options().key(given.clone()).open(&path).unwrap(), &sealed).unwrap(),
            b"hunter2"
        );
        assert_eq!(std::fs::read(&path).unwrap().len(), state.len());

        let other = Cloud::in_memory();
        seal(&other);
        let before = other.rows().unwrap();
        assert_eq!(other.restore_from(&copy, |_| ()).unwrap_err().kind(), ErrorKind::Denied);
        assert_eq!(other.rows().unwrap(), before);
        let same = Cloud::options().key(given).in_memory();
        same.restore_from(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&same, &sealed).unwrap(), b"hunter2");
    }

    #[test]
    fn a_state_in_which_nothing_is_sealed_needs_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        Cloud::open(&path).unwrap().save_to(folder.path().join("copy"), |_| ()).unwrap();
        std::fs::remove_file(folder.path().join("cloud.nephos-key")).unwrap();
        Cloud::open(&path).unwrap();
        assert!(folder.path().join("cloud.nephos-key").exists());
        Cloud::in_memory().restore_from(folder.path().join("copy"), |_| ()).unwrap();
    }
}
