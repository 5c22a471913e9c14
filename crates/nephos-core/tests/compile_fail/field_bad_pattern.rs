use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(pattern = "[a-z")]
    species: Option<Text>,
}

fn main() {}
