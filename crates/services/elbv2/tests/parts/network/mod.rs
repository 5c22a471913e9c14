//! Tests of parts of `network`.

mod cidr;
