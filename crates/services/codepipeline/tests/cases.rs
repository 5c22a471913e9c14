//! Runs every behaviour case on a cloud in memory, and one in ten on a state file.

use nephos_codepipeline::testing::{CASES, Services};

fn main() {
    nephos_cloud::testing::run_in_process::<Services>(CASES);
}
