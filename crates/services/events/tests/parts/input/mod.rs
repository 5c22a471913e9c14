//! Tests of parts of `input`.

mod path;
mod template;
