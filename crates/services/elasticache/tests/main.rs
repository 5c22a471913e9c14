//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod access_string;
mod in_process;
mod parts;
mod replication_groups;
mod serverless;
mod service_updates;

nephos_testing::test_cases!(nephos_elasticache_cases);
