use nephos_core::{Resource, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE)]
struct Plant {
    /// What it is.
    species: Option<Text>,
}

fn main() {}
