//! Every test of the service: its cases, and tests of what no case can show.

nephos_testing::test_cases!(nephos_ecs_cases);
