use nephos_core::{Text, operation};

/// Takes a plant out.
#[operation(service = SERVICE, kind = Plant, call = "uproot", effect = write, output = ())]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
