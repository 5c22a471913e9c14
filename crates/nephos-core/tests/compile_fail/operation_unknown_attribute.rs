use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(service = SERVICE, effects = write, output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
