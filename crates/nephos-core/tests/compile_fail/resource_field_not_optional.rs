use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE)]
struct Plant {
    /// What it is.
    species: Text,
    slot: Slot,
}

fn main() {}
