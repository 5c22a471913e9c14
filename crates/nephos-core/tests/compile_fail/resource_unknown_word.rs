use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE, readonly)]
struct Plant {
    /// What it is.
    species: Option<Text>,
    slot: Slot,
}

fn main() {}
