use nephos_core::{Text, operation};

/// Takes a plant out.
#[operation(kind = Plant, effect = write, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
