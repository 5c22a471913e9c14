use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    #[field(required, service_set)]
    species: Option<Text>,
}

fn main() {}
