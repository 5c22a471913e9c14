use nephos_core::Record;

const ONE: i64 = 1;

/// A plant.
#[derive(Record)]
struct Plant {
    /// Number of plants.
    #[field(default = ONE)]
    count: Option<i64>,
}

fn main() {}
