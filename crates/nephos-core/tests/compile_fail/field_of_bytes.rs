use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    species: Option<Vec<u8>>,
}

fn main() {}
