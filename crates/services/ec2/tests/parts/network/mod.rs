//! Tests of parts of `network`.

mod cidr;
mod ids;
mod interface;
