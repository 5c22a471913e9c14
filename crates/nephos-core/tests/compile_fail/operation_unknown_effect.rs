use nephos_core::{Operation, Text};

/// Takes a plant out.
#[derive(Operation)]
#[operation(service = SERVICE, effect = delete, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
