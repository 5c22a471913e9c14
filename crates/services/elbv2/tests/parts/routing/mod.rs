//! Tests of parts of `routing`.

mod action;
