use nephos_core::{Text, operation};

/// Takes a plant out.
#[operation(service = SERVICE, effect = write)]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
