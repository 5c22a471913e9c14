use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
#[record(cases = "camel")]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
}

fn main() {}
