//! Tests of the store in a database.

#![expect(clippy::unwrap_used, reason = "a panic fails the test")]
#![expect(clippy::print_stdout, reason = "a test says why it does nothing")]

mod conformance;
mod failover;
mod faults;
mod opening;
mod shared;
