use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(service = SERVICE, kind = Plant, call = "remove", effect = write, output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
