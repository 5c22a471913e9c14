use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is called.
    #[field(name = Species)]
    species: Option<Text>,
}

fn main() {}
