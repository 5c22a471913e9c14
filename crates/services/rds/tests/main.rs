//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod backups;
mod clusters;
mod events;
mod multi_zone;
mod parts;
mod random_life;
mod replicas;

nephos_testing::test_cases!(nephos_rds_cases);
