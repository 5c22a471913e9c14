use nephos_core::{Text, operation};

/// Takes a plant out.
#[operation(service = SERVICE, effect = delete, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
