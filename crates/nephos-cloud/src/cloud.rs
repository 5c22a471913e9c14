//! Opening a cloud with a set of services.

use crate::{
    Blobs, CloudKey, Kernel, Permissions, Service, Transitions,
    access::Setting,
    clock::Time,
    due, from_store_error,
    kernel::{Parts, Settings, count_opening, read_tokens},
    key_file,
    key_source::{KeyFile, KeySource},
    outside::Functions,
    own_events,
};
use nephos_core::{Clock, Error, ErrorKind, Ids, Result, Secret};
use nephos_store::{OpenOptions, Store};
use std::{
    marker::PhantomData,
    ops::Deref,
    path::{Path, PathBuf},
    sync::RwLock,
    time::Duration,
};

/// A set of services, as a type.
pub trait ServiceSet: 'static {
    /// Services of the set.
    const SERVICES: &'static [&'static Service];
}

/// The empty set.
impl ServiceSet for () {
    const SERVICES: &'static [&'static Service] = &[];
}

/// A cloud in this process, with the services of `S`. A clone is another handle of the same cloud. Its methods are those
/// of [`Kernel`].
pub struct Cloud<S> {
    kernel: Kernel,
    services: PhantomData<fn() -> S>,
}

impl<S: ServiceSet> Cloud<S> {
    /// Creates a cloud in memory.
    pub fn in_memory() -> Self {
        Self::options().in_memory()
    }

    /// Opens the cloud in the file at `path`; the file is created if it does not exist.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(path)
    }

    /// Returns the options to open a cloud with, such as a clock or a seed.
    pub fn options() -> CloudOptions<S> {
        CloudOptions::default()
    }

    /// Forks the cloud: a cloud in memory with the current state and key of this one. Neither sees later changes of the
    /// other. The cost does not depend on the size of the state.
    pub fn fork(&self) -> Result<Self> {
        Ok(Self { kernel: self.kernel.fork()?, services: PhantomData })
    }

    /// True if work or a callback has fallen due: then the next call writes, even if it is a read.
    pub fn has_due_work(&self) -> Result<bool> {
        let inner = &self.kernel.0;
        let snapshot = inner.store.snapshot().map_err(from_store_error)?;
        let now = inner.time.now();
        let is_due = |table| Ok(due::first(&snapshot, table)?.is_some_and(|first| first.time() <= now));
        Ok(is_due(due::WORK)? || is_due(due::CALLBACKS)?)
    }
}

impl<S> Deref for Cloud<S> {
    type Target = Kernel;

    fn deref(&self) -> &Kernel {
        &self.kernel
    }
}

impl<S> From<Cloud<S>> for Kernel {
    fn from(cloud: Cloud<S>) -> Self {
        cloud.kernel
    }
}

impl<S> Clone for Cloud<S> {
    fn clone(&self) -> Self {
        Self { kernel: self.kernel.clone(), services: PhantomData }
    }
}

impl<S> std::fmt::Debug for Cloud<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kernel.fmt(f)
    }
}

/// Options to open a cloud with.
#[must_use = "options do nothing until a cloud is opened with them"]
pub struct CloudOptions<S> {
    clock: Clock,
    seed: Option<u64>,
    key: KeySource,
    passphrase: Option<Secret>,
    store: OpenOptions,
    is_durable: bool,
    blobs_folder: Option<PathBuf>,
    settings: Settings,
    permissions: Option<Permissions>,
    own_events: Option<bool>,
    services: PhantomData<fn() -> S>,
}

/// The key that replaces the one of a cloud.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum NewKey {
    /// A random key in the key file.
    Random,
    /// A random key in the key file, protected by a passphrase.
    Protected(Secret),
    /// A key that the user keeps; see [`CloudOptions::key`].
    Given(CloudKey),
}

impl<S> Default for CloudOptions<S> {
    fn default() -> Self {
        let (clock, store) = (Clock::system(), OpenOptions::new());
        let settings = Settings { transitions: Transitions::default(), quotas: true };
        let (key, permissions, own_events) = (KeySource::default(), None, None);
        Self {
            clock,
            seed: None,
            key,
            passphrase: None,
            store,
            is_durable: true,
            blobs_folder: None,
            settings,
            permissions,
            own_events,
            services: PhantomData,
        }
    }
}

