//! Every test of the service: its cases, and tests of what no case can show.

mod parts;
mod verification;

// The words of operations look for it in the root of the crate.
use verification::SERVICE;

nephos_testing::test_cases!(nephos_iam_cases);
