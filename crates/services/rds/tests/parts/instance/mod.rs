//! Tests of parts of `instance`.

mod storage;