impl<S> Clone for CloudOptions<S> {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            seed: self.seed,
            key: self.key.clone(),
            passphrase: self.passphrase.clone(),
            store: self.store.clone(),
            is_durable: self.is_durable,
            blobs_folder: self.blobs_folder.clone(),
            settings: self.settings,
            permissions: self.permissions,
            own_events: self.own_events,
            services: PhantomData,
        }
    }
}

impl<S> std::fmt::Debug for CloudOptions<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CloudOptions").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl<S: ServiceSet> CloudOptions<S> {
    /// Uses `clock` as the source of time; the system clock by default.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Derives IDs and randomness from `seed`, so that the same calls return the same answers. For tests only: nothing that
    /// is derived from a seed is secret.
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = Some(seed);
        self
    }

    /// Sets the duration of transitions; [`Transitions::Instant`] by default.
    pub fn transitions(mut self, transitions: Transitions) -> Self {
        self.settings.transitions = transitions;
        self
    }

    /// Sets whether the quotas of the provider hold, such as 5000 users in an account; true by default. Without them, tests
    /// can create more.
    pub fn quotas(mut self, quotas: bool) -> Self {
        self.settings.quotas = quotas;
        self
    }

    /// Sets the enforcement of policies, and stores it; by default, that of the state, which is off in a new one.
    pub fn permissions(mut self, permissions: Permissions) -> Self {
        self.permissions = Some(permissions);
        self
    }

    /// Switches the cloud's own events on or off, and stores the setting; by default, that of the state, which is off in a new one.
    /// If they are on, each successful write operation sends an event about the call to the default event bus.
    pub fn own_events(mut self, is_on: bool) -> Self {
        self.own_events = Some(is_on);
        self
    }

    /// Encrypts secrets with `key`. A state opens only with the key that encrypted it.
    pub fn key(mut self, key: CloudKey) -> Self {
        self.key = KeySource::Key(key);
        self
    }

    /// Reads the key from the file at `path`. It is created if it does not exist and nothing was sealed yet. By default, the
    /// key file is next to the state, with the suffix `.nephos-key`. A copy of the state needs the same key file. A cloud in
    /// memory generates its own key, unless [`key`](Self::key) is set.
    pub fn key_file(mut self, path: impl Into<PathBuf>) -> Self {
        self.key = KeySource::File(path.into());
        self
    }

    /// Sets the passphrase of a key file that is protected by one; a new key file is protected by it.
    pub fn passphrase(mut self, passphrase: impl Into<Secret>) -> Self {
        self.passphrase = Some(passphrase.into());
        self
    }

    /// True if the state at `path` cannot be opened before its [`passphrase`](Self::passphrase) is set.
    pub fn needs_passphrase(&self, path: impl AsRef<Path>) -> bool {
        let file = self.key.file(path.as_ref());
        self.passphrase.is_none() && file.is_some_and(|file| key_file::is_protected(&file))
    }

    /// Durability of writes: if false, a write may be acknowledged before it is on disk. True by default.
    pub fn durable(mut self, durable: bool) -> Self {
        self.store = self.store.durable(durable);
        self.is_durable = durable;
        self
    }

    /// Time to wait while another process has the file open; by default none.
    pub fn lock_wait(mut self, wait: Duration) -> Self {
        self.store = self.store.lock_wait(wait);
        self
    }

    /// Sets the folder of blobs, such as layers of images, of a cloud in a database. All servers of the cloud need the same one. Without
    /// it, blobs are refused. A cloud in a file has a folder beside it.
    pub fn blobs_folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.blobs_folder = Some(folder.into());
        self
    }

    /// Options of the store that the cloud is opened in.
    pub fn store_options(&self) -> &OpenOptions {
        &self.store
    }

    /// Opens the cloud in a store that other processes write, too, such as one in a database. All of them need the same
    /// [`key`](Self::key) or [`key_file`](Self::key_file): without one, the cloud opens, and refuses what needs the key.
    pub fn open_shared_store(mut self, store: Store) -> Result<Cloud<S>> {
        let blobs = Blobs::open_in_database(self.blobs_folder.take());
        // The path is that of no file: the key is given, in a file that was named, or missing.
        self.open_store(store, None, blobs, KeyFile::Written)
    }

    /// Creates a cloud in memory.
    pub fn in_memory(self) -> Cloud<S> {
        let store = self.store.clone().in_memory();
        self.open_store(store, None, Blobs::in_memory(), KeyFile::Written)
            .expect("opening an empty store in memory does not fail")
    }

    /// Opens the cloud in the file at `path`; the file is created if it does not exist.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Cloud<S>> {
        let store = self.store.clone().open(&path).map_err(from_store_error)?;
        let key_file = self.key.file(path.as_ref());
        let blobs = Blobs::open(path.as_ref(), self.is_durable);
        let cloud = self.open_store(store, Some(path.as_ref()), blobs, KeyFile::Written)?;
        cloud.sweep_blobs()?;
        // Only a process that may write removes what others left.
        key_file.iter().for_each(|file| key_file::remove_leftovers(file));
        Ok(cloud)
    }

    /// Opens the cloud in the existing file at `path` for reading. Any number of processes can read it at the same time; none
    /// can write meanwhile. All calls work, but changes stay in memory and are lost when the cloud is closed. No file is
    /// created or changed.
    pub fn open_shared(self, path: impl AsRef<Path>) -> Result<Cloud<S>> {
        let store = self.store.clone().open_shared(&path).map_err(from_store_error)?;
        let blobs = Blobs::open_shared(path.as_ref());
        self.open_store(store, Some(path.as_ref()), blobs, KeyFile::OnlyRead)
    }

    /// Replaces the key of the state at `path`: what is sealed from now on needs the new one, and what was sealed before is opened
    /// with it, too. The old key is of no use any more, except for copies of the state from before. A process that is killed
    /// meanwhile leaves a state that opens.
    pub fn rekey(self, path: impl AsRef<Path>, new: NewKey) -> Result<()> {
        let path = path.as_ref();
        if !path.exists() {
            let message = format!("the state {} does not exist", path.display());
            return Err(Error::new(ErrorKind::NotFound, message));
        }
        let file = match (&new, self.key.file(path)) {
            (NewKey::Given(_), _) => None,
            (_, Some(file)) => Some(file),
            (_, None) => return Err(Error::invalid("key", "is in no file: the new one must be given, too")),
        };
        let (key, passphrase) = match new {
            NewKey::Random => (CloudKey::generate(&Ids::system()), None),
            NewKey::Protected(passphrase) => (CloudKey::generate(&Ids::system()), Some(passphrase)),
            NewKey::Given(key) => (key, None),
        };
        let store = self.store.clone().open(path).map_err(from_store_error)?;
        let snapshot = store.snapshot().map_err(from_store_error)?;
        let seals = self.key.load(
            Some(path),
            &snapshot,
            self.passphrase.as_ref(),
            KeyFile::Written,
            &Ids::system(),
        )?;
        drop(snapshot);
        let rows = seals.rows_of_new_key(&key)?;
        if let Some(file) = &file {
            key_file::write_next(file, &key, passphrase.as_ref())?;
        }
        let written =
            store.transact(move |txn| rows.iter().try_for_each(|(key, row)| txn.put(key.as_bytes(), row)));
        written.wait().map_err(from_store_error)?;
        file.map_or(Ok(()), |file| key_file::take_next(&file))?;
        store.close().map_err(from_store_error)
    }

    fn open_store(
        self,
        store: Store,
        path: Option<&Path>,
        blobs: Blobs,
        key_file: KeyFile,
    ) -> Result<Cloud<S>> {
        let ids = match self.seed {
            Some(seed) => Ids::seeded_for(seed, count_opening(&store)?),
            None => Ids::system(),
        };
        let snapshot = store.snapshot().map_err(from_store_error)?;
        let seals = if store.is_shared() {
            self.key.load_of_database(&store, &snapshot, self.passphrase.as_ref(), &ids)?
        } else {
            self.key.load(path, &snapshot, self.passphrase.as_ref(), key_file, &ids)?
        };
        let parts = Parts {
            services: S::SERVICES,
            time: Time::read(self.clock, &snapshot)?,
            tokens: RwLock::new(read_tokens(&store, &ids)?),
            seals,
            functions: Functions::default(),
            settings: self.settings,
            permissions: Setting::read(&snapshot)?,
            own_events: own_events::Setting::read(&snapshot)?,
            blobs,
            ids,
            store,
        };
        drop(snapshot);
        let kernel = Kernel::new(parts);
        self.permissions.map_or(Ok(()), |permissions| kernel.set_permissions(permissions))?;
        self.own_events.map_or(Ok(()), |is_on| kernel.set_own_events(is_on))?;
        Ok(Cloud { kernel, services: PhantomData })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scope, tx::Backing};

    #[test]
    fn reopening_with_the_same_seed_does_not_repeat_ids() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| Cloud::<()>::options().seed(7).open(folder.path().join(name)).unwrap();
        let mut ids: Vec<_> = (0..4)
            .flat_map(|_| {
                let cloud = open("cloud");
                let ids = [0; 3].map(|_| cloud.0.ids.uuid());
                cloud.close().unwrap();
                ids
            })
            .collect();
        assert_eq!(open("another").0.ids.uuid(), ids[0], "the same seed gives the same IDs in a new cloud");
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 12);
    }

    /// Seals a text in `cloud`, as a service does, and returns the result.
    fn seal(cloud: &Kernel) -> nephos_core::Blob {
        let (inner, ids) = (cloud.0.clone(), cloud.0.ids.recorded());
        let sealed = inner.clone().store.transact(move |txn| {
            let scope = Scope::new("123456789012", "us-east-1");
            let mut tx = inner.tx(scope, Backing::Write(txn), inner.time.now(), &ids);
            Ok::<_, nephos_store::Error>(tx.seal(&["one"], b"hunter2").unwrap())
        });
        sealed.wait().unwrap()
    }

    fn unseal(cloud: &Kernel, sealed: &nephos_core::Blob) -> Result<Vec<u8>> {
        let snapshot = cloud.0.store.snapshot().map_err(from_store_error)?;
        let scope = Scope::new("123456789012", "us-east-1");
        let tx = cloud.0.tx(scope, Backing::Read(&snapshot), cloud.0.time.now(), &cloud.0.ids);
        tx.open(&["one"], sealed).map(|opened| opened.to_vec())
    }

    #[test]
    fn sealed_state_opens_only_with_its_key_and_no_key_file_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join("cloud"), folder.path().join("cloud.nephos-key"));
        let cloud = Cloud::<()>::open(&path).unwrap();
        let sealed = seal(&cloud);
        let copy = folder.path().join("copy");
        cloud.save_to(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&cloud.fork().unwrap(), &sealed).unwrap(), b"hunter2");
        cloud.close().unwrap();
        assert_eq!(unseal(&Cloud::<()>::open(&path).unwrap(), &sealed).unwrap(), b"hunter2");
        assert_eq!(
            unseal(&Cloud::<()>::options().key_file(&file).open(&copy).unwrap(), &sealed).unwrap(),
            b"hunter2"
        );

        let (key_text, state) = (std::fs::read(&file).unwrap(), std::fs::read(&path).unwrap());
        let refused = |options: CloudOptions<()>| options.open(&path).map(drop).unwrap_err();
        let another = Cloud::<()>::options().key(CloudKey::new([7; 32]));
        assert!(refused(another.clone()).message().contains("another key"));
        let aside = folder.path().join("aside");
        std::fs::rename(&file, &aside).unwrap();
        let error = refused(Cloud::<()>::options());
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.message().contains("cloud.nephos-key"), "{error}");
        assert!(!file.exists(), "no new key file replaces the missing one");
        let elsewhere = folder.path().join("key");
        assert!(refused(Cloud::<()>::options().key_file(&elsewhere)).message().contains("does not exist"));
        assert!(!elsewhere.exists());
        std::fs::rename(&aside, &file).unwrap();
        std::fs::write(&file, "nonsense").unwrap();
        assert_eq!(refused(Cloud::<()>::options()).kind(), ErrorKind::Invalid);

        std::fs::write(&file, &key_text).unwrap();
        let key = CloudKey::parse(std::str::from_utf8(&key_text).unwrap()).unwrap();
        assert_eq!(
            unseal(&Cloud::<()>::options().key(key.clone()).open(&path).unwrap(), &sealed).unwrap(),
            b"hunter2"
        );
        assert_eq!(std::fs::read(&path).unwrap().len(), state.len());

        let other = Cloud::<()>::in_memory();
        seal(&other);
        let before = other.rows().unwrap();
        assert_eq!(other.restore_from(&copy, |_| ()).unwrap_err().kind(), ErrorKind::Denied);
        assert_eq!(other.rows().unwrap(), before);
        let same = Cloud::<()>::options().key(key).in_memory();
        same.restore_from(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&same, &sealed).unwrap(), b"hunter2");
    }

    #[test]
    fn replaced_key_opens_what_was_sealed_before() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join("cloud"), folder.path().join("cloud.nephos-key"));
        let (copy, next) = (folder.path().join("copy"), folder.path().join("cloud.nephos-key.nephos-next"));
        let read_key = || std::fs::read_to_string(&file).unwrap();
        let cloud = Cloud::<()>::open(&path).unwrap();
        let mut sealed = vec![seal(&cloud)];
        cloud.save_to(&copy, |_| ()).unwrap();
        cloud.close().unwrap();
        let first = read_key();
        for _ in 0..2 {
            let before = read_key();
            Cloud::<()>::options().rekey(&path, NewKey::Random).unwrap();
            assert_ne!(read_key(), before);
            let cloud = Cloud::<()>::open(&path).unwrap();
            sealed.push(seal(&cloud));
            sealed.iter().for_each(|sealed| assert_eq!(unseal(&cloud, sealed).unwrap(), b"hunter2"));
            assert_eq!(unseal(&cloud.fork().unwrap(), &sealed[0]).unwrap(), b"hunter2");
            cloud.close().unwrap();
            let old = Cloud::<()>::options().key(CloudKey::parse(&before).unwrap());
            assert!(old.open(&path).unwrap_err().message().contains("another key"));
        }
        assert!(!next.exists());

        let cloud = Cloud::<()>::open(&path).unwrap();
        cloud.restore_from(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&cloud, &sealed[2]).unwrap(), b"hunter2", "the keys stay when a copy is restored");
        cloud.close().unwrap();
        let cloud = Cloud::<()>::open(&path).unwrap();
        sealed.iter().for_each(|sealed| assert_eq!(unseal(&cloud, sealed).unwrap(), b"hunter2"));
        cloud.reset().unwrap();
        cloud.close().unwrap();
        std::fs::write(&file, first).unwrap();
        Cloud::<()>::open(&path).unwrap();
    }

    #[test]
    fn kill_while_the_key_is_replaced_leaves_a_state_that_opens() {
        let folder = tempfile::tempdir().unwrap();
        let (path, file) = (folder.path().join("cloud"), folder.path().join("cloud.nephos-key"));
        let next = key_file::next_path(&file);
        let cloud = Cloud::<()>::open(&path).unwrap();
        let sealed = seal(&cloud);
        cloud.close().unwrap();
        let before = std::fs::read(&file).unwrap();
        // Before the key in the state was replaced.
        key_file::write_next(&file, &CloudKey::new([7; 32]), None).unwrap();
        Cloud::<()>::options().open_shared(&path).unwrap();
        let cloud = Cloud::<()>::open(&path).unwrap();
        assert_eq!((std::fs::read(&file).unwrap(), next.exists()), (before.clone(), false));
        cloud.close().unwrap();
        // After it was replaced.
        Cloud::<()>::options().rekey(&path, NewKey::Protected("correct horse".into())).unwrap();
        std::fs::rename(&file, &next).unwrap();
        std::fs::write(&file, &before).unwrap();
        #[cfg(unix)]
        std::fs::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        let options = || Cloud::<()>::options().passphrase("correct horse");
        let shared = options().open_shared(&path).unwrap();
        assert_eq!((unseal(&shared, &sealed).unwrap(), next.exists()), (b"hunter2".to_vec(), true));
        drop(shared);
        let cloud = options().open(&path).unwrap();
        assert_eq!((unseal(&cloud, &sealed).unwrap(), next.exists()), (b"hunter2".to_vec(), false));
    }

    #[test]
    fn key_is_protected_or_given() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let cloud = Cloud::<()>::options().passphrase("correct horse").open(&path).unwrap();
        let sealed = seal(&cloud);
        cloud.close().unwrap();
        let refused = |options: CloudOptions<()>| options.open(&path).unwrap_err().message().to_owned();
        let message = refused(Cloud::options());
        assert!(message.ends_with("is protected by a passphrase, which was not given"), "{message}");
        assert!(refused(Cloud::options().passphrase("wrong horses")).contains("wrong passphrase"));
        assert!(Cloud::<()>::options().needs_passphrase(&path));
        let given = CloudKey::new([7; 32]);
        Cloud::<()>::options()
            .passphrase("correct horse")
            .rekey(&path, NewKey::Given(given.clone()))
            .unwrap();
        let options = || Cloud::<()>::options().key(given.clone());
        assert_eq!(unseal(&options().open(&path).unwrap(), &sealed).unwrap(), b"hunter2");
        assert_eq!(options().rekey(&path, NewKey::Random).unwrap_err().kind(), ErrorKind::Invalid);
        let missing = folder.path().join("none");
        let refused = Cloud::<()>::options().rekey(&missing, NewKey::Random).unwrap_err();
        assert_eq!((refused.kind(), missing.exists()), (ErrorKind::NotFound, false));
    }

    #[test]
    fn no_due_work_runs_while_the_state_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (path, copy) = (folder.path().join("cloud"), folder.path().join("copy"));
        let cloud = Cloud::<()>::open(&path).unwrap();
        cloud.save_to(&copy, |_| ()).unwrap();
        let mut was_locked = false;
        cloud.restore_from(&copy, |_| was_locked = cloud.0.working.try_lock().is_none()).unwrap();
        assert!(was_locked, "it would run at the time of the state before");
        assert!(cloud.0.working.try_lock().is_some());
    }

    #[test]
    fn shared_state_is_read_with_its_key_and_not_changed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let open = || Cloud::<()>::options().open_shared(&path);
        assert_eq!(open().map(drop).unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        Cloud::<()>::open(&path).unwrap().close().unwrap();
        let key_file = folder.path().join("cloud.nephos-key");
        std::fs::remove_file(&key_file).unwrap();
        let (one, two) = (open().unwrap(), open().unwrap());
        assert!(!key_file.exists() && one.rows().unwrap() == two.rows().unwrap());
        seal(&one);
        drop((one, two));
        assert!(open().unwrap().rows().unwrap().len() < 3, "nothing sealed was stored");

        let cloud = Cloud::<()>::open(&path).unwrap();
        let sealed = seal(&cloud);
        cloud.close().unwrap();
        assert_eq!(unseal(&open().unwrap(), &sealed).unwrap(), b"hunter2");
        std::fs::remove_file(&key_file).unwrap();
        assert_eq!(open().map(drop).unwrap_err().kind(), ErrorKind::Denied);
    }

    #[test]
    fn leftovers_of_a_killed_creation_of_the_key_file_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let names = || {
            let entries = std::fs::read_dir(folder.path()).unwrap();
            let mut names: Vec<_> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        };
        let other = "cloud.nephos-key.nephos-new-of-mine";
        std::fs::write(folder.path().join(other), "something else").unwrap();
        for _ in 0..2 {
            let left = folder.path().join("cloud.nephos-key.nephos-new-0123456789abcdef");
            std::fs::write(left, "half a key").unwrap();
            Cloud::<()>::open(&path).unwrap().close().unwrap();
            assert_eq!(names(), ["cloud", "cloud.nephos-key", other, "cloud.nephos-lock"]);
        }
    }

    #[test]
    fn damaged_state_is_refused_and_the_problem_of_a_moved_one_is_reported() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let cloud = Cloud::<()>::open(&path).unwrap();
        assert_eq!(cloud.storage_problem(), None);
        std::fs::remove_file(&path).unwrap();
        let problem = cloud.storage_problem().unwrap();
        assert!(problem.contains("was removed"), "{problem}");
        let error = cloud.set_root_key(cloud.new_root_key()).unwrap_err();
        assert_eq!((error.code(), error.status(), error.message()), ("ServiceUnavailable", 503, &*problem));
        cloud.close().unwrap();
        assert_eq!(Cloud::<()>::in_memory().storage_problem(), None);

        let cloud = Cloud::<()>::open(&path).unwrap();
        cloud.close().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        for at in 0..bytes.len() {
            // Also in the pages of earlier commits.
            if bytes[at..].starts_with(b"token-key") {
                bytes[at] ^= 1;
            }
        }
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(Cloud::<()>::open(&path).unwrap_err().kind(), ErrorKind::Corrupt);
        let other = Cloud::<()>::in_memory();
        assert_eq!(other.restore_from(&path, |_| ()).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn state_without_sealed_data_opens_without_its_key_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        Cloud::<()>::open(&path).unwrap().save_to(folder.path().join("copy"), |_| ()).unwrap();
        std::fs::remove_file(folder.path().join("cloud.nephos-key")).unwrap();
        Cloud::<()>::open(&path).unwrap();
        assert!(folder.path().join("cloud.nephos-key").exists());
        Cloud::<()>::in_memory().restore_from(folder.path().join("copy"), |_| ()).unwrap();
    }
}
