//! Tests of parts of `instance`.

mod hardware;
mod states;
