//! Tests of parts of the service that no case can show alone.

mod certificate;
mod crate_root;
mod identity;
mod policy;
mod provider;
mod role;
mod simulation;
mod user;
