use nephos_core::{Resource, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE)]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
}

fn main() {}
