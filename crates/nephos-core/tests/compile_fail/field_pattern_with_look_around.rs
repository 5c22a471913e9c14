use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    #[field(pattern = "(?!oak)[a-z]+")]
    species: Option<Text>,
}

fn main() {}
