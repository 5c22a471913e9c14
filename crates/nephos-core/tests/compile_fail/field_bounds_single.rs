use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(length(5))]
    species: Option<Text>,
}

fn main() {}
