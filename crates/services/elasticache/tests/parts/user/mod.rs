//! Tests of parts of `user`.

mod access_string;
