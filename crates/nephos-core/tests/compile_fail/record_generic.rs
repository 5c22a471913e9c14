use nephos_core::Record;

/// A plant.
#[derive(Record)]
struct Plant<T> {
    /// Species of the plant.
    species: Option<T>,
}

fn main() {}
