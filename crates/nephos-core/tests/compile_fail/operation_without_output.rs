use nephos_core::{Operation, Text};

/// Takes a plant out.
#[derive(Operation)]
#[operation(service = SERVICE, effect = write)]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
