//! Every case of the service on a cloud in memory, and one in ten on a file.

use nephos_rds::testing::{CASES, Services};

fn main() {
    nephos_cloud::testing::run_in_process::<Services>(CASES);
}
