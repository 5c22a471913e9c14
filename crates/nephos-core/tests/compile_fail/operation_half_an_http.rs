use nephos_core::{Text, operation};

/// Takes a plant out.
#[operation(service = SERVICE, effect = write, output = (), http("DELETE", "/plants/{Species}"))]
struct Uproot {
    /// What it is.
    species: Text,
}

fn main() {}
