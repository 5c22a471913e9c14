//! Tests of parts of `event`.

mod known;
