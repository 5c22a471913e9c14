//! Blobs: contents of any size, by digest, beside the rows of a cloud.
//!
//! A cloud in a file stores them in a folder next to it, one file for each; a cloud in memory stores them in memory. Rows of the
//! cloud say which blobs are used, and by what. Contents take long to read and write, and other writers wait for a transaction: a handler
//! reaches them only outside of it, by [`Tx::with_blobs`]. If the transaction is not committed afterwards, what it wrote is unused.
//!
//! Forks share the blobs of their origin. Snapshots link to the same files. Unused blobs are removed by [`Kernel::sweep_blobs`].

mod digest;
mod folder;
mod writer;

pub use digest::BlobDigest;
pub use folder::folder_of_state as blobs_folder;
pub use writer::{BlobReader, BlobWriter, WrittenBlob};

use crate::{Kernel, Key, Tx, from_store_error, internal, kernel::Inner};
use folder::Folder;
use nephos_core::{Error, ErrorKind, Result};
use nephos_store::{Direction, KeyRange, View};
use sha2::{Digest as _, Sha256};
use std::{
    collections::{BTreeSet, HashMap},
    fmt, io,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
};
use writer::Source;

/// Table of the uses of blobs: by digest and user.
const USES: &str = "blobs";

/// Maximum size of all blobs of a cloud in memory.
const MAX_MEMORY_BYTES: usize = 1 << 30;

/// Blobs of a cloud, and of its forks.
#[derive(Clone)]
pub struct Blobs(Arc<Shared>);

struct Shared {
    folder: Option<Folder>,
    /// True if new blobs go to memory and not to the folder.
    is_memory: bool,
    /// True if other servers write blobs into the folder, too, or if there is none that they share.
    is_shared: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    memory: HashMap<BlobDigest, Arc<[u8]>>,
    memory_bytes: usize,
    /// Blobs that are about to be used, with the number of those that wait.
    pins: HashMap<BlobDigest, usize>,
    /// Blobs that may be unused.
    candidates: BTreeSet<BlobDigest>,
    /// Number of those that need all blobs to stay.
    holds: usize,
    /// Clouds that use the blobs.
    users: Vec<Weak<Inner>>,
}

impl State {
    fn insert_memory(&mut self, digest: BlobDigest, bytes: Vec<u8>) {
        let length = bytes.len();
        if self.memory.insert(digest, bytes.into()).is_none() {
            self.memory_bytes += length;
        }
    }

    fn pin(&mut self, digest: BlobDigest) {
        *self.pins.entry(digest).or_default() += 1;
        self.candidates.insert(digest);
    }

    fn unpin(&mut self, digest: &BlobDigest) {
        if let Some(count) = self.pins.get_mut(digest) {
            *count -= 1;
            if *count == 0 {
                self.pins.remove(digest);
            }
        }
    }
}

impl Blobs {
    /// Creates the blobs of a cloud in memory.
    pub(crate) fn in_memory() -> Self {
        Self::new(None, true)
    }

    /// Opens the blobs of the state at `path`.
    pub(crate) fn open(path: &Path, is_durable: bool) -> Self {
        let folder = Folder::of_state(path, is_durable);
        folder.remove_leftovers();
        let blobs = Self::new(Some(folder.clone()), false);
        blobs.lock().candidates.extend(folder.digests());
        blobs
    }

    /// Opens the blobs of a state that is only read; new ones are in memory.
    pub(crate) fn open_shared(path: &Path) -> Self {
        Self::new(Some(Folder::of_state(path, true)), true)
    }

    /// Opens the blobs of a cloud in a database, in a folder that all its servers share. Without a folder, none can be written.
    pub(crate) fn open_in_database(folder: Option<PathBuf>) -> Self {
        let (folder, is_memory, is_shared) = (folder.map(Folder::at), false, true);
        Self(Arc::new(Shared { folder, is_memory, is_shared, state: Mutex::default() }))
    }

    fn new(folder: Option<Folder>, is_memory: bool) -> Self {
        Self(Arc::new(Shared { folder, is_memory, is_shared: false, state: Mutex::default() }))
    }

