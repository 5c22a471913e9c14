//! Tests of parts of `log_stream`.

mod search;
