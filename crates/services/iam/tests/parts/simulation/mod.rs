//! Tests of parts of `simulation`.

mod evaluate;
mod statements;
