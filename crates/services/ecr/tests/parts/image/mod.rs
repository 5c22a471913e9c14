//! Tests of parts of `image`.

mod manifest;
