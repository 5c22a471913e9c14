//! Tests of parts of `pattern::index`.

mod ranges;
