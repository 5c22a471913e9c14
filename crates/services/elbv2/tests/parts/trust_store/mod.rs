//! Tests of parts of `trust_store`.

mod bucket;
