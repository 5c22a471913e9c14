//! Tests of parts of `registry`.

mod provider;
