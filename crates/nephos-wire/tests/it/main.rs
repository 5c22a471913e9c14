//! The wire on toy services, one per protocol.

#![allow(unreachable_pub, reason = "one test program with modules that share toys")]
#![allow(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

mod any;
mod botocore;
mod corpus;
mod hostile;
mod query;
mod round_trips;
mod routes;
mod sigv4;
mod toys;
