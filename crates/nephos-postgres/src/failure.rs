//! Failures of statements and connections, and what they mean for a transaction.

use nephos_store::{Error, ErrorKind};
use std::io;

/// A failed exchange with the database.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The database refused a statement; the transaction is rolled back.
    Refused { code: String, message: String },
    /// The connection is unusable. What was sent may still be carried out.
    Lost(io::Error),
    /// A row does not match its checksum, or a similar error of the store itself.
    Store(Error),
}

/// Consequence of a failure for a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Others changed what it read, or the two waited for each other: it runs again.
    Conflict,
    /// The connection is lost.
    Lost,
    /// It cannot be carried out now.
    Final,
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Lost(error)
    }
}

impl Failure {
    /// Creates a failure from an error message of the database. An error that ends the session is a lost connection: a
    /// commit that was under way may have been carried out.
    pub(crate) fn of_database(severity: &str, code: String, message: String) -> Self {
        let ends_session = matches!(severity, "FATAL" | "PANIC");
        // Statement completion or transaction resolution unknown; a standby that was the primary.
        let is_lost = ends_session || matches!(code.as_str(), "40003" | "08007" | "25006");
        if is_lost && !is_refusal_to_connect(&code) {
            return Self::Lost(io::Error::new(io::ErrorKind::ConnectionAborted, message));
        }
        Self::Refused { code, message }
    }

    pub(crate) fn meaning(&self) -> Meaning {
        match self {
            Self::Refused { code, .. } if code == "40001" || code == "40P01" => Meaning::Conflict,
            Self::Refused { .. } | Self::Store(_) => Meaning::Final,
            Self::Lost(_) => Meaning::Lost,
        }
    }

    /// Returns the error for the caller of a transaction of which nothing was committed, or of a read.
    pub(crate) fn to_error(&self) -> Error {
        match self {
            Self::Store(error) => error.clone(),
            Self::Lost(cause) => {
                let cause = io::Error::new(cause.kind(), cause.to_string());
                let message = format!("the connection to the database failed: {cause}");
                Error::new(ErrorKind::Unavailable, message).with_source(cause)
            }
            Self::Refused { code, message } => {
                let kind = match code.as_str() {
                    "53100" => ErrorKind::Full,
                    "XX001" | "XX002" => ErrorKind::Corrupt,
                    "54000" => ErrorKind::TooLarge,
                    _ => ErrorKind::Unavailable,
                };
                let refused = if is_refusal_to_connect(code) { "the connection" } else { "a statement" };
                Error::new(kind, format!("the database refused {refused}: {message} ({code})"))
            }
        }
    }
}

/// True for errors at the start of a session after which another attempt would fail the same way: the password, the database.
fn is_refusal_to_connect(code: &str) -> bool {
    matches!(code, "28000" | "28P01" | "3D000" | "42501")
}

/// Result of an exchange with the database.
pub(crate) type Outcome<T> = std::result::Result<T, Failure>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_conflicts_lost_connections_or_final() {
        let meaning = |severity: &str, code: &str| {
            Failure::of_database(severity, code.to_owned(), "text".to_owned()).meaning()
        };
        for (severity, code, expected) in [
            ("ERROR", "40001", Meaning::Conflict),
            ("ERROR", "40P01", Meaning::Conflict),
            ("FATAL", "57P01", Meaning::Lost),
            ("FATAL", "57P03", Meaning::Lost),
            ("ERROR", "08007", Meaning::Lost),
            ("ERROR", "25006", Meaning::Lost),
            ("ERROR", "53100", Meaning::Final),
            ("ERROR", "57014", Meaning::Final),
            ("FATAL", "28P01", Meaning::Final),
        ] {
            assert_eq!(meaning(severity, code), expected, "{code}");
        }
        let password = Failure::of_database("FATAL", "28P01".to_owned(), "wrong password".to_owned());
        assert_eq!(
            password.to_error().message(),
            "the database refused the connection: wrong password (28P01)"
        );
        let full = Failure::of_database("ERROR", "53100".to_owned(), "no space".to_owned());
        assert_eq!(full.to_error().kind(), ErrorKind::Full);
    }
}
