use nephos_core::{Text, operation};

/// A plant, if it is there.
#[operation(kind = Plant, call = "get", effect = read, output = (), instance)]
struct Look {
    /// What it is.
    species: Text,
}

fn main() {}
