//! The error type of a store, with a small set of kinds.

use std::{fmt, io, sync::Arc};

/// The result of a store operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Category of an error, for code that has to decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The store was closed.
    Closed,
    /// Another process (or another handle of this process) has the file open.
    Locked,
    /// The file is not a nephos store; it was not changed.
    Foreign,
    /// The file was written by a newer version; it was not changed.
    Newer,
    /// The file is damaged.
    Corrupt,
    /// The disk (or quota) is full. If a write or growing the file failed, nothing of the transaction was committed,
    /// and the store continues. If a later step failed, such as the sync, the same holds as for [`Io`](Self::Io).
    Full,
    /// Reading or writing failed. The transaction was committed completely or not at all; the next snapshot shows
    /// which. The store continues, unless a sync failed: then it is [`Unavailable`](Self::Unavailable) until it is
    /// opened again.
    Io,
    /// The database cannot be reached or refuses to work; nothing of the transaction was committed, and it can be repeated. Or:
    /// the state on disk is unknown because of an earlier disk failure. After a failed sync this lasts until the store
    /// is opened again; after any other failure the next transaction retries.
    Unavailable,
    /// The connection to the database was lost while the transaction was committed, and it could not be found out whether it
    /// was. It must not be repeated without a look at the rows.
    Unknown,
    /// The code of the transaction panicked; only this transaction was rolled back.
    Panicked,
    /// The code of the transaction gave two different results on the same data.
    Impure,
    /// A key or value exceeds the size limit.
    TooLarge,
    /// The file to be written already exists.
    Exists,
    /// The file to be read does not exist.
    NotFound,
    /// The path is not that of a regular file.
    NotAFile,
    /// The file was removed, replaced or changed by another program while the store was open. Nothing was written.
    Moved,
    /// Another operation has to end first.
    Busy,
    /// This backend does not support the operation.
    Unsupported,
}

/// A failed store operation.
///
/// Cheap to clone, because one failed commit is the result of every transaction of its group.
#[derive(Clone)]
pub struct Error {
    kind: ErrorKind,
    message: Arc<str>,
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error of `kind` with `message`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into().into(), source: None }
    }

    /// Returns the error with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// Category of the error.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// One line of text for a person.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Creates the error for a store that was closed.
    pub fn closed() -> Self {
        Self::new(ErrorKind::Closed, "the store is closed")
    }

    /// Creates an error for an I/O failure while `doing` something, with the kind that fits `cause`.
    pub(crate) fn io(doing: impl fmt::Display, cause: io::Error) -> Self {
        let kind = match cause.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ErrorKind::Full,
            io::ErrorKind::NotFound => ErrorKind::NotFound,
            io::ErrorKind::AlreadyExists => ErrorKind::Exists,
            // Data is missing that was written before.
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
