//! Tests of parts of the service that no case can show alone.

mod cluster;
mod engine;
mod parameter_group;
mod replication_group;
mod user;
