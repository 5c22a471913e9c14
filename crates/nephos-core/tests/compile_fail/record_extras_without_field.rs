use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
#[record(extras)]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
}

fn main() {}
