//! Tests of parts of `secret`.

mod filters;
mod rotation;
mod window;
