//! What redb's errors mean to us.

use crate::{Error, ErrorKind};
use redb::Error as Redb;

/// The error for `cause`, which came up while `doing` something.
pub(super) fn explain(doing: &str, cause: impl Into<Redb>) -> Error {
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
