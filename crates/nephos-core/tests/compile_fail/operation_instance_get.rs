use nephos_core::{Text, operation};

/// Gets a plant; none if it does not exist.
#[operation(kind = Plant, call = "get", effect = read, output = (), on_model)]
struct PlantGet {
    /// Species of the plant.
    species: Text,
}

fn main() {}
