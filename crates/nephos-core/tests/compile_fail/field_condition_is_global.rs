use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    #[field(condition = "aws:TagKeys")]
    species: Option<Text>,
}

fn main() {}
