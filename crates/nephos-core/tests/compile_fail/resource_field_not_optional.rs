use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE)]
struct Plant {
    /// Species of the plant.
    species: Text,
    slot: Slot,
}

fn main() {}