    pub(crate) fn add_user(&self, user: &Arc<Inner>) {
        let mut state = self.lock();
        state.users.retain(|user| user.strong_count() > 0);
        state.users.push(Arc::downgrade(user));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps all blobs until the returned value is dropped.
    pub(crate) fn hold(&self) -> Held<'_> {
        self.lock().holds += 1;
        Held(self)
    }

    fn writable_folder(&self) -> Option<&Folder> {
        self.0.folder.as_ref().filter(|_| !self.0.is_memory)
    }

    /// Refuses `more` bytes that do not fit into memory.
    fn check_memory(&self, more: usize) -> Result<()> {
        if self.lock().memory_bytes + more <= MAX_MEMORY_BYTES {
            return Ok(());
        }
        let message = format!(
            "the blobs of a cloud in memory can have at most {MAX_MEMORY_BYTES} bytes; a cloud in a file has no such limit"
        );
        Err(Error::new(ErrorKind::LimitExceeded, message).with_wire_code("InsufficientStorage", 507))
    }

    /// Begins to write a blob in pieces.
    pub fn writer(&self) -> Result<BlobWriter> {
        if self.0.is_shared && self.0.folder.is_none() {
            let message = "a cloud in a database stores blobs, such as layers of images, in a folder that all its servers share; none is set";
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        BlobWriter::new(self.clone())
    }

    /// Writes a blob. It is removed by the next sweep unless a row uses it by then.
    pub fn put(&self, bytes: &[u8]) -> Result<WrittenBlob> {
        let mut writer = self.writer()?;
        writer.write(bytes)?;
        writer.finish()
    }

    /// Writes a blob that is made of others, in order, if its digest is wanted. They are read twice, so that nothing is written for a
    /// digest that is not.
    pub fn join(
        &self,
        parts: &[BlobDigest],
        is_wanted: impl FnOnce(&BlobDigest) -> bool,
    ) -> Result<Option<WrittenBlob>> {
        if !is_wanted(&self.digest_of(parts)?) {
            return Ok(None);
        }
        let mut writer = self.writer()?;
        for part in parts {
            self.require(part)?.read_all(|piece| writer.write(piece))?;
        }
        writer.finish().map(Some)
    }

    /// Returns the digest of a blob that would be made of others.
    fn digest_of(&self, parts: &[BlobDigest]) -> Result<BlobDigest> {
        let mut hash = Sha256::new();
        for part in parts {
            self.require(part)?.read_all(|piece| {
                hash.update(piece);
                Ok(())
            })?;
        }
        Ok(BlobDigest::finish(hash))
    }

    /// Keeps blobs until the returned value is dropped.
    fn pin(&self, digests: &[BlobDigest]) -> Pinned {
        let mut state = self.lock();
        digests.iter().for_each(|digest| state.pin(*digest));
        Pinned(self.clone(), digests.to_vec())
    }

    /// Opens a blob; `None` if it does not exist.
    pub fn open_blob(&self, digest: &BlobDigest) -> Result<Option<BlobReader>> {
        if let Some(bytes) = self.lock().memory.get(digest) {
            let size = bytes.len() as u64;
            return Ok(Some(BlobReader { source: Source::Memory(bytes.clone(), 0), size }));
        }
        let folder = self.0.folder.as_ref();
        folder.map_or(Ok(None), |folder| BlobReader::open_file(&folder.path_of(digest)))
    }

    /// Opens a blob that a row uses.
    pub fn require(&self, digest: &BlobDigest) -> Result<BlobReader> {
        let missing = || Error::new(ErrorKind::Corrupt, format!("the blob {digest} is missing"));
        self.open_blob(digest)?.ok_or_else(missing)
    }

    /// Copies the blobs that `view` uses beside the state at `path`.
    pub(crate) fn save_to(&self, path: &Path, view: &dyn View) -> Result<()> {
        let target = Folder::of_state(path, true);
        for digest in used(view)? {
            match self.0.folder.as_ref().filter(|folder| folder.path_of(&digest).exists()) {
                Some(folder) => target.link(folder, &digest)?,
                None => {
                    let (file, incoming) = target.create_incoming()?;
                    let unwritten = |error| failed("cannot write the blob", &incoming, &error);
                    let mut writer = io::BufWriter::new(&file);
                    self.require(&digest)?
                        .read_all(|piece| io::Write::write_all(&mut writer, piece).map_err(unwritten))?;
                    io::Write::flush(&mut writer).map_err(unwritten)?;
                    drop(writer);
                    target.sync(&file).map_err(unwritten)?;
                    target.adopt(&incoming, &digest)?;
                }
            }
        }
        Ok(())
    }

    /// Takes over the blobs that `view`, the state at `path`, uses. They may be swept until a row uses them.
    pub(crate) fn take_from(&self, path: &Path, view: &dyn View) -> Result<()> {
        let source = Folder::of_state(path, true);
        for digest in used(view)? {
            if self.open_blob(&digest)?.is_some() {
                continue;
            }
            match self.writable_folder() {
                Some(folder) => folder.link(&source, &digest)?,
                None => {
                    let missing = || {
                        let message =
                            format!("the blob {digest} is missing: copy the folder of blobs with the state");
                        Error::new(ErrorKind::Corrupt, message)
                    };
                    let reader = BlobReader::open_file(&source.path_of(&digest))?;
                    let bytes = reader.ok_or_else(missing)?.read_to_end()?;
                    self.put(&bytes)?;
                }
            }
        }
        Ok(())
    }

    /// Marks all blobs as candidates of the next sweep.
    pub(crate) fn suspect_all(&self) {
        let files = self.writable_folder().map(Folder::digests).unwrap_or_default();
        let mut state = self.lock();
        let in_memory: Vec<_> = state.memory.keys().copied().collect();
        state.candidates.extend(files.into_iter().chain(in_memory));
    }

    /// Verifies the content of every blob that `view` uses.
    pub(crate) fn check(&self, view: &dyn View) -> Result<()> {
        used(view)?.iter().try_for_each(|digest| self.require(digest)?.verify(digest))
    }

    fn remove(&self, state: &mut State, digest: &BlobDigest) -> Result<()> {
        if let Some(bytes) = state.memory.remove(digest) {
            state.memory_bytes -= bytes.len();
        }
        self.writable_folder().map_or(Ok(()), |folder| folder.remove(digest))
    }
}

/// Keeps some blobs.
struct Pinned(Blobs, Vec<BlobDigest>);

impl Drop for Pinned {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        self.1.iter().for_each(|digest| state.unpin(digest));
    }
}

