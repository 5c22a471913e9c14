//! The server as clients see it, over loopback.

#![expect(clippy::unwrap_used, reason = "a failure in a helper fails the test")]

mod cases;
mod control;
mod credentials;
mod destinations;
mod fallback;
mod forks;
mod limits;
mod log;
mod open;
mod paths;
mod permissions;
mod registry;
mod registry_kill;
mod remote;
mod rotation;
mod served;
mod signing;
mod snapshots;
mod stopping;
mod strict;
mod temporary;
mod tls;
