use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant {
    /// What it is.
    species: Option<String>,
}

fn main() {}
