//! Runs all cases of the service on a cloud in memory, and every tenth also on a file.

use nephos_ec2::testing::{CASES, Services};

fn main() {
    nephos_cloud::testing::run_in_process::<Services>(CASES);
}
