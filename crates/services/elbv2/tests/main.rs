//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod parts;
mod transitions;

nephos_testing::test_cases!(nephos_elbv2_cases);
