use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(like = Plant)]
    species: Option<Text>,
}

fn main() {}
