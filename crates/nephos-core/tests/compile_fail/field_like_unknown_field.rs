use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    #[field(length(1..=12))]
    species: Option<Text>,
}

/// Seeds of a plant.
#[derive(Record)]
struct Seed {
    /// Species of the plant.
    #[field(like = Plant::specie)]
    species: Option<Text>,
}

fn main() {}
