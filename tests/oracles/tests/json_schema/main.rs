//! Our JSON Schema of draft 4, compared with another implementation of it.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod metaschema;
mod properties;
