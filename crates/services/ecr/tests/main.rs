//! Every test of the service: its cases, and tests of what no case can show.

mod expiry;
mod lifecycle;
mod parts;
mod scans;

nephos_testing::test_cases!(nephos_ecr_cases);
