//! Tests of parts of `pattern`.

mod index;
