use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
#[record(case = "kebab")]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
}

fn main() {}
