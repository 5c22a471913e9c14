use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE, exists_if = "CreatedAt")]
struct Plant {
    /// Species of the plant.
    species: Option<Text>,
    slot: Slot,
}

fn main() {}
