use nephos_core::Record;

/// A plant.
#[derive(Record)]
enum Plant {
    /// A rose.
    Rose,
}

fn main() {}
