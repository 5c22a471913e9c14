//! Encoding and decoding for toy services, one per protocol.

#![allow(unreachable_pub, reason = "one test program with modules that share the toy services")]
#![allow(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

mod any;
mod botocore;
mod corpus;
mod decoders;
mod hostile;
mod query;
mod round_trips;
mod routes;
mod sigv4;
mod toys;
mod unknown;
