//! Tests of parts of `schema`.

mod bindings;
