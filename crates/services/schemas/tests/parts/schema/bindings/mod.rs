//! Tests of parts of `schema::bindings`.

mod names;
mod zip;
