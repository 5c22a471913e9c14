use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(kind = Bed, call = "remove", effect = write, access = tagging, output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
