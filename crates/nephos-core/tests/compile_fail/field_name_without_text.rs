use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Names of the plant.
    #[field(name = Species)]
    species: Option<Text>,
}

fn main() {}
