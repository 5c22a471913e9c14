use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    species: Option<std::collections::HashMap<String, String>>,
}

fn main() {}
