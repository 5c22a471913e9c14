use nephos_core::{Record, Timestamp};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Time at which it was planted.
    #[field(time = "unix")]
    planted: Option<Timestamp>,
}

fn main() {}
