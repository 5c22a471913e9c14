//! What can go wrong in a store, as one type with a small set of kinds.

use std::{fmt, io, sync::Arc};

/// The result of a store operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What went wrong, for code that has to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store was closed.
    Closed,
    /// Another process (or another handle of this one) has the file open.
    Locked,
    /// The file is not a store of ours; it was left untouched.
    Foreign,
    /// The file was written by a newer version; it was left untouched.
    Newer,
    /// The file is damaged.
    Corrupt,
    /// The disk (or quota) is full. If it refused to be written or to grow, nothing of the transaction was kept, and
    /// the store goes on. If it refused anything later, such as to sync, this is as with [`Io`](Self::Io).
    Full,
    /// Reading or writing failed. The transaction was kept whole or not at all, and the next snapshot shows which.
    /// The store goes on, unless a sync failed: then it is [`Unavailable`](Self::Unavailable), and shows it once it
    /// is opened again.
    Io,
    /// An earlier failure of the disk left nothing that the store could promise. After a failed sync it stays so
    /// until the store is opened again; after any other failure the next transaction tries the disk anew.
    Unavailable,
    /// The transaction's own code panicked; it was rolled back alone.
    Panicked,
    /// The transaction's code gave two different answers on the same data.
    Impure,
    /// A key or value is larger than the store takes.
    TooLarge,
    /// The file to be written exists already.
    Exists,
    /// The file to be read does not exist.
    NotFound,
    /// Something else has to end first.
    Busy,
    /// This backend has no such operation.
    Unsupported,
}

/// A failed store operation.
///
/// It is cheap to clone, because one failed commit is the answer to every transaction of its group.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: Arc<str>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of `kind` that reads `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into().into(), source: None }
    }

    /// The same error with what caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// What went wrong, for code that has to decide.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One line for a person.
    pub fn message(&self) -> &str {
        &self.message
    }

    pub(crate) fn closed() -> Self {
        Self::new(ErrorKind::Closed, "the store is closed")
    }

    /// An I/O failure while `doing`, with the kind that its cause deserves.
    pub(crate) fn io(doing: impl fmt::Display, cause: io::Error) -> Self {
        let kind = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::AlreadyExists => ErrorKind::Exists,
            // Something is missing that was written before.
            io::ErrorKind::UnexpectedEof => ErrorKind::Corrupt,
            _ => ErrorKind::Io,
        };
        Self::new(kind, format!("{doing}: {cause}")).with_source(cause)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|s| s as &(dyn std::error::Error + 'static))
    }
}
