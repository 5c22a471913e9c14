use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE, mark = "CreatedAt")]
struct Plant {
    /// What it is.
    species: Option<Text>,
    slot: Slot,
}

fn main() {}
