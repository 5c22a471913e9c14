use nephos_core::{Record, Timestamp};

/// A plant.
#[derive(Record)]
struct Plant {
    /// When it was planted.
    #[field(time = "unix")]
    planted: Option<Timestamp>,
}

fn main() {}
