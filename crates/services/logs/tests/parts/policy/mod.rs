//! Tests of parts of `policy`.

mod access;
