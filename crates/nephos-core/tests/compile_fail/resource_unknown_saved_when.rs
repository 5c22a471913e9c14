use nephos_core::{Resource, Slot, Text};

/// A plant.
#[derive(Resource)]
#[resource(service = SERVICE, saved_when = "CreatedAt")]
struct Plant {
    /// What it is.
    species: Option<Text>,
    slot: Slot,
}

fn main() {}
