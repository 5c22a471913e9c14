use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    #[field(required, service_set)]
    species: Option<Text>,
}

fn main() {}
