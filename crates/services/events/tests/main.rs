//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod connections;
mod consistency;
mod corpus;
mod differential;
mod fan_out;
mod index;
mod other_services;
mod parts;
mod patterns;
mod replays;
mod simplest;

// The words of operations look for it in the root of the crate.
use other_services::SERVICE;

nephos_testing::test_cases!(nephos_events_cases);
