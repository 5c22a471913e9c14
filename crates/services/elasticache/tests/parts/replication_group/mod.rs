//! Tests of parts of `replication_group`.

mod shards;
mod token;
