use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(required)]
    species: Text,
}

fn main() {}
