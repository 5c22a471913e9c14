use nephos_core::{Record, Text};

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    #[field(service_set, condition = "garden:Species")]
    species: Option<Text>,
}

fn main() {}
