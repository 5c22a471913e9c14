use nephos_core::{Record, Text};

#[derive(Record)]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
}

fn main() {}
