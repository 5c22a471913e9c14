use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(length(1..=12))]
    species: Option<Text>,
}

/// A seed.
#[derive(Record)]
struct Seed {
    /// What it will be.
    #[field(like = Plant::specie)]
    species: Option<Text>,
}

fn main() {}
