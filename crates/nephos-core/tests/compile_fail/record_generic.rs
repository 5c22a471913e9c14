use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant<T> {
    /// What it is.
    species: Option<T>,
}

fn main() {}
