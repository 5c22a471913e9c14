//! Tests of parts of `cluster`.

mod nodes;
