//! The server as its clients see it, over loopback.

#![expect(clippy::unwrap_used, reason = "what fails in a test fails the test, in its helpers too")]

mod control;
mod credentials;
mod fallback;
mod forks;
mod log;
mod open;
mod remote;
mod rotation;
mod served;
mod signing;
mod stopping;
mod strict;
