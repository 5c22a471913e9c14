use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    species: Option<std::collections::HashMap<String, String>>,
}

fn main() {}
