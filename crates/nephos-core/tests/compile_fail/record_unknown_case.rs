use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
#[record(case = "kebab")]
struct Plant {
    /// What it is.
    species: Option<Text>,
}

fn main() {}