/// Keeps all blobs.
pub(crate) struct Held<'b>(&'b Blobs);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.lock().holds -= 1;
    }
}

impl fmt::Debug for Blobs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blobs").field("folder", &self.0.folder).finish_non_exhaustive()
    }
}

impl Kernel {
    /// Blobs of the cloud.
    pub fn blobs(&self) -> &Blobs {
        &self.0.blobs
    }

    /// Removes blobs that became unused, and returns their number. A blob that a fork or a transaction in progress uses stays; so do all
    /// blobs of a cloud in a database.
    pub fn sweep_blobs(&self) -> Result<usize> {
        let blobs = &self.0.blobs;
        if blobs.0.is_shared {
            // Another server may be about to use one.
            return Ok(0);
        }
        let mut state = blobs.lock();
        if state.holds > 0 {
            return Ok(0);
        }
        let candidates = std::mem::take(&mut state.candidates);
        let users: Vec<_> = state.users.iter().filter_map(Weak::upgrade).collect();
        drop(state);
        if candidates.is_empty() {
            return Ok(0);
        }
        for user in &users {
            // What ran before is committed now.
            let passed = user.store.transact(|_| Ok::<_, nephos_store::Error>(()));
            passed.wait().map_err(from_store_error)?;
        }
        let mut state = blobs.lock();
        // A fork that was made meanwhile has the rows of its origin.
        let users: Vec<_> = state.users.iter().filter_map(Weak::upgrade).collect();
        let views: Vec<_> =
            users.iter().map(|user| user.store.snapshot().map_err(from_store_error)).collect();
        let views = views.into_iter().collect::<Result<Vec<_>>>()?;
        let mut removed = 0;
        for digest in &candidates {
            // Written or released again since.
            let is_candidate_again = state.candidates.contains(digest);
            if is_candidate_again || state.holds > 0 || state.pins.contains_key(digest) {
                state.candidates.insert(*digest);
                continue;
            }
            let mut users = 0;
            for view in &views {
                users += usize::from(uses(view, digest)?);
            }
            if users == 0 {
                blobs.remove(&mut state, digest)?;
                removed += 1;
            } else if users < views.len() {
                // It becomes unused without a release when a fork ends.
                state.candidates.insert(*digest);
            }
        }
        Ok(removed)
    }
}

