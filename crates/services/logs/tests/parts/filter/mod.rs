//! Tests of parts of `filter`.

pub(super) mod pattern;
