//! Tests of parts of `protocol`.

mod blobs;
mod route;
