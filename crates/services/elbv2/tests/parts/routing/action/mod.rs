//! Tests of parts of `routing::action`.

mod redirect;
