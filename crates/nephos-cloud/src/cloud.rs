//! Opening a cloud with the services it is handed.

use crate::{
    CloudKey, Kernel, Service, Transitions,
    clock::Time,
    kernel::{Parts, opened, token_key},
    key_file,
    outside::Functions,
    seal::{self, Seals},
    stored,
    tokens::Tokens,
};
use nephos_core::{Clock, Ids, Result};
use nephos_store::{OpenOptions, Store, View};
use std::{
    marker::PhantomData,
    ops::Deref,
    path::{Path, PathBuf},
};

/// The services that a cloud is opened with, as a type.
pub trait ServiceSet: 'static {
    /// The services.
    const SERVICES: &'static [&'static Service];
}

/// No service at all.
impl ServiceSet for () {
    const SERVICES: &'static [&'static Service] = &[];
}

/// A cloud in this process, with the services of `S`. Cloning gives another handle of the same cloud. Its
/// methods are those of [`Kernel`].
pub struct Cloud<S> {
    kernel: Kernel,
    services: PhantomData<fn() -> S>,
}

impl<S: ServiceSet> Cloud<S> {
    /// A new cloud in memory.
    pub fn in_memory() -> Self {
        Self::options().in_memory()
    }

    /// The cloud in the file at `path`, made if it does not exist.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::options().open(path)
    }

    /// Other ways to open a cloud: with another clock, from a seed.
    pub fn options() -> CloudOptions<S> {
        CloudOptions::default()
    }

    /// A cloud in memory that begins as this one is now, with the same key; neither sees what the other does later. It
    /// costs the same however much there is.
    pub fn fork(&self) -> Result<Self> {
        Ok(Self { kernel: self.kernel.fork()?, services: PhantomData })
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

/// How a cloud is opened.
#[must_use = "this is how a cloud will be opened; open it"]
pub struct CloudOptions<S> {
    clock: Clock,
    seed: Option<u64>,
    key: KeyFrom,
    store: OpenOptions,
    transitions: Transitions,
    services: PhantomData<fn() -> S>,
}

/// The source of the key that encrypts a cloud's secrets.
#[derive(Clone, Debug, Default)]
enum KeyFrom {
    /// The file beside the state.
    #[default]
    Beside,
    File(PathBuf),
    Given(CloudKey),
}

impl<S> Default for CloudOptions<S> {
    fn default() -> Self {
        let (clock, store, transitions) = (Clock::system(), OpenOptions::new(), Transitions::default());
        Self { clock, seed: None, key: KeyFrom::default(), store, transitions, services: PhantomData }
    }
}

impl<S> Clone for CloudOptions<S> {
    fn clone(&self) -> Self {
        Self {
            clock: self.clock.clone(),
            seed: self.seed,
            key: self.key.clone(),
            store: self.store.clone(),
            transitions: self.transitions,
            services: PhantomData,
        }
    }
}

impl<S> std::fmt::Debug for CloudOptions<S> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CloudOptions").field("transitions", &self.transitions).finish_non_exhaustive()
    }
}

impl<S: ServiceSet> CloudOptions<S> {
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

    /// Encrypts secrets with `key`. A state opens only with the key that encrypted it.
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

    /// False if a write may be acknowledged before it is safe on disk. It is true unless told otherwise.
    pub fn durable(mut self, durable: bool) -> Self {
        self.store = self.store.durable(durable);
        self
    }

    /// A new cloud in memory.
    pub fn in_memory(self) -> Cloud<S> {
        let store = self.store.clone().in_memory();
        self.open_store(store, None).expect("a new store in memory is empty and does not fail")
    }

    /// The cloud in the file at `path`, made if it does not exist.
    pub fn open(self, path: impl AsRef<Path>) -> Result<Cloud<S>> {
        let store = self.store.clone().open(&path).map_err(stored)?;
        self.open_store(store, Some(path.as_ref()))
    }

    fn open_store(self, store: Store, path: Option<&Path>) -> Result<Cloud<S>> {
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
        let (services, functions, transitions) = (S::SERVICES, Functions::default(), self.transitions);
        let parts = Parts { services, store, time, ids, tokens, seals, functions, transitions };
        Ok(Cloud { kernel: Kernel::new(parts), services: PhantomData })
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scope, tx::Backing};
    use nephos_core::ErrorKind;

    #[test]
    fn what_follows_from_a_seed_does_not_come_again() {
        let folder = tempfile::tempdir().unwrap();
        let opened = |name: &str| Cloud::<()>::options().seed(7).open(folder.path().join(name)).unwrap();
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
        let snapshot = cloud.0.store.snapshot().map_err(stored)?;
        let scope = Scope::new("123456789012", "us-east-1");
        let tx = cloud.0.tx(scope, Backing::Read(&snapshot), cloud.0.time.now(), &cloud.0.ids);
        tx.open(&["one"], sealed).map(|opened| opened.to_vec())
    }

    #[test]
    fn what_was_sealed_opens_again_with_the_same_key_only_and_nothing_is_overwritten() {
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

        let (key, state) = (std::fs::read(&file).unwrap(), std::fs::read(&path).unwrap());
        let refused = |options: CloudOptions<()>| options.open(&path).map(drop).unwrap_err();
        let another = Cloud::<()>::options().key(CloudKey::new([7; 32]));
        assert!(refused(another.clone()).message().contains("another one"));
        let aside = folder.path().join("aside");
        std::fs::rename(&file, &aside).unwrap();
        let error = refused(Cloud::<()>::options());
        assert_eq!(error.kind(), ErrorKind::Denied);
        assert!(error.message().contains("cloud.nephos-key"), "{error}");
        assert!(!file.exists(), "no new key is made in place of the one that is missing");
        let elsewhere = folder.path().join("key");
        assert!(refused(Cloud::<()>::options().key_file(&elsewhere)).message().contains("no key file"));
        assert!(!elsewhere.exists());
        std::fs::rename(&aside, &file).unwrap();
        std::fs::write(&file, "nonsense").unwrap();
        assert_eq!(refused(Cloud::<()>::options()).kind(), ErrorKind::Invalid);

        std::fs::write(&file, &key).unwrap();
        let given = CloudKey::parse(std::str::from_utf8(&key).unwrap()).unwrap();
        assert_eq!(
            unseal(&Cloud::<()>::options().key(given.clone()).open(&path).unwrap(), &sealed).unwrap(),
            b"hunter2"
        );
        assert_eq!(std::fs::read(&path).unwrap().len(), state.len());

        let other = Cloud::<()>::in_memory();
        seal(&other);
        let before = other.rows().unwrap();
        assert_eq!(other.restore_from(&copy, |_| ()).unwrap_err().kind(), ErrorKind::Denied);
        assert_eq!(other.rows().unwrap(), before);
        let same = Cloud::<()>::options().key(given).in_memory();
        same.restore_from(&copy, |_| ()).unwrap();
        assert_eq!(unseal(&same, &sealed).unwrap(), b"hunter2");
    }

    #[test]
    fn a_state_in_which_nothing_is_sealed_needs_no_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        Cloud::<()>::open(&path).unwrap().save_to(folder.path().join("copy"), |_| ()).unwrap();
        std::fs::remove_file(folder.path().join("cloud.nephos-key")).unwrap();
        Cloud::<()>::open(&path).unwrap();
        assert!(folder.path().join("cloud.nephos-key").exists());
        Cloud::<()>::in_memory().restore_from(folder.path().join("copy"), |_| ()).unwrap();
    }
}
