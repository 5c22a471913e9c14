use nephos_core::{Operation, Text};

/// A plant, if it is there.
#[derive(Operation)]
#[operation(kind = Plant, call = "get", effect = read, output = (), instance)]
struct Look {
    /// What it is.
    species: Text,
}

fn main() {}
