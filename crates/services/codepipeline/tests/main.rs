//! Every test of the service: its cases, and tests of what no case can show.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test")]

mod executions;
mod parts;
mod plan;

nephos_testing::test_cases!(nephos_codepipeline_cases);