impl Tx<'_> {
    /// Returns the result of work with the blobs of the cloud, which runs outside the transaction, as that of
    /// [`compute`](Self::compute). Those that it uses stay until then.
    pub fn with_blobs<T: Clone + Send + Sync + 'static>(
        &mut self,
        used: &[BlobDigest],
        work: impl FnOnce(&Blobs) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        if !self.computations.are_outside() {
            return Err(internal("blobs are read and written outside of transactions"));
        }
        let (blobs, pinned) = (self.blobs.clone(), self.blobs.pin(used));
        self.compute(move || {
            let _pinned = pinned;
            work(&blobs)
        })
    }

    /// Notes that `user` uses the blob, within the account and Region of the call.
    pub fn use_blob(&mut self, digest: &BlobDigest, user: &str) -> Result<()> {
        let key = self.key_of_use(digest, user);
        self.put_row(&key, b"")
    }

    /// Notes that `user` does not use the blob any more.
    pub fn release_blob(&mut self, digest: &BlobDigest, user: &str) -> Result<()> {
        let key = self.key_of_use(digest, user);
        self.remove_row(&key)?;
        self.blobs.lock().candidates.insert(*digest);
        Ok(())
    }

    fn key_of_use(&self, digest: &BlobDigest, user: &str) -> Key {
        let scope = self.scope();
        uses_of(digest).text(scope.account()).text(scope.region()).text(user)
    }
}

/// Prefix of the keys of the uses of a blob.
fn uses_of(digest: &BlobDigest) -> Key {
    Key::table(USES).text(&digest.digits())
}

/// True if a row of `view` uses the blob.
fn uses(view: &dyn View, digest: &BlobDigest) -> Result<bool> {
    let mut found = false;
    let range = KeyRange::prefix(uses_of(digest).as_bytes());
    let scanned = view.scan(&range, Direction::Ascending, &mut |_, _| {
        found = true;
        ControlFlow::Break(())
    });
    scanned.map(|()| found).map_err(from_store_error)
}

/// Digests of the blobs that `view` uses.
fn used(view: &dyn View) -> Result<BTreeSet<BlobDigest>> {
    let mut digests = BTreeSet::new();
    let table = Key::table(USES);
    let scanned = view.scan(&KeyRange::prefix(table.as_bytes()), Direction::Ascending, &mut |key, _| {
        // The tag of a text is before the digits.
        let digits = key.get(table.as_bytes().len() + 1..).and_then(|rest| rest.get(..64));
        let digest = digits.and_then(|digits| BlobDigest::from_digits(std::str::from_utf8(digits).ok()?));
        digests.extend(digest);
        ControlFlow::Continue(())
    });
    scanned.map(|()| digests).map_err(from_store_error)
}

