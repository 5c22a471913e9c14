use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// Species of the plant.
    species: Option<u32>,
}

fn main() {}
