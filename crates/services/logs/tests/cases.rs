//! Runs every case of the service on a cloud in memory, and every tenth case on a file.

use nephos_logs::testing::{CASES, Services};

fn main() {
    nephos_cloud::testing::run_in_process::<Services>(CASES);
}
