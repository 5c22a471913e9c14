//! Every test of the service: its cases, and tests of what no case can show.

mod parts;

nephos_testing::test_cases!(nephos_sts_cases);
