use nephos_core::{Operation, Text};

/// Takes a plant out.
#[derive(Operation)]
#[operation(service = SERVICE, kind = Plant, call = "uproot", effect = write, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
