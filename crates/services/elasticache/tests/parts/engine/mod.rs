//! Tests of parts of `engine`.

mod node_types;
mod versions;
