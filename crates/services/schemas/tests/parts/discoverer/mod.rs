//! Tests of parts of `discoverer`.

mod discovery;
mod widen;
