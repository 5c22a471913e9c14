use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    species: Option<Vec<u8>>,
}

fn main() {}