/// Error for a file or folder of blobs.
fn failed(what: &str, path: &Path, error: &io::Error) -> Error {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::LimitExceeded,
        _ => ErrorKind::Internal,
    };
    let failed = Error::new(kind, format!("{what} {}: {error}", path.display()));
    match kind {
        ErrorKind::LimitExceeded => failed.with_wire_code("InsufficientStorage", 507),
        _ => failed,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Caller, Cloud, RequestSource, Scope, tx::Backing};
    use nephos_core::shape::Effect;
    use std::fs;

    /// Runs `body` in a transaction of `cloud`.
    fn transact(cloud: &Kernel, body: fn(&mut Tx<'_>) -> Result<()>) {
        let (inner, ids) = (cloud.0.clone(), cloud.0.ids.recorded());
        let done = inner.clone().store.transact(move |txn| {
            let scope = Scope::new("123456789012", "us-east-1");
            body(&mut inner.tx(scope, Backing::Write(txn), inner.time.now(), &ids)).unwrap();
            Ok::<_, nephos_store::Error>(())
        });
        done.wait().unwrap();
    }

    fn use_abc(cloud: &Kernel) {
        let _written = cloud.blobs().put(b"abc").unwrap();
        transact(cloud, |cx| cx.use_blob(&BlobDigest::of(b"abc"), "test"));
    }

    fn release_abc(cloud: &Kernel) {
        transact(cloud, |cx| cx.release_blob(&BlobDigest::of(b"abc"), "test"));
    }

    fn read(cloud: &Kernel, content: &[u8]) -> Option<Vec<u8>> {
        let found = cloud.blobs().open_blob(&BlobDigest::of(content)).unwrap();
        found.map(|mut found| found.read_to_end().unwrap())
    }

    #[test]
    fn blobs_are_swept_when_no_row_uses_them() {
        let folder = tempfile::tempdir().unwrap();
        for cloud in [Cloud::<()>::in_memory(), Cloud::open(folder.path().join("cloud")).unwrap()] {
            use_abc(&cloud);
            let unused = cloud.blobs().put(b"unused").unwrap();
            assert_eq!(cloud.sweep_blobs().unwrap(), 0, "one is used, the other is about to be");
            assert_eq!(read(&cloud, b"unused").unwrap(), b"unused");
            drop(unused);
            assert_eq!(cloud.sweep_blobs().unwrap(), 1);
            assert_eq!((read(&cloud, b"unused"), read(&cloud, b"abc")), (None, Some(b"abc".to_vec())));
            let fork = cloud.fork().unwrap();
            release_abc(&cloud);
            assert_eq!(cloud.sweep_blobs().unwrap(), 0, "the fork uses it");
            drop(fork);
            assert_eq!(cloud.sweep_blobs().unwrap(), 1);
            assert_eq!(read(&cloud, b"abc"), None);
            use_abc(&cloud);
            cloud.reset().unwrap();
            assert_eq!(read(&cloud, b"abc"), None);
        }
    }

    #[test]
    fn blob_is_written_read_and_joined_in_pieces() {
        let cloud = Cloud::<()>::in_memory();
        let blobs = cloud.blobs();
        let mut writer = blobs.writer().unwrap();
        writer.write(b"a").unwrap();
        writer.write(b"bc").unwrap();
        assert_eq!(writer.size(), 3);
        let written = writer.finish().unwrap();
        assert_eq!((written.digest(), written.size()), (BlobDigest::of(b"abc"), 3));
        let parts = [written.digest(), written.digest()];
        let twice = blobs.join(&parts, |_| true).unwrap().unwrap();
        assert!(blobs.join(&parts, |joined| *joined != BlobDigest::of(b"abcabc")).unwrap().is_none());
        assert_eq!((twice.digest(), twice.size()), (BlobDigest::of(b"abcabc"), 6));
        let mut reader = blobs.require(&twice.digest()).unwrap();
        reader.seek(4).unwrap();
        let mut buffer = [0; 8];
        assert_eq!((reader.size(), reader.read(&mut buffer).unwrap(), &buffer[..2]), (6, 2, &b"bc"[..]));
        assert_eq!(reader.read(&mut buffer).unwrap(), 0);
        assert_eq!(blobs.require(&BlobDigest::of(b"none")).unwrap_err().kind(), ErrorKind::Corrupt);
    }

    #[test]
    fn blobs_are_reached_outside_of_transactions_only() {
        let cloud = Cloud::<()>::in_memory();
        let refused =
            cloud.run_in_transaction(|cx| cx.with_blobs(&[], |blobs| Ok(blobs.put(b"abc")?.size())));
        assert_eq!(refused.unwrap_err().kind(), ErrorKind::Internal);
        let source = RequestSource::new(Caller::root("123456789012"), "us-east-1");
        let other = cloud.clone();
        let written = cloud.run_request(source, Effect::Write, move |cx| {
            let other = other.clone();
            let written = cx.with_blobs(&[], move |blobs| {
                // It would wait for ever inside the transaction.
                transact(&other, |cx| cx.add_to_count("others", 1).map(drop));
                blobs.put(b"abc").map(Arc::new)
            })?;
            cx.use_blob(&written.digest(), "test")?;
            cx.count("others")
        });
        assert_eq!(written.unwrap(), 1);
        assert_eq!(cloud.sweep_blobs().unwrap(), 0);
        release_abc(&cloud);
        let pinned = cloud.blobs().pin(&[BlobDigest::of(b"abc")]);
        assert_eq!(cloud.sweep_blobs().unwrap(), 0);
        drop(pinned);
        assert_eq!(cloud.sweep_blobs().unwrap(), 1);
    }

    #[test]
    fn half_written_and_unused_blobs_are_gone_after_a_restart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cloud");
        let incoming = folder.path().join("cloud.nephos-blobs/incoming");
        let cloud = Cloud::<()>::open(&path).unwrap();
        use_abc(&cloud);
        drop(cloud.blobs().put(b"unused").unwrap());
        let mut half = cloud.blobs().writer().unwrap();
        half.write(b"half").unwrap();
        cloud.close().unwrap();
        assert_eq!(fs::read_dir(&incoming).unwrap().count(), 1);
        let again = Cloud::<()>::open(&path).unwrap();
        assert_eq!(fs::read_dir(&incoming).unwrap().count(), 0);
        assert_eq!((read(&again, b"abc"), read(&again, b"unused")), (Some(b"abc".to_vec()), None));
    }

    #[test]
    fn snapshots_link_to_blobs_and_restores_bring_them_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let cloud = Cloud::<()>::open(path("cloud")).unwrap();
        use_abc(&cloud);
        cloud.save_to(path("copy"), |_| ()).unwrap();
        release_abc(&cloud);
        assert_eq!(cloud.sweep_blobs().unwrap(), 1);
        let key = || Cloud::<()>::options().key_file(path("cloud.nephos-key"));
        let copy = key().open_shared(path("copy")).unwrap();
        assert_eq!(read(&copy, b"abc").unwrap(), b"abc");
        copy.blobs().put(b"new").unwrap();
        assert_eq!(read(&copy, b"new").unwrap(), b"new", "in memory");
        drop(copy);
        cloud.restore_from(path("copy"), |_| ()).unwrap();
        assert_eq!(read(&cloud, b"abc").unwrap(), b"abc");
        cloud.check().unwrap();
        // From and into memory.
        let memory = key().open_shared(path("copy")).unwrap();
        memory.save_to(path("second"), |_| ()).unwrap();
        drop(memory);
        let memory = Cloud::<()>::in_memory();
        memory.restore_from(path("second"), |_| ()).unwrap();
        memory.save_to(path("third"), |_| ()).unwrap();
        assert_eq!(read(&memory, b"abc").unwrap(), b"abc");
        fs::remove_dir_all(path("third.nephos-blobs")).unwrap();
        let error = Cloud::<()>::in_memory().restore_from(path("third"), |_| ()).unwrap_err();
        assert!(error.message().contains("is missing"), "{error}");
    }

    #[test]
    fn damaged_blobs_are_reported() {
        let folder = tempfile::tempdir().unwrap();
        let cloud = Cloud::<()>::open(folder.path().join("cloud")).unwrap();
        use_abc(&cloud);
        let digits = BlobDigest::of(b"abc").digits();
        let file = folder.path().join("cloud.nephos-blobs").join(&digits[..2]).join(&digits);
        fs::write(&file, "abd").unwrap();
        assert!(cloud.check().unwrap_err().message().contains("is damaged"));
        fs::remove_file(&file).unwrap();
        assert!(cloud.check().unwrap_err().message().contains("is missing"));
    }
}
