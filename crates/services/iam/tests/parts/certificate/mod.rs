//! Tests of parts of `certificate`.

mod der;
mod md5;
