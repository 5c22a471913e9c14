use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(service = SERVICE, effect = write, action = "Remove", no_permission, output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
