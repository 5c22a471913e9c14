use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    species: Option<Text>,
}

fn main() {}
