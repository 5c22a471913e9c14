//! Writing and reading blobs in pieces.

use super::{BlobDigest, Blobs, failed, folder::Folder};
use nephos_core::{Error, ErrorKind, Result};
use sha2::{Digest as _, Sha256};
use std::{
    fs::{self, File},
    io::{self, Read, Seek, SeekFrom, Write},
    path::{Path, PathBuf},
    sync::{
        Arc,
        mpsc::{SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
};

/// A blob that is being written. If it is dropped before the end, nothing remains of it.
#[derive(Debug)]
pub struct BlobWriter {
    blobs: Blobs,
    hash: Sha256,
    size: u64,
    target: Target,
}

#[derive(Debug)]
enum Target {
    File(File, IncomingFile, Option<Flusher>),
    Memory(Vec<u8>),
}

/// Number of bytes after which a file is flushed while it is being written.
const FLUSHED: u64 = 32 << 20;

/// Flushes a file to disk while it is being written, so that the end of a large blob need not wait for all of it.
#[derive(Debug)]
struct Flusher {
    wake: SyncSender<()>,
    thread: JoinHandle<io::Result<()>>,
    /// Size of the file at which it is flushed next.
    next: u64,
}

impl Flusher {
    fn start(file: &File) -> io::Result<Self> {
        let file = file.try_clone()?;
        let (wake, woken) = sync_channel(1);
        let thread = thread::spawn(move || woken.iter().try_for_each(|()| file.sync_data()));
        Ok(Self { wake, thread, next: 0 })
    }

    /// Flushes the file if it has grown enough, and is not being flushed.
    fn advance(&mut self, size: u64) {
        if size >= self.next {
            self.next = size + FLUSHED;
            // A failure is reported at the end.
            let _ = self.wake.try_send(());
        }
    }

    /// Waits for the end. A failure is reported to one caller only, so that it counts here.
    fn finish(self) -> io::Result<()> {
        drop(self.wake);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

/// File of a blob that is being written, which is removed with it.
#[derive(Debug)]
struct IncomingFile(PathBuf);

impl Drop for IncomingFile {
    fn drop(&mut self) {
        // It has another name by now if the blob is complete.
        let _ = fs::remove_file(&self.0);
    }
}

impl BlobWriter {
    pub(super) fn new(blobs: Blobs) -> Result<Self> {
        let target = match blobs.writable_folder() {
            Some(folder) => {
                let (file, path) = folder.create_incoming()?;
                Target::File(file, IncomingFile(path), None)
            }
            None => Target::Memory(Vec::new()),
        };
        Ok(Self { blobs, hash: Sha256::new(), size: 0, target })
    }

    /// Number of bytes written so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Appends bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<()> {
        match &mut self.target {
            Target::File(file, path, flusher) => {
                let failed = |error| failed("cannot write the blob", &path.0, &error);
                file.write_all(bytes).map_err(failed)?;
                let size = self.size + bytes.len() as u64;
                let is_durable = self.blobs.writable_folder().is_some_and(Folder::is_durable);
                match flusher {
                    Some(flusher) => flusher.advance(size),
                    None if size >= FLUSHED && is_durable => {
                        *flusher = Some(Flusher::start(file).map_err(failed)?)
                    }
                    None => {}
                }
            }
            Target::Memory(held) => {
                self.blobs.check_memory(held.len() + bytes.len())?;
                held.extend_from_slice(bytes);
            }
        }
        self.hash.update(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Completes the blob: it is on disk. It stays there at least as long as the returned value.
    pub fn finish(self) -> Result<WrittenBlob> {
        let Self { blobs, hash, size, target } = self;
        let digest = BlobDigest::finish(hash);
        match (target, blobs.writable_folder()) {
            (Target::File(file, path, flusher), Some(folder)) => {
                let flushed = flusher.map_or(Ok(()), Flusher::finish).and_then(|()| folder.sync(&file));
                flushed.map_err(|error| failed("cannot write the blob", &path.0, &error))?;
                let mut state = blobs.lock();
                folder.adopt(&path.0, &digest)?;
                state.pin(digest);
            }
            (Target::File(..), None) => blobs.lock().pin(digest),
            (Target::Memory(bytes), _) => {
                let mut state = blobs.lock();
                state.insert_memory(digest, bytes);
                state.pin(digest);
            }
        }
        Ok(WrittenBlob { blobs, digest, size })
    }
}

/// A blob that was written. It is not swept as long as this value exists, so that a row can be made that refers to it.
#[derive(Debug)]
pub struct WrittenBlob {
    blobs: Blobs,
    digest: BlobDigest,
    size: u64,
}

impl WrittenBlob {
    /// Digest of the blob.
    pub fn digest(&self) -> BlobDigest {
        self.digest
    }

    /// Size in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }
}

impl Drop for WrittenBlob {
    fn drop(&mut self) {
        self.blobs.lock().unpin(&self.digest);
    }
}

/// Content of a blob.
#[derive(Debug)]
pub struct BlobReader {
    pub(super) source: Source,
    pub(super) size: u64,
}

#[derive(Debug)]
pub(super) enum Source {
    File(File, PathBuf),
    Memory(Arc<[u8]>, u64),
}

impl BlobReader {
    pub(super) fn open_file(path: &Path) -> Result<Option<Self>> {
        let open = || {
            let file = File::open(path)?;
            let size = file.metadata()?.len();
            Ok(Self { source: Source::File(file, path.to_owned()), size })
        };
        match open() {
            Ok(reader) => Ok(Some(reader)),
            Err(error) if std::io::Error::kind(&error) == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("cannot read the blob", path, &error)),
        }
    }

    /// Size of the whole blob in bytes.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Continues at `offset`.
    pub fn seek(&mut self, offset: u64) -> Result<()> {
        match &mut self.source {
            Source::Memory(_, at) => *at = offset,
            Source::File(file, path) => {
                let failed = |error| failed("cannot read the blob", path, &error);
                file.seek(SeekFrom::Start(offset)).map(drop).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Reads the next bytes, at most as many as fit; none at the end.
    pub fn read(&mut self, buffer: &mut [u8]) -> Result<usize> {
        match &mut self.source {
            Source::File(file, path) => {
                file.read(buffer).map_err(|error| failed("cannot read the blob", path, &error))
            }
            Source::Memory(bytes, at) => {
                let rest = usize::try_from(*at).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
                let length = rest.len().min(buffer.len());
                buffer[..length].copy_from_slice(&rest[..length]);
                *at += length as u64;
                Ok(length)
            }
        }
    }

    /// Reads what is left, in pieces.
    pub(super) fn read_all(&mut self, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let mut buffer = vec![0; 256 << 10];
        loop {
            match self.read(&mut buffer)? {
                0 => return Ok(()),
                length => visit(&buffer[..length])?,
            }
        }
    }

    /// Reads the blob into memory.
    pub fn read_to_end(&mut self) -> Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.size).unwrap_or(0).min(64 << 20));
        self.read_all(|piece| {
            bytes.extend_from_slice(piece);
            Ok(())
        })?;
        Ok(bytes)
    }

    /// Verifies that the content has the digest.
    pub(super) fn verify(&mut self, digest: &BlobDigest) -> Result<()> {
        let mut hash = Sha256::new();
        self.read_all(|piece| {
            hash.update(piece);
            Ok(())
        })?;
        if BlobDigest::finish(hash) == *digest {
            return Ok(());
        }
        Err(Error::new(ErrorKind::Corrupt, format!("the blob {digest} is damaged")))
    }
}
