//! Tests of parts of `webhook`.

mod filter;
