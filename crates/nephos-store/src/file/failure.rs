//! Conversion of redb's errors and panics.

use crate::{Error, ErrorKind, Result};
use redb::Error as Redb;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls `work`, and turns a panic of redb, which occurs on many damaged pages, into an error.
pub(super) fn catch_panic<T>(doing: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(damage_error(doing)))
}

/// Creates the error for a panic of redb while `doing` something.
pub(super) fn damage_error(doing: &str) -> Error {
    Error::new(ErrorKind::Corrupt, format!("{doing}: the file is damaged"))
}

/// Creates the error for `cause`, which occurred while `doing` something.
pub(super) fn redb_error(doing: &str, cause: impl Into<Redb>) -> Error {
    let cause = cause.into();
    let kind = match &cause {
        Redb::Io(_) => {
            let Redb::Io(io) = cause else { unreachable!("just matched") };
            return Error::io(doing, io);
        }
        Redb::Corrupted(_) => ErrorKind::Corrupt,
        Redb::ValueTooLarge(_) => ErrorKind::TooLarge,
        Redb::PreviousIo => ErrorKind::Unavailable,
        Redb::DatabaseClosed => ErrorKind::Closed,
        Redb::DatabaseAlreadyOpen => ErrorKind::Locked,
        Redb::UpgradeRequired(_) | Redb::TableDoesNotExist(_) | Redb::TableTypeMismatch { .. } => {
            ErrorKind::Foreign
        }
        _ => ErrorKind::Io,
    };
    Error::new(kind, format!("{doing}: {cause}")).with_source(cause)
}
