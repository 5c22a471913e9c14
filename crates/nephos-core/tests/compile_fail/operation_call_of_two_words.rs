use nephos_core::{Operation, Text};

/// Takes a plant out.
#[derive(Operation)]
#[operation(kind = Plant, call = "take out", effect = write, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
