use nephos_core::{Text, operation};

/// Removes a plant.
#[operation(service = SERVICE, effect = write, also_requires("iam:PassRole" = ""), output = ())]
struct RemovePlant {
    /// Species of the plant.
    species: Text,
}

fn main() {}
