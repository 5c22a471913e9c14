use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(kind = Plant, effect = write, output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
