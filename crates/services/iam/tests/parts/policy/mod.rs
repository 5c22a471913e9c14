//! Tests of parts of `policy`.

mod document;
mod managed;
